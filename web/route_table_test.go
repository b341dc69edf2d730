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
	// text is a write that stores a text, which quotas count.
	text bool
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
	// operator: other users get 403. Ada is one.
	operator
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

func allRoutes() []route { return slices.Concat(siteRoutes(), credentialRoutes(), fileRoutes()) }

// credentialRoutes take a password. They are fuzzed apart, because passwords are slow to hash.
func credentialRoutes() []route {
	return []route{
		{name: "POST /api/v1/users", who: everyone, body: 4 << 10, free: true, seeds: []seed{
			{anonymous, 201, "", "", "", `{"name":"Carol_3","password":"{password}"}`},
			{anonymous, 201, "", "", "", `{"name":"dan","password":"{password}","invitation":"{invitation}"}`},
			{anonymous, 409, "", "", "", `{"name":"ADA","password":"{password}"}`},
			{anonymous, 410, "", "", "", `{"name":"dan","password":"{password}","invitation":"x"}`},
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
			{anonymous, 303, "", "", "", "name=dan&password={password}&invitation={invitation}"},
			{anonymous, 410, "", "", "", "name=dan&password={password}&invitation=x"},
			{anonymous, 422, "", "", "", "name=%FF&password=x&next=//evil.example"},
		}},
		{name: "POST /sign-in", who: everyone, body: 4 << 10, free: true, seeds: []seed{
			{anonymous, 303, "", "", "", "name=ada&password={password}&next=/channels"},
			{anonymous, 401, "", "", "", "name=ada&password=x&next=/channels"},
		}},
		{name: "GET /sign-in/reset", who: everyone, body: 4 << 10, untagged: true, costs: []cost{{"token={link}", anonymous, 2, 2, 0, 0}}, seeds: []seed{
			{anonymous, 200, "", "token={link}", "", ""},
			{anonymous, 401, "", "token=x", "", ""},
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

const (
	inParts     = "Content-Type: multipart/form-data; boundary=b"
	formInParts = "--b\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nIn parts\r\n" +
		"--b\r\nContent-Disposition: form-data; name=\"incarnation\"\r\n\r\n{engines}\r\n--b--\r\n"
)

// siteRoutes are the pages, the forms, the feeds and the API, in the order of their paths: what a page
// shows and what the API gives of it are next to each other.
func siteRoutes() []route {
	return []route{
		{name: "GET /", who: everyone, costs: []cost{
			{"", anonymous, 3, 87, 1, 50},
			{"", bobsCookie, 5, 80, 0, 0},
		}, seeds: []seed{
			{anonymous, 200, "", "", "", ""},
			{adasCookie, 200, "", "after={feed}", "Cookie: notice=posted", ""},
			{anonymous, 422, "", "after={posts}", "", ""},
		}},
		{name: "GET /account", who: users, body: 8 << 10, costs: []cost{{"", bobsCookie, 2, 3, 0, 0}}, seeds: []seed{
			{adasCookie, 200, "", "", "", ""},
		}},
		{name: "DELETE /api/v1/account", who: users, body: 4 << 10, free: true, seeds: []seed{
			{ada, 202, "", "", "", `{"password":"{password}","posts":"delete"}`},
			{ada, 422, "", "", "", `{"password":"a wrong guess","posts":"keep"}`},
			{ada, 422, "", "", "", `{"password":"{password}","posts":"all"}`},
		}},
		{name: "GET /account/deletion", who: everyone, body: 8 << 10, costs: []cost{{"", adasCookie, 1, 2, 0, 0}}, seeds: []seed{
			{adasCookie, 200, "", "", "", ""},
			{anonymous, 200, "", "", "", ""},
			{anonymous, 404, "", "of=ada.AAAAAAAAAAAAAAAAAAAAAAAAAA", "", ""},
			{anonymous, 404, "", "of=a/b.AAAAAAAAAAAAAAAAAAAAAAAAAA", "", ""},
		}},
		{name: "POST /account/deletion", who: users, body: 8 << 10, free: true, seeds: []seed{
			{adasCookie, 303, "", "", "", "action=delete&posts=keep&password={password}"},
			{adasCookie, 422, "", "", "", "action=delete&posts=keep&password=wrong"},
			{adasCookie, 422, "", "", "", "action=delete&posts=x&password={password}"},
			{adasCookie, 303, "", "", "", "action=undo"},
			{adasCookie, 400, "", "", "", "action=x"},
		}},
		{name: "GET /api/v1/account/deletion", who: users, costs: []cost{{"", ada, 2, 3, 0, 0}}, seeds: []seed{
			{ada, 200, "", "", "", ""},
		}},
		{name: "POST /api/v1/account/deletion/undo", who: users, free: true, seeds: []seed{
			{ada, 204, "", "", "", ""},
		}},
		{name: "GET /account/deletions", who: users, costs: []cost{{"", adasCookie, 3, 7, 0, 0}}, seeds: []seed{
			{adasCookie, 200, "", "", "", ""},
			{adasCookie, 422, "", "after={posts}", "", ""},
		}},
		{name: "POST /account/deletions", who: users, seeds: []seed{
			{adasCookie, 303, "", "", "", "action=undo&channel=Going&incarnation={going}"},
			{adasCookie, 400, "", "", "", "channel=Going&incarnation={going}"},
			{bobsCookie, 403, "", "", "", "action=undo&channel=Going&incarnation={going}"},
			{adasCookie, 404, "", "", "", "action=undo&channel=Going&incarnation=x"},
		}},
		{name: "GET /account/export", who: users, costs: []cost{{"", adasCookie, 1, 2, 0, 0}}, seeds: []seed{{adasCookie, 200, "", "", "", ""}}},
		{name: "GET /api/v1/account/export", who: users, untagged: true, seeds: []seed{{ada, 200, "", "", "", ""}}},
		{name: "GET /account/export.zip", who: users, untagged: true, seeds: []seed{{adasCookie, 200, "", "", "", ""}}},
		{name: "GET /channels", who: everyone, costs: []cost{
			{"", anonymous, 5, 85, 0, 0},
			{"", bobsCookie, 6, 88, 0, 0},
			{"order=name", anonymous, 2, 18, 0, 0},
			{"contains=ada", anonymous, 1, 2, 0, 0},
		}, seeds: []seed{
			{anonymous, 200, "", "", "", ""},
			{adasCookie, 200, "", "contains=%C3%9F", "Cookie: notice=x", ""},
			{anonymous, 200, "", "", "Cookie: notice=signed-out; __Host-session={ada}; a=\"b c\"\nX-Forwarded-Proto: HTTPS\nX-Forwarded-For: 10.0.0.1, ::1", ""},
			{adasCookie, 422, "", "contains=E&after=x", "", ""},
		}},
		{name: "GET /api/v1/channels", who: everyone, costs: []cost{{"", anonymous, 2, 18, 0, 0}}, seeds: []seed{
			{anonymous, 200, "", "contains=e&limit=1", "", ""},
			{ada, 200, "", "limit=1&after={channels}", "", ""},
			{invalid, 200, "", "", "X-Forwarded-For: 1.2.3.4", ""},
			{anonymous, 422, "", "after={posts}", "", ""},
			{anonymous, 200, "", "order=activity&limit=1", "", ""},
			{anonymous, 422, "", "order=activity&contains=x", "", ""},
		}},
		{name: "GET /search", who: everyone, costs: []cost{
			{"q=engine", anonymous, 3, 70, 0, 0},
			{"q=engine", bobsCookie, 4, 73, 0, 0},
			{"", anonymous, 0, 0, 0, 0},
		}, seeds: []seed{
			{anonymous, 200, "", "q=hello", "", ""},
			{adasCookie, 200, "", "q=%20@AD&x=y", "Cookie: notice=voted", ""},
			{anonymous, 200, "", "", "", ""},
			{anonymous, 422, "", "q=**", "", ""},
			{anonymous, 422, "", "q=%FF%0D%0Aa", "", ""},
			{anonymous, 422, "", "q=a&after={posts}", "", ""},
		}},
		{name: "GET /api/v1/search", who: everyone, costs: []cost{{"q=engine", anonymous, 3, 67, 0, 0}}, seeds: []seed{
			{anonymous, 200, "", "q=HELLO&limit=1", "", ""},
			{ada, 422, "", "q=&after={posts}&limit=0", "", ""},
			{ada, 400, "", "find=hello", "", ""},
			{ada, 422, "", "q=a&after={posts}", "", ""},
		}},
		{name: "POST /api/v1/channels", who: users, text: true, seeds: []seed{
			{ada, 201, "", "", "Content-Type: application/json", `{"name":"Straße","description":"Löcher\nund mehr"}`},
			{adasCookie, 201, "", "", "Sec-Fetch-Site: same-origin", `{"name":"a-b_c.d","description":null}`},
			{ada, 409, "", "", "", `{"name":"ENGINES"}`},
			{ada, 409, "", "", "", `{"name":"Going"}`},
			{ada, 201, "", "", "", `{"name":"Club","posting":"members"}`},
			{ada, 422, "", "", "", `{"name":"Club","posting":"some"}`},
			{ada, 422, "", "", "", `{"name":"\ud800","nmae":1}`},
			{ada, 400, "", "", "", "1e999"}, // beyond a float64
		}},
		{name: "GET /channels/new", who: users, untagged: true, costs: []cost{
			{"", bobsCookie, 1, 2, 0, 0},
		}, seeds: []seed{
			{adasCookie, 200, "", "name=%FF<b>", "", ""},
		}},
		{name: "POST /channels/new", who: users, text: true, seeds: []seed{
			{adasCookie, 303, "", "", "", "name=Stra%C3%9Fe&description=Holes%0D%0Aand+more"},
			{adasCookie, 409, "", "", "", "name=Engines"},
			{adasCookie, 422, "", "name=Brakes", "", "name=a//b&description=%00"},
		}},
		{name: "GET /channels/:name", who: everyone, costs: []cost{
			{"", anonymous, 2, 5, 1, 2},
			{"", bobsCookie, 3, 9, 2, 6},
			{"order=rating", bobsCookie, 5, 29, 2, 6},
			{"day=2026-01-31", anonymous, 2, 5, 1, 2},
			{"find=engine", anonymous, 2, 5, 1, 2},
		}, seeds: []seed{
			{anonymous, 200, "Engines", "", "", ""},
			{anonymous, 200, "engines", "after={posts}", "", ""},
			{adasCookie, 200, "Engines", "order=rating&after={rated}", "", ""},
			{bobsCookie, 200, "Engines", "rating=1", "", ""},
			{bobsCookie, 410, "Going", "", "", ""},
			{bobsCookie, 404, "a%2Fb", "rating=x", "", ""},
			{anonymous, 200, "Engines", "find=", "", ""},
			{anonymous, 200, "Engines", "find=**", "", ""},
			{anonymous, 422, "Engines", "day=0000-13-01", "", ""},
			{bobsCookie, 303, "Engines", "newer={first}", "", ""},
			{anonymous, 404, "Engines", "newer=x", "", ""},
			{anonymous, 410, "Going", "newer={first}", "", ""},
		}},
		{name: "POST /channels/:name", who: users, text: true, seeds: []seed{
			{adasCookie, 303, "Engines", "", "Origin: http://blog.example", "key=k&title=T&text=Hello%0D%0Athere&incarnation={engines}"},
			{adasCookie, 303, "Engines", "", inParts, formInParts},
			{adasCookie, 303, "Engines", "", "", "key=used&text=used&incarnation={engines}"},
			{bobsCookie, 303, "Engines", "", "", "action=unsubscribe&incarnation={engines}"},
			{bobsCookie, 303, "Wheels", "", "", "action=subscribe&incarnation={wheels}"},
			{adasCookie, 400, "Engines", "", inParts, "--b"},
			{adasCookie, 422, "Engines", "", "", "key=%00&text=+&incarnation={engines}"},
			{adasCookie, 422, "Engines", "", "", "key=used&text=another&incarnation={engines}"},
			{adasCookie, 410, "Engines", "", "", "key=gone&text=gone&incarnation={engines}"},
			{adasCookie, 412, "Engines", "", "", "key=used&text=used&incarnation={going}"},
			{adasCookie, 428, "Engines", "", "", "text=from+before"},
			{adasCookie, 428, "Engines", "", "", "action=subscribe"},
			{adasCookie, 428, "Engines", "", "", "action=unsubscribe"},
			{adasCookie, 412, "Engines", "", "", "action=unsubscribe&incarnation={going}"},
			{adasCookie, 400, "Engines", "", "", "action=praise&text=x&incarnation={engines}"},
			{adasCookie, 422, "Engines", "text=in+the+query", "", "incarnation={engines}"},
			{bobsCookie, 412, "Wheels", "", "", "action=subscribe&incarnation={engines}"},
			{adasCookie, 415, "Engines", "", "Content-Type: application/json", "{}"},
		}},
		{name: "GET /api/v1/channels/:name", who: everyone, costs: []cost{
			{"", anonymous, 2, 3, 0, 0},
		}, seeds: []seed{
			{anonymous, 200, "Engines", "", "", ""},
			{anonymous, 200, "Engines", "", "If-None-Match: \"{engines}\"", ""},
			{anonymous, 304, "Engines", "", "If-None-Match: *", ""},
			{anonymous, 200, "%45ngines", "", "", ""},
			{anonymous, 200, "Engines", "", "If-Match: \"{going}\"", ""},
			{ada, 410, "Going", "", "", ""},
		}},
		{name: "PATCH /api/v1/channels/:name", who: owner, text: true, seeds: []seed{
			{ada, 200, "engines", "", "If-Match: \"{engines}\"", `{"description":"Pistons"}`},
			{ada, 412, "engines", "", "If-Match: \"{going}\", W/\"x\"", `{"description":"Pistons"}`},
			{ada, 204, "engines", "", "If-Match: \"{engines}\"", `{"posting":"owner"}`},
			{ada, 204, "engines", "", "", `{"posting":"members"}`},
			{ada, 200, "engines", "", "", `{"posting":"owner","description":"Pistons"}`},
			{ada, 422, "engines", "", "", `{"posting":""}`},
			{ada, 200, "engines", "", "", `{}`},
			{ada, 400, "engines", "", "If-Match: unquoted", `{"description":"x"}`},
			{ada, 422, "engines", "", "", `{"description":"x","posting":"some"}`},
		}},
		{name: "DELETE /api/v1/channels/:name", who: owner, seeds: []seed{
			{ada, 202, "Engines", "", "If-Match: *", ""},
			{ada, 202, "Engines", "", "", ""},
			{ada, 202, "Engines", "", "If-Match: \"{engines}\"", ""},
			{ada, 202, "Going", "", "", ""},
			{ada, 412, "Engines", "", "If-Match: \"{going}\"", ""},
		}},
		{name: "PUT /api/v1/channels/:name/blocked/:user", who: owner, seeds: []seed{
			{ada, 204, "Engines/bob", "", "", ""},
			{ada, 204, "Engines/BOB", "", "If-Match: \"{engines}\"", ""},
			{ada, 422, "Engines/ada", "", "", ""},
			{ada, 404, "Engines/zoe", "", "", ""},
			{bob, 403, "Engines/zoe", "", "", ""},
			{ada, 412, "Engines/bob", "", "If-Match: \"{going}\"", ""},
		}},
		{name: "DELETE /api/v1/channels/:name/blocked/:user", who: owner, seeds: []seed{
			{ada, 204, "Engines/bob", "", "", ""},
			{ada, 204, "Engines/zoe", "", "", ""},
			{ada, 404, "Engines/b", "", "", ""},
		}},
		{name: "GET /api/v1/channels/:name/members", who: owner, costs: []cost{{"", ada, 3, 5, 0, 0}}, seeds: []seed{
			{ada, 200, "Engines", "", "", ""},
			{ada, 422, "Engines", "after={subscriptions}", "", ""},
			{bob, 403, "Engines", "", "", ""},
			{ada, 410, "Going", "", "", ""},
		}},
		{name: "PUT /api/v1/channels/:name/members/:user", who: owner, seeds: []seed{
			{ada, 204, "Engines/bob", "", "", ""},
			{ada, 204, "Engines/BOB", "", "If-Match: \"{engines}\"", ""},
			{ada, 404, "Engines/zoe", "", "", ""},
			{bob, 403, "Engines/zoe", "", "", ""},
			{ada, 412, "Engines/bob", "", "If-Match: \"{going}\"", ""},
		}},
		{name: "DELETE /api/v1/channels/:name/members/:user", who: owner, seeds: []seed{
			{ada, 204, "Engines/bob", "", "", ""},
			{ada, 204, "Engines/zoe", "", "", ""},
			{ada, 404, "Engines/b", "", "", ""},
			{bob, 403, "Engines/bob", "", "", ""},
		}},
		{name: "GET /api/v1/channels/:name/blogs", who: everyone, costs: []cost{
			{"", anonymous, 2, 3, 1, 2},
			{"order=rating", anonymous, 3, 23, 1, 2},
			{"find=engine", anonymous, 2, 3, 1, 2},
		}, seeds: []seed{
			{anonymous, 200, "Engines", "limit=1&after={posts}&since=2020-01-01T00:00:00Z&until=2999-12-31T23:59:59.9999999Z", "", ""},
			{anonymous, 200, "Engines", "order=rating&limit=1&after={rated}", "", ""},
			{ada, 200, "Engines", "rating=1", "", ""},
			{ada, 422, "Engines", "rating=-1&since=x&limit=101", "", ""},
			{anonymous, 200, "Engines", "find=HELLO&limit=1&until=2999-12-31T23:59:59Z", "", ""},
			{anonymous, 422, "Engines", "find=&after={posts}", "", ""},
			{anonymous, 410, "Going", "find=hello", "", ""},
		}},
		{name: "POST /api/v1/channels/:name/blogs", who: users, text: true, seeds: []seed{
			{ada, 201, "Engines", "", "Idempotency-Key: k", `{"title":"T","text":"Hello"}`},
			{ada, 201, "Engines", "", "Idempotency-Key: a key, with \"quotes\" & ß\nAccept: */*", `{"text":"x"}`},
			{bobsCookie, 201, "Wheels", "", "", `{"text":"\ud83d\ude00 \u0026"}`},
			{ada, 200, "Engines", "", "Idempotency-Key: used", `{"text":"used"}`},
			{ada, 201, "engines", "", "If-Match: \"{engines}\"", `{"text":"x"}`},
			{ada, 422, "Engines", "", "Idempotency-Key: a\nIdempotency-Key: \xff", `{"text":"x"}`},
			{ada, 422, "Engines", "", "Idempotency-Key: ", `{"title":"a\nb","text":"\u0000"}`},
			{ada, 422, "Engines", "", "Idempotency-Key: a\u200bb", `{"text":"x"}`},
			{ada, 422, "Engines", "", "Idempotency-Key: " + strings.Repeat("x", 256), `{"text":"x"}`},
			{ada, 201, "Engines", "", "Idempotency-Key: " + strings.Repeat("é", 255), `{"text":"x"}`},
			{ada, 422, "Engines", "", "Idempotency-Key: used", `{"text":"another"}`},
			{ada, 410, "Engines", "", "Idempotency-Key: gone", `{"text":"gone"}`},
			{ada, 410, "Going", "", "", `{"text":"late"}`},
			{ada, 412, "Engines", "", "If-Match: \"{going}\"\nIdempotency-Key: used", `{"text":"used"}`},
			{ada, 415, "Engines", "", "Content-Type: text/plain", `{"text":"late"}`},
		}},
		{name: "GET /channels/:name/blogs/:id", who: everyone, untagged: true, seeds: []seed{
			{anonymous, 303, "Engines/{post}", "", "", ""},
			{bobsCookie, 404, "Engines/x", "", "", ""},
		}},
		{name: "POST /channels/:name/blogs/:id", who: users, seeds: []seed{
			{bobsCookie, 303, "Engines/{post}", "", "", "action=vote&incarnation={engines}"},
			{bobsCookie, 303, "Engines/{post}", "", "", "action=unvote&incarnation={engines}"},
			{adasCookie, 303, "Engines/{theirs}", "", "", "action=block&person=bob&incarnation={engines}"},
			{adasCookie, 303, "Engines/{theirs}", "", "", "action=unblock&person=bob&incarnation={engines}"},
			{bobsCookie, 403, "Engines/{post}", "", "", "action=block&person=ada&incarnation={engines}"},
			{bobsCookie, 403, "Engines/{post}", "", "", "action=block&person=zoe&incarnation={engines}"},
			{adasCookie, 303, "Engines/{post}", "", "", "action=delete&etag={etag}&incarnation={engines}"},
			{adasCookie, 412, "Engines/{first}", "", "", "action=delete&etag={etag}&incarnation={engines}"},
			{bobsCookie, 303, "Engines/{post}", "", "", "key=k&text=Yes%0D%0Aindeed&next=/channels/Engines/x/{post}%3Fafter=%25&incarnation={engines}"},
			{bobsCookie, 303, "Engines/{post}", "", "", "key=reply&text=Of+bob&incarnation={engines}"},
			{adasCookie, 303, "Engines/{post}", "", "", "action=delete-reply&reply={reply}&incarnation={engines}"},
			{adasCookie, 404, "Engines/{first}", "", "", "action=delete-reply&reply={reply}&incarnation={engines}"},
			{bobsCookie, 422, "Engines/{post}", "", "", "key=reply&text=another&next=x&incarnation={engines}"},
			{bobsCookie, 422, "Engines/{post}", "", "", "key=%00&text=+&next=/x%3Fafter={replies}&incarnation={engines}"},
			{bobsCookie, 422, "Engines/{post}", "", "", "text=&next=/x%3Fafter={posts}&incarnation={engines}"},
			{adasCookie, 410, "Wheels/{post}", "", "", "text=lost&incarnation={wheels}"},
			{adasCookie, 412, "Engines/{post}", "", "", "text=lost&incarnation={going}"},
			{adasCookie, 410, "Engines/x", "", "", "text=lost&incarnation={engines}"},
			{adasCookie, 410, "Engines/x", "", "", "text=+&incarnation={engines}"},
			{adasCookie, 428, "Engines/{first}", "", "", "action=delete"},
			{adasCookie, 428, "Engines/{first}", "", "", "action=delete&etag=*"},
			{adasCookie, 412, "Engines/{first}", "", "", "action=delete&etag=*&incarnation={going}"},
			{bobsCookie, 428, "Engines/{post}", "", "", "action=vote"},
			{bobsCookie, 412, "Engines/{post}", "", "", "action=vote&incarnation={going}"},
			{bobsCookie, 303, "Engines/{post}", "", "", "action=vote&next=//evil.example&incarnation={engines}"},
			{adasCookie, 400, "Engines/{post}", "", "", "action=praise&etag=*&incarnation={engines}"},
			{bobsCookie, 403, "Engines/{post}", "", "", "action=delete&etag=*&incarnation={engines}"},
		}},
		{name: "GET /api/v1/channels/:name/blogs/:id", who: everyone, costs: []cost{
			{"", anonymous, 2, 2, 0, 0},
		}, seeds: []seed{
			{anonymous, 200, "Engines/{post}", "", "", ""},
			{ada, 304, "Engines/{post}", "", "If-None-Match: W/{etag}", ""},
			{anonymous, 404, "Engines/3155378975999999999!AAAAAAAAAAAAAAAAAAAAAAAAAA", "", "", ""},
			{anonymous, 404, "Engines/{post}%2Fx", "", "", ""},
			{anonymous, 404, "Wheels/{post}", "", "", ""},
		}},
		{name: "PUT /api/v1/channels/:name/blogs/:id", who: owner, text: true, seeds: []seed{
			{ada, 200, "Engines/{post}", "", "If-Match: {etag}", `{"title":"T","text":"Better"}`},
			{ada, 200, "Engines/{post}", "", "If-Match: *", `{"text":"Better"}`},
			{ada, 200, "Engines/{post}", "", "If-Match: , \"a-0\",W/\"b-1\"\nIf-Match: {etag}", `{"text":"Better"}`},
			{ada, 412, "Engines/{first}", "", "If-Match: {etag}", `{"text":"Better"}`},
			{ada, 403, "Engines/{theirs}", "", "If-Match: *", `{"text":"Better"}`},
			{ada, 400, "Engines/{post}", "", "If-Match: \"a", `{"text":"Better"}`},
			{ada, 428, "Engines/{post}", "", "", `{"text":"Better"}`},
		}},
		{name: "DELETE /api/v1/channels/:name/blogs/:id", who: owner, seeds: []seed{
			{ada, 204, "Engines/{post}", "", "If-Match: \"x\", {etag}", ""},
			{ada, 204, "Engines/{theirs}", "", "", ""},
			{ada, 404, "Wheels/{post}", "", "", ""},
			{ada, 412, "Engines/{first}", "", "If-Match: {etag}", ""},
		}},
		{name: "GET /channels/:name/blogs/:id/edit", who: owner, body: 192 << 10, costs: []cost{
			{"", adasCookie, 3, 6, 0, 0},
		}, seeds: []seed{
			{adasCookie, 200, "Engines/{post}", "", "", ""},
			{adasCookie, 403, "Engines/{theirs}", "", "", ""},
		}},
		{name: "POST /channels/:name/blogs/:id/edit", who: owner, text: true, body: 192 << 10, seeds: []seed{
			{adasCookie, 303, "Engines/{post}", "", "", "etag={etag}&title=&text=Better&incarnation={engines}"},
			{adasCookie, 412, "Engines/{first}", "", "", "etag={etag}&title=&text=Better&incarnation={engines}"},
			{adasCookie, 412, "Engines/{post}", "", "", "etag=*&text=Better&incarnation={going}"},
			{adasCookie, 428, "Engines/{post}", "", "", "etag=*&text=Better"},
			{adasCookie, 428, "Engines/{post}", "", "", "text=Better&incarnation={engines}"},
			{adasCookie, 400, "Engines/{post}", "", "", "etag=no+quotes&text=Better&incarnation={engines}"},
			{adasCookie, 403, "Engines/{theirs}", "", "", "etag=*&title=&text=Better&incarnation={engines}"},
			{adasCookie, 422, "Engines/{post}", "", "", "etag={etag}&mine=1&title=&text=%FF&incarnation={engines}"},
		}},
		{name: "GET /api/v1/channels/:name/blogs/:id/replies", who: everyone, costs: []cost{
			{"", anonymous, 2, 3, 0, 0},
		}, seeds: []seed{
			{anonymous, 200, "Engines/{post}", "", "", ""},
			{ada, 200, "Engines/{post}", "limit=1&after={replies}", "", ""},
			{anonymous, 422, "Engines/{post}", "after={posts}", "", ""},
			{anonymous, 422, "Engines/{first}", "after={replies}", "", ""},
			{anonymous, 404, "Wheels/{post}", "", "", ""},
			{anonymous, 404, "Engines/x", "", "", ""},
			{anonymous, 410, "Going/{post}", "", "", ""},
		}},
		{name: "POST /api/v1/channels/:name/blogs/:id/replies", who: users, text: true, seeds: []seed{
			{ada, 201, "Engines/{post}", "", "Idempotency-Key: k", `{"text":"Yes"}`},
			{bobsCookie, 201, "engines/{first}", "", "", `{"text":"\ud83d\ude00\r\nb"}`},
			{bob, 200, "Engines/{post}", "", "Idempotency-Key: reply", `{"text":"Of bob"}`},
			{bob, 422, "Engines/{post}", "", "Idempotency-Key: reply", `{"text":"another"}`},
			{bob, 422, "Engines/{first}", "", "Idempotency-Key: reply", `{"text":"Of bob"}`},
			{ada, 422, "Engines/{post}", "", "Idempotency-Key: used", `{"text":"used"}`},
			{ada, 422, "Engines/{post}", "", "Idempotency-Key: ", `{"text":" "}`},
			{ada, 422, "Engines/{post}", "", "", `{"text":"x","title":"y"}`},
			{ada, 410, "Wheels/{post}", "", "", `{"text":"x"}`},
			{ada, 410, "Going/{post}", "", "", `{"text":"x"}`},
			{ada, 410, "Engines/{reply}", "", "", `{"text":"x"}`},
			{ada, 410, "Engines/x", "", "", `{"text":"x"}`},
		}},
		{name: "DELETE /api/v1/channels/:name/blogs/:id/replies/:reply", who: owner, seeds: []seed{
			{ada, 204, "Engines/{post}/{reply}", "", "", ""},
			{ada, 204, "Engines/{post}/{their-reply}", "", "", ""},
			{bob, 204, "Engines/{post}/{their-reply}", "", "", ""},
			{ada, 404, "Engines/{first}/{reply}", "", "", ""},
			{ada, 404, "Engines/{post}/{post}", "", "", ""},
			{ada, 404, "Engines/x/{reply}", "", "", ""},
			{ada, 410, "Going/{post}/{reply}", "", "", ""},
		}},
		{name: "PUT /api/v1/channels/:name/blogs/:id/vote", who: users, body: 4 << 10, seeds: []seed{
			{bob, 204, "Engines/{post}", "", "", ""},
			{bob, 404, "Wheels/{post}", "", "", ""},
			{bob, 404, "Engines/nonsense", "", "", ""},
		}},
		{name: "DELETE /api/v1/channels/:name/blogs/:id/vote", who: users, body: 4 << 10, seeds: []seed{
			{ada, 204, "Engines/{first}", "", "", ""},
			{ada, 404, "Wheels/{first}", "", "", ""},
		}},
		{name: `POST /api/v1/channels/:name/blogs\:batch`, who: users, text: true, body: 33 * 64 << 10, seeds: []seed{
			{bob, 200, "Engines", "", "", `{"items":[{"text":"a"}]}`},
			{bob, 200, "engines", "", "", `{"items":[{"key":"k","title":"t","text":"a"},{"key":"k","text":"b"},{"text":""}]}`},
			{ada, 200, "engines", "", "If-Match: *", `{"items":[{"text":"a","key":null},1,{"text":"b","text":"c"}]}`},
			{ada, 422, "engines", "", "", `{"items":[]}`},
		}},
		{name: "GET /channels/:name/delete", who: owner, costs: []cost{
			{"", adasCookie, 3, 5, 0, 0},
		}, seeds: []seed{
			{adasCookie, 200, "Engines", "", "", ""},
		}},
		{name: "POST /channels/:name/delete", who: owner, seeds: []seed{
			{adasCookie, 303, "Engines", "", "", "incarnation={engines}"},
			{adasCookie, 412, "Engines", "", "", "incarnation={going}"},
			{adasCookie, 428, "Engines", "", "", ""},
		}},
		{name: "GET /channels/:name/deletions/:incarnation", who: owner, costs: []cost{
			{"", adasCookie, 2, 4, 0, 0},
		}, seeds: []seed{
			{adasCookie, 200, "Going/{going}", "", "", ""},
			{bobsCookie, 404, "Going/x", "", "", ""},
		}},
		{name: "POST /channels/:name/deletions/:incarnation", who: owner, seeds: []seed{
			{adasCookie, 303, "Going/{going}", "", "", "action=undo&channel=Going&incarnation={going}"},
			{adasCookie, 404, "Engines/{engines}", "", "", "action=undo"},
			{adasCookie, 400, "Going/{going}", "", "", "action=next"},
		}},
		{name: "GET /api/v1/channels/:name/deletions/:incarnation", who: owner, costs: []cost{
			{"", ada, 2, 4, 0, 0},
		}, seeds: []seed{
			{ada, 200, "Going/{going}", "", "", ""},
			{bob, 404, "Going/AAAAAAAAAAAAAAAAAAAAAAAAAA", "", "", ""},
			{ada, 404, "Going/x", "", "", ""},
			{ada, 404, "Going/{going}%2Fx", "", "", ""},
		}},
		{name: "GET /channels/:name/deletions/:incarnation/events", who: owner, untagged: true, seeds: []seed{
			{adasCookie, 200, "Going/{going}", "", "Accept: text/event-stream", ""},
			{bobsCookie, 404, "Wheels/{going}", "", "", ""},
		}},
		{name: "POST /api/v1/channels/:name/deletions/:incarnation/undo", who: owner, seeds: []seed{
			{ada, 200, "Going/{going}", "", "", ""},
			{ada, 404, "Engines/{engines}", "", "", ""},
			{ada, 404, "Going/x", "", "", ""},
		}},
		{name: "GET /channels/:name/edit", who: owner, costs: []cost{
			{"", adasCookie, 3, 5, 0, 0},
		}, seeds: []seed{
			{adasCookie, 200, "Engines", "", "", ""},
		}},
		{name: "POST /channels/:name/edit", who: owner, text: true, seeds: []seed{
			{adasCookie, 303, "Engines", "", "", "description=Pistons&posting=open&base=%5B%22All+about+Engines%22%2C%22open%22%5D&incarnation={engines}"},
			{bobsCookie, 412, "Engines", "", "", "description=Pistons&incarnation={going}"},
			{adasCookie, 428, "Engines", "", "", "description=Pistons"},
			{adasCookie, 303, "Engines", "", "", "description=All+about+Engines&posting=owner&base=%5B%22All+about+Engines%22%2C%22open%22%5D&incarnation={engines}"},
			{adasCookie, 303, "Engines", "", "", "description=All+about+Engines&posting=members&add-member=bob&base=%5B%22All+about+Engines%22%2C%22open%22%5D&incarnation={engines}"},
			{adasCookie, 303, "Engines", "", "", "description=All+about+Engines&posting=open&add-blocked=bob&base=%5B%22All+about+Engines%22%2C%22open%22%5D&incarnation={engines}"},
			{adasCookie, 422, "Engines", "", "", "description=All+about+Engines&posting=members&add-member=zoe&base=%5B%22All+about+Engines%22%2C%22open%22%5D&incarnation={engines}"},
			{adasCookie, 422, "Engines", "", "", "description=All+about+Engines&posting=open&add-blocked=ada&base=%5B%22All+about+Engines%22%2C%22open%22%5D&incarnation={engines}"},
			{adasCookie, 422, "Engines", "", "", "description=All+about+Engines&posting=x&base=%5B%22All+about+Engines%22%2C%22open%22%5D&incarnation={engines}"},
			{bobsCookie, 403, "Engines", "", "", "description=All+about+Engines&posting=owner&add-member=zoe&base=%5B%22All+about+Engines%22%2C%22open%22%5D&incarnation={engines}"},
		}},
		{name: "GET /channels/:name/feed", who: everyone, costs: []cost{
			{"", anonymous, 1, 2, 0, 0},
			{"", bobsCookie, 2, 4, 0, 0},
		}, seeds: []seed{
			{anonymous, 200, "Engines", "", "", ""},
		}},
		{name: "GET /channels/:name/feed.atom", who: everyone, costs: []cost{
			{"", anonymous, 2, 3, 1, 2},
		}, seeds: []seed{
			{anonymous, 200, "Engines", "", "", ""},
		}},
		{name: "GET /channels/:name/feed.json", who: everyone, costs: []cost{
			{"", anonymous, 2, 3, 1, 2},
		}, seeds: []seed{
			{anonymous, 200, "Engines", "", "", ""},
			{anonymous, 304, "Engines", "", "If-None-Match: *", ""},
		}},
		{name: "GET /channels/:name/rows", who: everyone, costs: []cost{
			{"", adasCookie, 3, 8, 0, 0},
		}, seeds: []seed{
			{adasCookie, 200, "Engines", "", "", ""},
			{anonymous, 404, "Nothing", "", "", ""},
			{adasCookie, 200, "Going", "", "", ""},
			{anonymous, 200, "Engines", "", "", ""},
			{adasCookie, 422, "Engines", "after={posts}", "", ""},
		}},
		{name: "GET /channels/:name/:day/:id", who: everyone, costs: []cost{
			{"", anonymous, 2, 5, 1, 2},
			{"", bobsCookie, 3, 8, 2, 5},
		}, seeds: []seed{
			{anonymous, 200, "Engines/2026-11-22/any-words-{post}", "", "", ""},
			{anonymous, 200, "Engines/x/{post}", "", "", ""},
			{bobsCookie, 200, "Engines/x/{post}", "after={replies}", "", ""},
			{bobsCookie, 200, "Engines/x/{post}", "after=last", "", ""},
			{anonymous, 422, "Engines/x/{post}", "after={posts}", "", ""},
			{anonymous, 404, "Engines/2026-11-22/any-words", "", "", ""},
		}},
		{name: "POST /channels/:name/:day/:id", who: users, seeds: []seed{
			{bobsCookie, 303, "Engines/2026-11-22/any-words-{post}", "", "", "action=vote&next=/&incarnation={engines}"},
			{adasCookie, 303, "Engines/2026-11-22/any-words-{post}", "", "", "action=delete&etag={etag}&incarnation={engines}"},
		}},
		{name: "GET /channels/:name/:day/:id/edit", who: owner, costs: []cost{
			{"", adasCookie, 3, 6, 0, 0},
		}, seeds: []seed{
			{adasCookie, 200, "Engines/2026-11-22/any-words-{post}", "", "", ""},
		}},
		{name: "GET /api/v1/deletions", who: users, costs: []cost{{"", ada, 3, 7, 0, 0}}, seeds: []seed{
			{ada, 200, "", "limit=1", "", ""},
			{ada, 422, "", "after={subscriptions}", "", ""},
		}},
		{name: "GET /digest", who: users, costs: []cost{{"", bobsCookie, 5, 68, 0, 0}}, seeds: []seed{
			{adasCookie, 200, "", "", "", ""},
			{bobsCookie, 200, "", "day=2026-01-31&tz=Europe/Berlin", "Cookie: digest-secret={secret}", ""},
			{adasCookie, 422, "", "day=x&tz=%00", "", ""},
		}},
		{name: "POST /digest", who: users, free: true, seeds: []seed{
			{adasCookie, 303, "", "", "", "action=make&day=2026-01-31&tz=UTC"},
			{adasCookie, 303, "", "", "", "action=revoke&tz=%FF"},
			{adasCookie, 400, "", "", "", "action=praise"},
		}},
		{name: "GET /api/v1/digest", who: users, costs: []cost{{"", bob, 5, 67, 0, 0}}, seeds: []seed{
			{ada, 200, "", "day=2026-01-31&tz=Europe/Berlin", "", ""},
			{bob, 200, "", "", "", ""},
			{ada, 422, "", "day=2026-02-31&tz=../..", "", ""},
		}},
		{name: "POST /api/v1/digest/address", who: users, free: true, seeds: []seed{
			{ada, 201, "", "tz=Asia/Kathmandu", "X-Forwarded-Proto: https", ""},
		}},
		{name: "DELETE /api/v1/digest/address", who: users, free: true, seeds: []seed{
			{ada, 204, "", "", "", ""},
		}},
		{name: "GET /digest/:user/:secret/feed.atom", who: everyone, costs: []cost{
			{"", anonymous, 3, 18, 0, 0},
		}, seeds: []seed{
			{anonymous, 200, "bob/{secret}", "tz=Asia/Kathmandu", "", ""},
			{anonymous, 404, "ada/{secret}", "", "", ""},
			{anonymous, 422, "bob/{secret}", "tz=Nowhere", "", ""},
			{anonymous, 404, "ada/{secret}", "tz=Nowhere", "", ""},
		}},
		{name: "GET /api/v1/feed", who: users, costs: []cost{{"", bob, 4, 67, 0, 0}}, seeds: []seed{
			{ada, 200, "", "limit=1&after={feed}", "", ""},
		}},
		{name: "GET /how-deletion-works", who: everyone, costs: []cost{
			{"", bobsCookie, 1, 2, 0, 0},
		}, seeds: []seed{
			{anonymous, 200, "", "", "", ""},
			{anonymous, 200, "", "", "X-Forwarded-Proto: https", ""},
		}},
		{name: "GET /about", who: everyone, costs: []cost{{"", bobsCookie, 1, 2, 0, 0}}, seeds: []seed{
			{anonymous, 200, "", "", "", ""},
			{adasCookie, 200, "", "", "Cookie: notice=posted", ""},
		}},
		{name: "GET /keys", who: everyone, costs: []cost{{"", bobsCookie, 1, 2, 0, 0}}, seeds: []seed{
			{anonymous, 200, "", "", "", ""},
		}},
		{name: "GET /latest", who: everyone, costs: []cost{
			{"", anonymous, 3, 87, 1, 50},
			{"", bobsCookie, 5, 96, 0, 0},
		}, seeds: []seed{
			{anonymous, 200, "", "", "", ""},
			{adasCookie, 200, "", "", "Cookie: notice=posted", ""},
			{anonymous, 422, "", "after={feed}", "", ""},
		}},
		{name: "GET /api/v1/latest", who: everyone, costs: []cost{{"", anonymous, 3, 87, 1, 50}}, seeds: []seed{
			{anonymous, 200, "", "limit=1", "", ""},
			{ada, 422, "", "after={posts}&limit=0", "", ""},
		}},
		{name: "POST /preview", who: users, free: true, seeds: []seed{
			{adasCookie, 200, "", "", "", "title=%3Cb%3E&text=%2A%5Ba%5D%28javascript%3Ab%29%0D%0A%60%60%60"},
			{adasCookie, 422, "", "", "", "text=+"},
		}},
		{name: "DELETE /api/v1/sessions", who: users, body: 4 << 10, free: true, seeds: []seed{
			{adasCookie, 204, "", "", "", ""},
		}},
		{name: "DELETE /api/v1/sessions/current", who: users, free: true, seeds: []seed{
			{adasCookie, 204, "", "", "", ""},
			{anonymous, 204, "", "", "Authorization: bearer {ada}", ""},
		}},
		{name: "GET /sign-in", who: everyone, body: 4 << 10, costs: []cost{{"", anonymous, 0, 0, 0, 0}}, seeds: []seed{
			{anonymous, 200, "", "", "", ""},
			{adasCookie, 303, "", "next=/%09/evil.example", "", ""},
			{adasCookie, 303, "", "next=/channels/Stra%C3%9Fe?after=x%23y", "", ""},
			{badCookie, 200, "", "", "", ""},
		}},
		{name: "GET /sign-in/link", who: everyone, untagged: true, seeds: []seed{
			{anonymous, 303, "", "token={link}", "", ""},
			{anonymous, 401, "", "token={ada}", "", ""},
		}},
		{name: "GET /sign-out", who: everyone, costs: []cost{{"", bobsCookie, 1, 2, 0, 0}}, seeds: []seed{
			{adasCookie, 200, "", "", "", ""},
		}},
		{name: "POST /sign-out", who: everyone, free: true, seeds: []seed{
			{adasCookie, 303, "", "", "", ""},
		}},
		{name: "GET /sign-up", who: everyone, body: 4 << 10, untagged: true, costs: []cost{
			{"", anonymous, 0, 0, 0, 0},
		}, seeds: []seed{
			{anonymous, 200, "", "next=/channels", "", ""},
			{anonymous, 200, "", "invitation={invitation}", "", ""},
			{anonymous, 410, "", "invitation=x", "", ""},
			{adasCookie, 303, "", "next=//evil.example", "", ""},
		}},
		{name: "GET /subscriptions", who: users, costs: []cost{{"", bobsCookie, 3, 35, 0, 0}}, seeds: []seed{
			{adasCookie, 200, "", "", "", ""},
		}},
		{name: "POST /subscriptions", who: users, seeds: []seed{
			{adasCookie, 303, "", "", "", "action=unsubscribe&channel=Wheels&incarnation={wheels}"},
			{adasCookie, 422, "", "", "", "action=unsubscribe&channel=a/b"},
			{adasCookie, 428, "", "", "", "action=unsubscribe&channel=Engines"},
			{adasCookie, 400, "", "", "", "channel=Engines&incarnation={engines}"},
		}},
		{name: "GET /api/v1/subscriptions", who: users, costs: []cost{{"", bob, 3, 35, 0, 0}}, seeds: []seed{
			{ada, 200, "", "limit=1&after={subscriptions}", "", ""},
			{bob, 422, "", "after={subscriptions}", "", ""},
		}},
		{name: "PUT /api/v1/subscriptions/:name", who: users, seeds: []seed{
			{ada, 204, "Wheels", "", "", ""},
			{ada, 410, "Going", "", "", ""},
			{ada, 412, "Engines", "", "If-Match: W/\"{engines}\"", ""},
		}},
		{name: "DELETE /api/v1/subscriptions/:name", who: users, seeds: []seed{
			{ada, 204, "Wheels", "", "", ""},
		}},
		{name: "GET /api/v1/users", who: everyone, body: 4 << 10, costs: []cost{{"contains=a", anonymous, 1, 1, 0, 0}}, seeds: []seed{
			{anonymous, 200, "", "contains=%20@AD&limit=1", "", ""},
			{ada, 422, "", "contains=&after={posts}", "", ""},
			{ada, 200, "", "order=created&contains=a&limit=1", "", ""},
			{ada, 422, "", "order=created&after={posts}", "", ""},
			{ada, 422, "", "order=x", "", ""},
			{anonymous, 401, "", "order=created", "", ""},
			{bob, 403, "", "order=created", "", ""},
		}},
		{name: "DELETE /api/v1/users/:user", who: operator, seeds: []seed{
			{ada, 202, "bob", "", "", `{"posts":"keep"}`},
			{ada, 403, "ada", "", "", `{"posts":"keep"}`},
			{ada, 404, "zoe", "", "", `{"posts":"delete"}`},
			{ada, 422, "bob", "", "", `{"posts":"x"}`},
		}},
		{name: "POST /api/v1/users/:user/undo", who: operator, seeds: []seed{
			{ada, 204, "bob", "", "", ""},
			{ada, 404, "zoe", "", "", ""},
		}},
		{name: "POST /api/v1/users/:user/password-link", who: operator, seeds: []seed{
			{ada, 201, "bob", "", "", ""},
			{ada, 403, "ada", "", "", ""},
			{ada, 404, "zoe", "", "", ""},
		}},
		{name: "GET /operator", who: operator, body: 4 << 10, costs: []cost{{"", adasCookie, 3, 4, 0, 0}}, seeds: []seed{
			{adasCookie, 200, "", "contains=b", "", ""},
			{adasCookie, 422, "", "after={posts}", "", ""},
		}},
		{name: "POST /operator", who: operator, body: 4 << 10, seeds: []seed{
			{adasCookie, 200, "", "", "", "action=link&user=bob"},
			{adasCookie, 303, "", "", "", "action=close&user=bob&posts=keep"},
			{adasCookie, 303, "", "", "", "action=open&user=bob"},
			{adasCookie, 403, "", "", "", "action=close&user=ada&posts=keep"},
			{adasCookie, 400, "", "", "", "action=x"},
		}},
		{name: "GET /operator/invitations", who: operator, body: 4 << 10, costs: []cost{{"", adasCookie, 2, 3, 0, 0}}, seeds: []seed{
			{adasCookie, 200, "", "", "", ""},
			{adasCookie, 422, "", "after={posts}", "", ""},
		}},
		{name: "POST /operator/invitations", who: operator, body: 4 << 10, seeds: []seed{
			{adasCookie, 200, "", "", "", "action=invite"},
			{adasCookie, 303, "", "", "", "action=revoke&id={invitationID}"},
			{adasCookie, 400, "", "", "", "action=x"},
		}},
		{name: "GET /api/v1/invitations", who: operator, costs: []cost{{"", ada, 2, 3, 0, 0}}, seeds: []seed{
			{ada, 200, "", "limit=1", "", ""},
			{ada, 422, "", "after={posts}", "", ""},
		}},
		{name: "POST /api/v1/invitations", who: operator, seeds: []seed{
			{ada, 201, "", "", "", ""},
		}},
		{name: "DELETE /api/v1/invitations/:id", who: operator, seeds: []seed{
			{ada, 204, "{invitationID}", "", "", ""},
			{ada, 404, "x", "", "", ""},
		}},
		{name: "GET /users/:user", who: everyone, costs: []cost{
			{"", anonymous, 2, 39, 0, 0},
			{"", bobsCookie, 4, 42, 0, 0},
			{"show=channels", anonymous, 2, 42, 0, 0},
		}, seeds: []seed{
			{anonymous, 200, "ada", "", "", ""},
			{anonymous, 200, "ada", "show=channels", "", ""},
			{anonymous, 422, "ada", "show=channels&after=x", "", ""},
			{anonymous, 200, "ADA", "", "", ""},
			{anonymous, 422, "ada", "after=x", "", ""},
			{anonymous, 404, "zoe", "", "", ""},
			{anonymous, 404, "not%20a%20name", "", "", ""},
			{anonymous, 404, "a%2Fb", "", "", ""},
		}},
		{name: "GET /api/v1/users/:user", who: everyone, costs: []cost{{"", anonymous, 1, 1, 0, 0}}, seeds: []seed{
			{anonymous, 200, "ada", "", "", ""},
			{anonymous, 404, "zoe", "", "", ""},
			{anonymous, 404, "not%20a%20name", "", "", ""},
		}},
		{name: "GET /api/v1/users/:user/blogs", who: everyone, costs: []cost{{"", anonymous, 2, 39, 0, 0}}, seeds: []seed{
			{anonymous, 200, "ada", "limit=1", "", ""},
			{anonymous, 422, "ada", "after={posts}&limit=0", "", ""},
			{anonymous, 404, "zoe", "", "", ""},
		}},
		{name: "GET /yours", who: users, costs: []cost{{"", adasCookie, 4, 67, 0, 0}}, seeds: []seed{
			{adasCookie, 200, "", "", "", ""},
		}},
		{name: "GET /write", who: users, costs: []cost{
			{"", bobsCookie, 3, 59, 0, 0},
		}, seeds: []seed{
			{adasCookie, 200, "", "", "", ""},
		}},
		{name: "POST /write", who: users, text: true, seeds: []seed{
			{adasCookie, 303, "", "", "", "channel=&name=Stra%C3%9Fen&text=Holes&next=/latest"},
			{adasCookie, 422, "", "", "", "channel=&name=a//b&text=Holes"},
			{adasCookie, 422, "", "", "", "channel=x%20Engines&text="},
			{adasCookie, 412, "", "", "", "channel=x%20Engines&text=Holes"},
			{adasCookie, 422, "", "", "", "channel=x%20%00&text=Holes"},
		}},
	}
}
