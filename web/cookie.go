package web

import "net/http"

// newCookie makes a cookie for the paths below path. Scripts cannot read it, and
// a form on another site does not send it.
func (g *guard) newCookie(r *http.Request, name, value, path string) *http.Cookie {
	return &http.Cookie{
		Name:     name,
		Value:    value,
		Path:     path,
		Secure:   g.secure(r),
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
	}
}

// cookieValue returns the value of a cookie, and whether the request has it.
func cookieValue(r *http.Request, name string) (value string, there bool) {
	cookie, err := r.Cookie(name)
	if err != nil {
		return "", false // the only error is http.ErrNoCookie
	}
	return cookie.Value, true
}
