package templates

import (
	"strings"
	"time"
)

// A Page is what every page needs, whatever it shows.
type Page struct {
	// Path is the path and query of this very page. Signing in comes back to it.
	Path string
	// User is who is signed in; empty for a stranger.
	User string
	// Now is what "3 minutes ago" is reckoned from.
	Now time.Time
	// Notice is one sentence that confirms what the last request did; empty for
	// none. It may be set on any page.
	Notice string
	// Assets are where the browser finds style, script and icon.
	Assets Assets
}

// Assets are the versioned URLs of the embedded files. They are the same on
// every page.
type Assets struct {
	Stylesheet string
	Script     string
	Icon       string
}

// A Link leads somewhere from a page that would be a dead end otherwise.
type Link struct {
	Label string
	URL   string
}

// within says whether the page is at the path, whatever its query.
func (p Page) within(path string) bool {
	own, _, _ := strings.Cut(p.Path, "?")
	return own == path
}

// returnPath is where someone who signs in from this page wants to be
// afterwards: here, unless here is about signing in.
func (p Page) returnPath() string {
	switch own, _, _ := strings.Cut(p.Path, "?"); own {
	case "/", SignInPath, SignUpPath, SignOutPath:
		return ""
	}
	return p.here()
}

// here is the page's own path as a link. It is empty for a path that a browser
// would take for another host, which anyone can make someone ask for.
func (p Page) here() string {
	if !strings.HasPrefix(p.Path, "/") || strings.HasPrefix(p.Path, "//") || strings.HasPrefix(p.Path, `/\`) {
		return ""
	}
	return p.Path
}

// current says whether a link of the navigation leads to this very page. To a
// stranger home is the directory.
func (p Page) current(path string) bool {
	return p.within(path) || path == ChannelsPath && p.User == "" && p.within(HomePath)
}
