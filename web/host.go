package web

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Hosts are the names of hosts that a listener answers to, besides localhost and all IP addresses.
// Otherwise another site could let a name of its own lead to this machine (DNS rebinding). To a
// browser, what that name answers is a part of that site, so its pages could read and write here.
// But the browser sends the name.
type Hosts []string

// NewHosts returns the host of the site's address, which may be nil, and further names.
func NewHosts(base *url.URL, further []string) Hosts {
	h := slices.Clone(further)
	if base != nil {
		h = append(h, base.Hostname())
	}
	for i, name := range h {
		h[i] = foldHost(name)
	}
	return h
}

// foldHost returns one spelling of a name. A name may end in the dot of the root.
func foldHost(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// answer reports whether a listener answers to the Host of a request, whatever its port.
func (h Hosts) answer(host string) bool {
	name := foldHost(withoutPort(host))
	if name == "localhost" || slices.Contains(h, name) {
		return true
	}
	_, err := netip.ParseAddr(name)
	return err == nil
}

func withoutPort(host string) string { return (&url.URL{Host: host}).Hostname() }

// Refusal returns why a listener does not answer a request, or "" if it does. It is for a response
// with http.StatusMisdirectedRequest. The listener answers probes under every name: they reveal and
// change nothing. X-Forwarded-Host does not matter, because a page can set it.
func (h Hosts) Refusal(r *http.Request) string {
	if path := r.URL.EscapedPath(); path == healthPath || path == readyPath || h.answer(r.Host) {
		return ""
	}
	return fmt.Sprintf("This server does not answer to the name %q; its operator can add a name with --host, or set the address of the site with --base-url.",
		withoutPort(r.Host))
}
