package web

import "net/http"

// origin returns the scheme and the host under which the client reaches this server,
// such as https://blog.example. It is for addresses that are used outside the site. The
// operator's BaseURL wins; without one it is what the request asked for.
func (s *server) origin(r *http.Request) string {
	if s.base != nil {
		return s.base.Scheme + "://" + s.base.Host
	}
	if s.guard.secure(r) {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
