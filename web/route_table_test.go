package web_test

import (
	"cmp"
	"slices"
	"strings"
)

// A route is what the web role promises about one of its routes. This table is the only place
// that says it: the fuzzer begins with its seeds, TestRoutes tries each column on each route,
// and docs/performance.md shows its costs.
type route struct {
	// name is the method and the path, as the router has it.
	name string
	who  who
	// body is the most bytes that a body may hold, if it is not 64 KiB. It belongs to the path.
	body int
	// free is a write that is not limited: it begins or ends sessions, protects an account, or
	// only shows what it was sent.
	free bool
	// untagged is an answer that cannot be asked for again with If-None-Match: it is shown once,
	// is a stream, or has a tag that serves If-Match alone.
	untagged bool
	costs    []cost
	// seeds are requests, each with its status. The first one succeeds.
	seeds []seed
}

// who may ask.
type who uint8

const (
	everyone who = iota
	// users: an anonymous client gets 401.
	users
	// owner: other users get 403.
	owner
)

// A seed is a request to a route and the status that it gets. Its strings may hold placeholders
// of the stage, such as {post}.
type seed struct {
	who    uint8
	status int
	// params are the escaped parameters of the path, separated by slashes.
	params, query string
	// headers has one header a line.
	headers, body string
}

// Who asks. The latter half send their token in a cookie.
const (
	anonymous uint8 = iota
	ada
	bob
	invalid
	_
	adasCookie
	bobsCookie
	badCookie
)

// A cost is what an answer takes on Azure: calls that wait for one another, and all calls. The
// reader's session is known from an earlier request.
type cost struct {
	query  string
	reader uint8
	// trips and calls are for the first answer after the channel has changed, againTrips and
	// againCalls for the next one. These are zero if both cost the same.
	trips, calls, againTrips, againCalls int
}

func (r route) method() string { return r.name[:strings.IndexByte(r.name, ' ')] }

func (r route) reads() bool { return r.method() == "GET" }

func (r route) isAPI() bool { return strings.Contains(r.name, " /api/v1/") }

// isFile reports whether it is the same for everybody, and asks the store for nothing that it shows.
func (r route) isFile() bool {
	return slices.ContainsFunc(fileRoutes(), func(f route) bool { return f.name == r.name })
}

// isStream reports whether it is answered while the store is still being read.
func (r route) isStream() bool {
	return strings.HasSuffix(r.name, "/events") || strings.HasSuffix(r.name, "/account/export") && r.isAPI() || strings.HasSuffix(r.name, ".zip")
}

// limit is the most bytes of a body.
func (r route) limit() int { return cmp.Or(r.body, 64<<10) }

func allRoutes() []route {
	return slices.Concat(apiRoutes(), pageRoutes(), credentialRoutes(), fileRoutes())
}

// credentialRoutes take a password. They are fuzzed apart, because passwords are slow to hash.
func credentialRoutes() []route {
	return []route{
		{name: "POST /api/v1/users", who: everyone, body: 4 << 10, free: true, seeds: []seed{
			{anonymous, 201, "", "", "", `{"name":"Carol_3","password":"{password}"}`},
			{anonymous, 409, "", "", "", `{"name":"ADA","password":"{password}"}`},
			{anonymous, 422, "", "", "", `{"name":"a-","password":"short"}`},
		}},
		{name: "POST /api/v1/sessions", who: everyone, body: 4 << 10, free: true, seeds: []seed{
			{anonymous, 201, "", "", "X-Forwarded-For: ::1, 10.0.0.1", `{"name":"Ada","password":"{password}"}`},
			{anonymous, 401, "", "", "", `{"name":"ada","password":"a wrong guess"}`},
			{anonymous, 401, "", "", "", `{"name":"\u0000/#","password":""}`},
		}},
		{name: "PUT /api/v1/users/me/password", who: users, body: 8 << 10, free: true, seeds: []seed{
			{ada, 204, "", "", "", `{"old":"{password}","new":"a better password"}`},
			{ada, 422, "", "", "", `{"old":"a wrong guess","new":"a better password"}`},
			{ada, 422, "", "", "", `{"old":"{password}","new":"short"}`},
		}},
		{name: "POST /sign-up", who: everyone, body: 4 << 10, free: true, seeds: []seed{
			{anonymous, 303, "", "", "", "name=carol&password={password}&next=/channels/new"},
			{anonymous, 422, "", "", "", "name=%FF&password=x&next=//evil.example"},
		}},
		{name: "POST /sign-in", who: everyone, body: 4 << 10, free: true, seeds: []seed{
			{anonymous, 303, "", "", "", "name=ada&password={password}&next=/channels"},
			{anonymous, 401, "", "", "", "name=ada&password=x&next=/channels"},
		}},
		{name: "GET /sign-in/reset", who: everyone, body: 4 << 10, untagged: true, costs: []cost{{"", anonymous, 0, 0, 0, 0}}, seeds: []seed{
			{anonymous, 200, "", "token=x", "", ""},
		}},
		{name: "POST /sign-in/reset", who: everyone, body: 4 << 10, free: true, seeds: []seed{
			{anonymous, 303, "", "", "", "token={link}&password=a+better+password"},
			{anonymous, 401, "", "", "", "token=x&password=a+better+password"},
			{adasCookie, 401, "", "", "", "password=x"},
		}},
		{name: "POST /account", who: users, body: 8 << 10, free: true, seeds: []seed{
			{adasCookie, 303, "", "", "", "action=password&old={password}&new=a+better+password"},
			{adasCookie, 303, "", "", "", "action=end-sessions"},
			{adasCookie, 422, "", "", "", "action=password&old=x&new=a+better+password"},
			{bobsCookie, 400, "", "", "", "action=x"},
		}},
	}
}

// fileRoutes ask the store for nothing, but for /readyz.
func fileRoutes() []route {
	return []route{
		{name: "GET /static/*", who: everyone, seeds: []seed{
			{anonymous, 200, "app.css", "", "", ""},
			{anonymous, 404, "nothing", "", "", ""},
		}},
		{name: "GET /favicon.ico", who: everyone, seeds: []seed{{anonymous, 200, "", "", "", ""}}},
		{name: "GET /apple-touch-icon.png", who: everyone, seeds: []seed{{anonymous, 200, "", "", "", ""}}},
		{name: "GET /robots.txt", who: everyone, seeds: []seed{{anonymous, 200, "", "", "", ""}}},
		{name: "GET /healthz", who: everyone, untagged: true, seeds: []seed{{anonymous, 200, "", "", "", ""}}},
		{name: "GET /readyz", who: everyone, untagged: true, seeds: []seed{{anonymous, 200, "", "", "", ""}}},
		{name: "GET /api/openapi.json", who: everyone, seeds: []seed{{anonymous, 200, "", "", "", ""}}},
	}
}
