package web

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/maypok86/otter/v2"

	"microblogging/domain"
	"microblogging/static"
	"microblogging/storage"
	"microblogging/templates"
)

// Options are the settings of the web role.
type Options struct {
	// BaseURL is the address that browsers use, if it is not the one that the server
	// listens on. If its scheme is https, cookies are Secure and responses carry
	// Strict-Transport-Security. Nil takes the address from each request.
	BaseURL *url.URL
	// Hosts are further names of the host, without ports, in ASCII as browsers send them.
	Hosts []string
	// TrustProxy reports whether every request comes through one proxy, which sets
	// X-Forwarded-For and X-Forwarded-Proto. Set it only behind such a proxy: without
	// one, a client could send these headers itself.
	TrustProxy bool
	// TrustedNetworks are the networks of the proxies, if there are several in a row
	// or if clients can reach the process without them. A peer outside of them is not
	// trusted, unless TrustProxy is set.
	TrustedNetworks []netip.Prefix
	// WriteRate is how many writes a second one user may make, and WriteBurst how many at
	// once. All users of one client together may make ten times as many. A WriteRate of 0
	// is no limit.
	WriteRate  float64
	WriteBurst int
	// MaxChannelsPerOwner is about how many channels one user may own and still create another.
	// 0 is no limit.
	MaxChannelsPerOwner int
	// SignUps is how many accounts one client may make in an hour, counted for all
	// processes on the store. 0 is no limit.
	SignUps int
	// Quotas are how much text may be stored.
	Quotas Quotas
	// Undo is how long a deletion can be undone, as pages say: the store's own time.
	Undo time.Duration
	// UndoAccount is the same for the deletion of an account.
	UndoAccount time.Duration
	// PageCache is about how many bytes are kept in memory of pages, feeds and lists of posts of
	// channels, and of what they show. With 0 none are, and each is made anew.
	PageCache int64
	// Logger gets one line for each request, and the cause of each failure. Nil logs
	// nothing.
	Logger *slog.Logger
	// SiteName is what the site is called, SiteAbout a text about it in Markdown, and Contact whom to ask. Each may be
	// empty. They are shown as they are: package domain checks them.
	SiteName, SiteAbout, Contact string
	// Registration says who may sign up. If it is empty, every visitor may.
	Registration domain.Registration
	// LastBackup is when the last backup was complete, zero if none was. Nil means that this program makes none.
	LastBackup func() (time.Time, error)
	// Operators may act for the site, once they are signed in.
	Operators domain.Operators
	// Version is the version that the description of the API states.
	Version string
	// Alive fails if the process must be started again to go on; /healthz then fails.
	// Nil never fails.
	Alive func() error
	// Draining is closed when the process was told to stop, before Stopping; /readyz
	// fails from then on. Nil means never.
	Draining <-chan struct{}
	// LogAddresses makes the log state the addresses of clients.
	LogAddresses bool
	// Teach lets everybody see the rows behind every channel, and makes each page end in a list
	// of the store calls that it made, with links to what is behind it and to the lab.
	Teach bool
	// Routes are the handlers of pages that another package makes, by their paths in the
	// notation of http.ServeMux, such as "/lab/{name}". They answer GET and HEAD. If one
	// of them is at templates.LabIndexPath, the pages of this package lead to it if Teach is set.
	Routes map[string]Handler
	// Observer is told of each request. It may be nil.
	Observer Observer
	// Stopping is closed when the process begins to shut down. Event streams then
	// end, so that the shutdown does not wait for their readers. Nil means never.
	Stopping <-chan struct{}
}

// An Observer is told of each request. Metrics are made of it. It is safe for
// concurrent use, never panics and never waits: the request waits for it.
type Observer interface {
	// Request is called when a request begins. route is its pattern, such as /channels/:name, and
	// never its path; it is empty if there is no such page. The function that it returns is
	// called when the request has been answered, with the status in the log.
	Request(r *http.Request, route string) func(status int)
	// Cached is called after a look into the page cache, for each of Caches apart. hit tells
	// that what was found there was right, so that the store was asked for nothing more.
	Cached(cache string, hit bool)
	// Stored is called with the bytes of a text that is about to be stored, as quotas count it.
	Stored(bytes int64)
	// OverQuota is called when a text is refused, with which of QuotaNames refuses it.
	OverQuota(quota string)
}

// server is the web role. Its methods are the handlers, and what they share.
type server struct {
	Options
	store     *storage.Store
	admission *admission
	pages     pageCache[*sharedPage]
	views     pageCache[*channelView]
	texts     texts
	// activeBefore are the channels that were active at the last request for them.
	activeBefore atomic.Pointer[[]domain.ChannelRef]
	asset        func(name string) string
	site         templates.Site
	about        templates.About
	build        string
	// bodies are the most bytes that a body may hold, by route, for all of its methods; maxBody
	// elsewhere.
	bodies map[string]int64
	// others are the paths of Routes, as the router has them.
	others map[string]bool

	// reads are the slots in which answers to GET and HEAD are made.
	reads *slots

	likely  *likelyUsers
	writes  *writeLimit
	quotas  quotas
	streams *shares[clientAddress]
	batches *shares[domain.UserName]
	// Exports are counted for each user, and for each client.
	exports   *shares[domain.UserName]
	exporting *shares[clientAddress]
	// The slots of each kind of costly work: to find a post of a channel, or in all channels, a digest, a personal
	// feed, the page before a post, and to merge or preview texts.
	finding, searching, digests, feeds, newer, writing *slots
}

