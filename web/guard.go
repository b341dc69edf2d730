package web

import (
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
)

// maxBody is the most that a request's body may hold: twice the longest post
// with every character escaped.
const maxBody = 64 << 10

// guard decides what holds for every request, whatever it asks: which headers
// protect the response, whether it may come from where it comes from, and how
// much it may carry.
type guard struct {
	// headers are set on every response. The slices are shared: nobody may write
	// into them, only replace them.
	headers    http.Header
	origins    *http.CrossOriginProtection
	https      bool
	trustProxy bool
}

func newGuard(options Options) (*guard, error) {
	g := &guard{
		headers:    securityHeaders(),
		origins:    http.NewCrossOriginProtection(),
		trustProxy: options.TrustProxy,
	}
	if base := options.BaseURL; base != nil {
		g.https = base.Scheme == "https"
		// A proxy may pass another Host on than the browser asked for.
		if err := g.origins.AddTrustedOrigin(base.Scheme + "://" + base.Host); err != nil {
			return nil, fmt.Errorf("base URL: %w", err)
		}
	}
	if g.https {
		g.headers.Set(echo.HeaderStrictTransportSecurity, "max-age=31536000")
	}
	return g, nil
}

// securityHeaders forbid a browser all that the pages do not need. No page has
// inline script or style, so none is allowed.
func securityHeaders() http.Header {
	h := http.Header{}
	h.Set(echo.HeaderContentSecurityPolicy, strings.Join([]string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
		"form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
	}, "; "))
	h.Set(echo.HeaderXContentTypeOptions, "nosniff")
	h.Set(echo.HeaderReferrerPolicy, "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set(echo.HeaderCacheControl, "no-cache")
	h.Set(echo.HeaderVary, "Cookie, Authorization")
	return h
}

// protect sets the headers that every response has. What a response to someone
// known may show, or what changes something, is for no cache to keep.
func (g *guard) protect(h http.Header, r *http.Request) {
	for name, values := range g.headers {
		h[name] = values
	}
	if !isRead(r.Method) || r.Header.Get(echo.HeaderAuthorization) != "" || r.Header.Get(echo.HeaderCookie) != "" {
		h.Set(echo.HeaderCacheControl, "no-store")
	}
}

// admit refuses a request that a page of another origin made a browser send, or
// that announces more than it may carry, and bounds what it does carry.
func (g *guard) admit(w http.ResponseWriter, r *http.Request) error {
	if err := g.origins.Check(r); err != nil {
		return refuse(http.StatusForbidden, "Request from another site",
			"A page of another origin made your browser send this. Nothing was done.")
	}
	if r.ContentLength > maxBody {
		return &http.MaxBytesError{Limit: maxBody}
	}
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	}
	return nil
}

// secure tells whether the browser's side of the connection is encrypted.
func (g *guard) secure(r *http.Request) bool {
	return g.https || r.TLS != nil ||
		g.trustProxy && strings.EqualFold(r.Header.Get(echo.HeaderXForwardedProto), "https")
}

// clientAddress is who is asking. Behind a proxy it is the last address of
// X-Forwarded-For, the one that the proxy itself saw: whatever stands before it
// was sent by the client and may be invented.
func (g *guard) clientAddress(r *http.Request) string {
	if g.trustProxy {
		if chains := r.Header.Values(echo.HeaderXForwardedFor); len(chains) > 0 {
			chain := chains[len(chains)-1]
			return strings.TrimSpace(chain[strings.LastIndexByte(chain, ',')+1:])
		}
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr // a test's, or a socket's: the whole is the address
	}
	return host
}

func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }
