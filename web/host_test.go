package web_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"microblogging/templates"
	"microblogging/web"
)

func TestHosts(t *testing.T) {
	t.Run("answer to addresses, to localhost and to their names alone", hostsAnswerToTheirNames)
	t.Run("are those of the request line or Host, and not what a client adds", hostsAreNotInvented)
	t.Run("of others are told the flags, on a page and in JSON", hostsOfOthersAreToldTheFlags)
}

func hostsAnswerToTheirNames(t *testing.T) {
	base := &url.URL{Scheme: "https", Host: "Blogs.example:8443"}
	for name, c := range map[string]struct{ own, without bool }{
		"127.0.0.1":                  {true, true},
		"127.0.0.1:8080":             {true, true},
		"192.0.2.7:80":               {true, true},
		"127.0.0.1.":                 {true, true},
		"[::1]":                      {true, true},
		"[::1]:8080":                 {true, true},
		"[::ffff:192.0.2.7]":         {true, true},
		"[FE80::1%25eth0]:8080":      {true, true},
		"localhost":                  {true, true},
		"LocalHost:8080":             {true, true},
		"localhost.":                 {true, true},
		"localhost.:8080":            {true, true},
		"localhost:":                 {true, true},
		"blogs.example":              {true, false},
		"BLOGS.EXAMPLE":              {true, false},
		"blogs.example:8080":         {true, false},
		"blogs.example.:8443":        {true, false},
		"further":                    {true, false},
		"xn--bcher-kva.example:8080": {true, false},
		"":                           {}, // of HTTP/1.0
		":8080":                      {},
		".":                          {},
		"rebind.test":                {},
		"rebind.test:8080":           {},
		"www.blogs.example":          {},
		"blogs.example.rebind.test":  {},
		"rebind.test.blogs.example":  {},
		"blogs.example..":            {},
		"bücher.example":             {}, // browsers send the name above
		"localhost.rebind.test":      {},
		"a.localhost":                {},
		"127.0.0.1.rebind.test":      {},
		"127.0.0.1:80:80":            {},
		"127.1":                      {}, // browsers write all four numbers
		"2130706433":                 {},
		"0x7f.0.0.1":                 {},
		"256.0.0.1":                  {},
		"::1":                        {},
		"[::1":                       {},
		"[::1].rebind.test":          {},
		"[rebind.test]":              {},
		"localhost:http":             {},
		"localhost@rebind.test":      {},
		"rebind.test@localhost":      {},
		"localhost,rebind.test":      {},
		"localhost rebind.test":      {},
		"localhost/":                 {},
		"*":                          {},
		"null":                       {},
	} {
		further := []string{"Further", "xn--bcher-kva.example."}
		for hosts, want := range map[*web.Hosts]bool{
			new(web.NewHosts(base, further)): c.own,
			new(web.NewHosts(nil, nil)):      c.without,
		} {
			r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
			if r.Host = name; (hosts.Refusal(r) == "") != want {
				t.Errorf("%v: %q is answered: %t", *hosts, name, !want)
			}
		}
	}
}

// A request line can name the host too, and then it decides (RFC 9112, section 3.2.2).
func hostsAreNotInvented(t *testing.T) {
	s := newSiteWith(t, web.Options{TrustProxy: true})
	server := httptest.NewServer(s.handler)
	defer server.Close()
	for request, want := range map[string]int{
		"GET /latest HTTP/1.1\r\nHost: 127.0.0.1\r\n":                                                        200,
		"GET /latest HTTP/1.1\r\nHost: rebind.test\r\n":                                                      421,
		"GET /latest HTTP/1.1\r\nHost: rebind.test\r\nX-Forwarded-Host: localhost\r\n":                       421,
		"GET /latest HTTP/1.1\r\nHost: rebind.test\r\nForwarded: host=localhost\r\n":                         421,
		"GET /latest HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Host: rebind.test\r\n":                       200,
		"GET http://rebind.test/latest HTTP/1.1\r\nHost: localhost\r\n":                                      421,
		"GET http://localhost/latest HTTP/1.1\r\nHost: rebind.test\r\n":                                      200,
		"GET http://localhost@rebind.test/latest HTTP/1.1\r\nHost: localhost\r\n":                            421,
		"GET /latest HTTP/1.0\r\n":                                                                           421,
		"GET /latest HTTP/1.0\r\nHost: [::1]:8080\r\n":                                                       200,
		"GET /latest HTTP/1.1\r\nHost:\r\n":                                                                  421,
		"GET /nothing HTTP/1.1\r\nHost: rebind.test\r\n":                                                     421,
		"GET /latest/ HTTP/1.1\r\nHost: rebind.test\r\n":                                                     421,
		"GET //rebind.test/healthz HTTP/1.1\r\nHost: rebind.test\r\n":                                        421,
		"GET /static/../healthz HTTP/1.1\r\nHost: rebind.test\r\n":                                           421,
		"GET /%68ealthz HTTP/1.1\r\nHost: rebind.test\r\n":                                                   421,
		"GET /healthz?x HTTP/1.0\r\n":                                                                        200,
		"GET /readyz HTTP/1.1\r\nHost: rebind.test\r\n":                                                      200,
		"POST /sign-up HTTP/1.1\r\nHost: rebind.test\r\nOrigin: http://rebind.test\r\nContent-Length: 0\r\n": 421,
	} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		ok(t, err)
		_, err = fmt.Fprint(conn, request+"Connection: close\r\n\r\n")
		ok(t, err)
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		ok(t, err)
		if response.StatusCode != want {
			t.Errorf("%q is answered %d, want %d", request, response.StatusCode, want)
		}
		ok(t, response.Body.Close())
		ok(t, conn.Close())
	}
}

func hostsOfOthersAreToldTheFlags(t *testing.T) {
	s := newSiteWith(t, web.Options{Routes: map[string]web.Handler{templates.LabIndexPath: func(http.ResponseWriter, *http.Request, templates.Page) (templates.Response, error) {
		t.Error("the lab is asked")
		return templates.Response{}, nil
	}}})
	ada := s.signUp("ada")
	s.post(s.channel("Engines", "ada"), "ada", "Hello")
	const why = `This server does not answer to the name "rebind.test"; its operator can add a name with --host, or set the address of the site with --base-url.`
	a := s.do("GET", "/api/v1/channels", host("rebind.test:8080"), bearer(ada)).want(421).unwritten().holds("detail", why).holds("title", "Misdirected Request")
	a.headed("Content-Type", "application/problem+json").headed("Cache-Control", "no-store")
	b := s.again("ada")
	for _, path := range []string{"/", "/channels/Engines", templates.LabIndexPath, "/nothing", "/nothing/"} {
		p := b.send("GET", path, host("rebind.test:8080")).want(421).heading("Not a name of this site").says(why)
		p.lacks("ada", "Hello")
	}
	s.do("GET", "/static/app.css", host("rebind.test")).want(421)
	if log := s.log.String(); strings.Contains(log, "level=ERROR") {
		t.Error(log)
	}
}
