package web

import (
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
)

// admission decides what is the same for every request: the security headers of the
// response, to which names of hosts and from which origins it may be sent, and how large a body may be.
type admission struct {
	// always are headers of every response, and showing those of every response but 304:
	// they say how to show a document, and the reader of a 304 has them (RFC 9111, section
	// 4.3.4). All responses share the slices of values, so no code may write into them. A
	// handler may replace one of always, and set the Referrer-Policy itself.
	always, showing http.Header
	hosts           Hosts
	origins         *http.CrossOriginProtection
	https           bool
	proxies         proxyTrust
	// extract is the extractor of proxies.
	extract echo.IPExtractor
	// bodies counts the bytes of requests.
	bodies *shares[clientAddress]
	// userAnswers and otherAnswers count the bytes of answers that wait for their clients.
	userAnswers, otherAnswers *shares[client]
}

func newAdmission(options Options) (*admission, error) {
	g := &admission{
		always:  http.Header{echo.HeaderCacheControl: {publicCache}, echo.HeaderVary: {varyReader}},
		showing: showingHeaders(),
		hosts:   NewHosts(options.BaseURL, options.Hosts),
		origins: http.NewCrossOriginProtection(),
		proxies: proxyTrust{any: options.TrustProxy, networks: options.TrustedNetworks},
		bodies:  newShares[clientAddress](maxBodies, maxClientBodies),

		userAnswers:  newShares[client](maxAnswers, maxClientAnswers),
		otherAnswers: newShares[client](maxAnswers, maxClientAnswers),
	}
	g.extract = g.proxies.extractor()
	if base := options.BaseURL; base != nil {
		g.https = base.Scheme == "https"
		// Behind a proxy, Host may differ from the host that the browser asked for.
		if err := g.origins.AddTrustedOrigin(base.Scheme + "://" + base.Host); err != nil {
			return nil, fmt.Errorf("base URL: %w", err)
		}
	}
	if g.https {
		g.always.Set(echo.HeaderStrictTransportSecurity, "max-age=31536000")
	}
	return g, nil
}

// showingHeaders returns headers that forbid a browser everything that the pages do not
// need. They forbid inline script and style, because no page has any.
func showingHeaders() http.Header {
	policy := strings.Join([]string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "manifest-src 'self'", "connect-src 'self'",
		"form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
	}, "; ")
	return http.Header{
		echo.HeaderContentSecurityPolicy: {policy},
		echo.HeaderXContentTypeOptions:   {"nosniff"},
		echo.HeaderReferrerPolicy:        {"same-origin"},
		"Cross-Origin-Opener-Policy":     {"same-origin"},
		"Cross-Origin-Resource-Policy":   {"same-origin"},
		"Permissions-Policy":             {"camera=(), geolocation=(), microphone=()"},
	}
}

// protect sets the headers that every response has, before it is made. No cache may keep
// a response to a request that carries credentials or a cookie, or that is not a read. If
// such a response gets an entity tag (sendTagged), the reader's own cache may.
func (g *admission) protect(h http.Header, r *http.Request) {
	maps.Copy(h, g.always)
	if !isRead(r.Method) || r.Header.Get(echo.HeaderAuthorization) != "" || r.Header.Get(echo.HeaderCookie) != "" {
		h.Set(echo.HeaderCacheControl, noStore)
	}
}

// show sets the headers of showing, when the response begins.
func (g *admission) show(h http.Header, status int) {
	if status == http.StatusNotModified {
		return
	}
	own := h[echo.HeaderReferrerPolicy] // of hideAddress
	maps.Copy(h, g.showing)
	if own != nil {
		h[echo.HeaderReferrerPolicy] = own
	}
}

// hideAddress keeps the address of a page, which has a secret, out of caches and of what the browser sends when it
// loads the page's files. After "no-referrer" the form of the page would come with "Origin: null", which admit
// refuses of a browser that sends no Sec-Fetch-Site: an old one, and any without HTTPS.
func hideAddress(c echo.Context) {
	c.Response().Header().Set(echo.HeaderCacheControl, noStore)
	c.Response().Header().Set(echo.HeaderReferrerPolicy, "strict-origin")
}

// admit refuses a request to a host of another name, one that a page of another origin made a
// browser send, and one that declares more than limit bytes. It bounds the body of all others, and counts
// it until release is called.
func (g *admission) admit(w http.ResponseWriter, r *http.Request, limit int64) (release func(), err error) {
	if why := g.hosts.Refusal(r); why != "" {
		return nil, refuse(http.StatusMisdirectedRequest, "Not a name of this site", why)
	}
	if err := g.origins.Check(r); err != nil {
		return nil, refuse(http.StatusForbidden, "Request from another site",
			"A page of another origin made your browser send this. Nothing was done.")
	}
	if r.ContentLength > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	if r.Body == nil || r.Body == http.NoBody {
		return func() {}, nil
	}
	if limit < maxBody {
		// All connections together hold little of these. They are not counted, so that no client
		// can keep others from signing in by what it sends elsewhere.
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		return func() {}, nil
	}
	body := &countedBody{ReadCloser: http.MaxBytesReader(w, r.Body, limit), all: g.bodies, client: g.clientAddress(r)}
	r.Body = body
	return body.release, nil
}

// answersOf counts the answers to a client.
func (g *admission) answersOf(one client) *shares[client] {
	if one.user != "" {
		return g.userAnswers
	}
	return g.otherAnswers
}

// secure reports whether the browser's side of the connection is encrypted.
func (g *admission) secure(r *http.Request) bool {
	client, _, _ := strings.Cut(r.Header.Get(echo.HeaderXForwardedProto), ",") // each proxy may add its own
	return g.https || r.TLS != nil || strings.EqualFold(strings.TrimSpace(client), "https") && g.proxies.trusts(r.RemoteAddr)
}

func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }
