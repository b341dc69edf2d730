package web

import "context"

// An Observer is told of each request. Metrics and traces are made of it. It is safe for
// concurrent use, never panics and never waits: the request waits for it.
type Observer interface {
	// Request is called when a request begins. route is its pattern, such as
	// /channels/:name, and never its path; it is empty if there is no such page. The request
	// is handled with the context that Request returns. The function that it returns is
	// called when the request has been answered, with the status in the log.
	Request(ctx context.Context, method, route string) (context.Context, func(status int))
	// Cached is called after a look into the page cache, for each of Caches apart. hit tells
	// that what was found there was right, so that the store was asked for nothing more.
	Cached(ctx context.Context, cache string, hit bool)
}

// What the page cache keeps.
const (
	// cachedPage is a page or feed as it is sent to readers who are not signed in.
	cachedPage = "page"
	// cachedView is what a page shows.
	cachedView = "view"
)

// Caches lists what the page cache keeps.
func Caches() []string { return []string{cachedPage, cachedView} }
