package templates

import (
	"net/url"
	"strings"
	"time"

	"microblogging/domain"
)

// A Page is what every page needs.
type Page struct {
	// Path is the path and query of this page. Signing in returns to it.
	Path string
	// User is the name of the signed-in reader. It is empty for a stranger.
	User domain.UserName
	// Now is the time of the request.
	Now time.Time
	// Notice is one sentence that confirms what the last request did. It may be
	// empty. Any page can have one.
	Notice string
	// Origin is the scheme and the host of the site, such as https://blog.example. It
	// goes before the addresses that other sites and programs read.
	Origin string
	// Public says that the page is the same for everyone, so that a cache may keep it. It
	// then has no link that depends on its reader.
	Public bool
	// Lab says that the site has pages at LabIndexPath.
	Lab bool
	// Hood, if not nil, makes each page but a public one end in a fold with what it cost.
	// It is called once, while the page is rendered.
	Hood func() Hood
	// Asset is the versioned URL of an embedded file, such as "app.css".
	Asset func(name string) string
}

// A Link leads on from a page that would otherwise be a dead end.
type Link struct {
	Label string
	URL   string
	// Aside opens it in another tab, because this page has what would be lost.
	Aside bool
}

// endsDrafts says that the page may be the answer to a form that has ended a draft.
func (p Page) endsDrafts() bool { return p.User != "" || p.Notice != "" }

// within says whether the page is at the path, with any query.
func (p Page) within(path string) bool {
	own, _, _ := strings.Cut(p.Path, "?")
	return own == path
}

// returnPath is the path to return to after signing in from this page. It is empty
// if that is home. From a page about signing in, it is where that page leads to.
func (p Page) returnPath() string {
	switch own, query, _ := strings.Cut(p.Path, "?"); own {
	case "/", SignOutPath:
		return ""
	case SignInPath, SignUpPath:
		values, err := url.ParseQuery(query)
		if err != nil {
			return ""
		}
		return values.Get("next") // the form checks it
	}
	return p.here()
}

// here is the page's own path as a link. It is empty if a browser would read the
// path as another host: anyone can send people to such a path.
func (p Page) here() string {
	if !strings.HasPrefix(p.Path, "/") || strings.HasPrefix(p.Path, "//") || strings.HasPrefix(p.Path, `/\`) {
		return ""
	}
	return p.Path
}

// current says whether a link of the navigation leads to this page. For a stranger
// the home page is the directory.
func (p Page) current(path string) bool {
	path, _, _ = strings.Cut(path, "?")
	return p.within(path) || path == ChannelsPath && p.User == "" && p.within(HomePath)
}
