package web

import "net/http"

// origin is the scheme and the host that a request's sender reaches this server
// by, for addresses that leave the site: what the operator says, or else what
// the sender asked for.
func (s *server) origin(r *http.Request) string {
	if s.base != nil {
		return s.base.Scheme + "://" + s.base.Host
	}
	if s.guard.secure(r) {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