// New returns the handler of the web role. The store must be prepared. The handler is safe for
// concurrent use. The event stream of a deletion lasts up to five minutes. Any other response
// begins ten seconds after the request at the latest, and ends as soon as its client has read it or
// was too slow. The handler sets the Pattern of a request to the route that answers it, for
// whatever is around the handler. New fails only if the options or the embedded files are
// invalid.
func New(store *storage.Store, options Options) (http.Handler, error) {
	site, about := templates.NewSite(options.SiteName, options.SiteAbout, options.Contact)
	site.Registration = options.Registration
	files, err := assets(site)
	if err != nil {
		return nil, fmt.Errorf("embedded assets: %w", err)
	}
	admission, err := newAdmission(options)
	if err != nil {
		return nil, err
	}
	options.Logger = cmp.Or(options.Logger, slog.New(slog.DiscardHandler))
	s := &server{
		Options:   options,
		store:     store,
		admission: admission,
		texts:     newTexts(maxTexts),
		asset:     files.URL,
		site:      site,
		about:     about,
		build:     build(),
		bodies:    map[string]int64{},
		reads:     newSlots(maxClientReads, maxReads),
		likely:    otter.Must(&otter.Options[any, any]{MaximumSize: maxLikelyUsers}),
		writes:    newWriteLimit(options.WriteRate, options.WriteBurst),
		quotas:    newQuotas(options.Quotas, store),
		streams:   newShares[clientAddress](maxStreams, maxClientStreams),
		batches:   newShares[domain.UserName](math.MaxInt64, 1),
		exports:   newShares[domain.UserName](math.MaxInt64, 1),
		exporting: newShares[clientAddress](maxExports, maxClientExports),
		finding:   newCostlySlots(),
		searching: newCostlySlots(),
		digests:   newCostlySlots(),
		feeds:     newCostlySlots(),
		newer:     newCostlySlots(),
		writing:   newCostlySlots(),
	}
	if !options.Teach { // else a page lists what it cost, and is made from the store each time
		s.pages = newPageCache[*sharedPage](options.PageCache / 2)
		s.views = newPageCache[*channelView](options.PageCache / 2)
	}
	// The router leaves all decisions to this package: respondError answers unknown routes and the errors of handlers,
	// and echo logs nothing.
	e := echo.New()
	e.Logger.SetOutput(io.Discard)
	e.HTTPErrorHandler = s.respondError
	e.IPExtractor = func(r *http.Request) string { return string(s.admission.clientAddress(r)) }
	e.Use(s.observe)
	serveStatic(e, files)
	health := Health{Store: store.Health.Ready, Alive: options.Alive, Draining: options.Draining, Logger: options.Logger}
	get(e, healthPath, echo.WrapHandler(http.HandlerFunc(health.Live)))
	get(e, readyPath, echo.WrapHandler(http.HandlerFunc(health.Ready)))
	s.pageRoutes(e)
	api := e.Group(apiPrefix)
	s.apiRoutes(api)
	s.digestRoutes(e, api)
	s.otherRoutes(e)
	return e, s.openAPIRoute(e)
}

// router registers routes: the whole site or a group under a prefix.
type router interface {
	Add(method, path string, handler echo.HandlerFunc, middleware ...echo.MiddlewareFunc) *echo.Route
}

// get registers a handler for GET and HEAD. net/http drops the body of a response to
// HEAD.
func get(r router, path string, h echo.HandlerFunc) {
	r.Add(http.MethodGet, path, h)
	r.Add(http.MethodHead, path, h)
}

// serveStatic serves embedded assets. They set their own Cache-Control, and are the same
// for everyone, so Vary is removed.
func serveStatic(e *echo.Echo, files *static.Assets) {
	serve := func(path string, serve http.HandlerFunc) {
		get(e, path, func(c echo.Context) error {
			if asked := c.Request().URL.Path; strings.HasPrefix(asked, static.Prefix) && !files.Has(asked) {
				return echo.ErrNotFound
			}
			c.Response().Header().Del(echo.HeaderVary)
			serve(c.Response(), c.Request())
			return nil
		})
	}
	serve(static.Prefix+"*", files.ServeHTTP)
	for _, name := range []string{"favicon.ico", "apple-touch-icon.png", "robots.txt"} {
		serve("/"+name, func(w http.ResponseWriter, r *http.Request) { files.ServeFile(w, r, name) })
	}
}

// origin returns the scheme and the host under which the client reaches this server,
// such as https://blog.example. It is for addresses that are used outside the site. The
// operator's BaseURL wins; without one it is what the request asked for.
func (s *server) origin(r *http.Request) string {
	switch {
	case s.BaseURL != nil:
		return s.BaseURL.Scheme + "://" + s.BaseURL.Host
	case s.admission.secure(r):
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// hasLab reports whether another package answers at templates.LabIndexPath.
func (s *server) hasLab() bool { return s.Routes[templates.LabIndexPath] != nil }
