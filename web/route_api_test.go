package web_test

import "strings"

// apiRoutes are the routes of the API. The corpus of the fuzzer refers to a route by its index, so
// new routes go last.
func apiRoutes() []route {
	return []route{
		{name: "GET /api/v1/channels", who: everyone, costs: []cost{{"", anonymous, 2, 18, 0, 0}}, seeds: []seed{
			{anonymous, 200, "", "contains=e&limit=1", "", ""},
			{ada, 200, "", "limit=1&after={channels}", "", ""},
			{invalid, 200, "", "", "X-Forwarded-For: 1.2.3.4", ""},
			{anonymous, 422, "", "after={posts}", "", ""},
			{anonymous, 200, "", "order=activity&limit=1", "", ""},
			{anonymous, 422, "", "order=activity&contains=x", "", ""},
		}},
		{name: "POST /api/v1/channels", who: users, seeds: []seed{
			{ada, 201, "", "", "Content-Type: application/json", `{"name":"Straße","description":"Löcher\nund mehr"}`},
			{adasCookie, 201, "", "", "Sec-Fetch-Site: same-origin", `{"name":"a-b_c.d","description":null}`},
			{ada, 409, "", "", "", `{"name":"ENGINES"}`},
			{ada, 409, "", "", "", `{"name":"Going"}`},
			{ada, 422, "", "", "", `{"name":"\ud800","nmae":1}`},
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
		{name: "PATCH /api/v1/channels/:name", who: owner, seeds: []seed{
			{ada, 200, "engines", "", "If-Match: \"{engines}\"", `{"description":"Pistons"}`},
			{ada, 412, "engines", "", "If-Match: \"{going}\", W/\"x\"", `{"description":"Pistons"}`},
			{ada, 204, "engines", "", "If-Match: \"{engines}\"", `{"posting":"owner"}`},
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
		{name: "GET /api/v1/channels/:name/deletions/:incarnation", who: owner, costs: []cost{
			{"", ada, 2, 4, 0, 0},
		}, seeds: []seed{
			{ada, 200, "Going/{going}", "", "", ""},
			{bob, 404, "Going/AAAAAAAAAAAAAAAAAAAAAAAAAA", "", "", ""},
			{ada, 404, "Going/x", "", "", ""},
			{ada, 404, "Going/{going}%2Fx", "", "", ""},
		}},
		{name: "POST /api/v1/channels/:name/deletions/:incarnation/undo", who: owner, seeds: []seed{
			{ada, 200, "Going/{going}", "", "", ""},
			{ada, 404, "Engines/{engines}", "", "", ""},
			{ada, 404, "Going/x", "", "", ""},
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
		{name: "POST /api/v1/channels/:name/blogs", who: users, seeds: []seed{
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
		{name: "GET /api/v1/channels/:name/blogs/:id", who: everyone, costs: []cost{
			{"", anonymous, 2, 2, 0, 0},
		}, seeds: []seed{
			{anonymous, 200, "Engines/{post}", "", "", ""},
			{ada, 304, "Engines/{post}", "", "If-None-Match: W/{etag}", ""},
			{anonymous, 404, "Engines/3155378975999999999!AAAAAAAAAAAAAAAAAAAAAAAAAA", "", "", ""},
			{anonymous, 404, "Engines/{post}%2Fx", "", "", ""},
			{anonymous, 404, "Wheels/{post}", "", "", ""},
		}},
		{name: "PUT /api/v1/channels/:name/blogs/:id", who: owner, seeds: []seed{
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
		{name: "PUT /api/v1/channels/:name/blogs/:id/vote", who: users, body: 4 << 10, seeds: []seed{
			{bob, 204, "Engines/{post}", "", "", ""},
			{bob, 404, "Wheels/{post}", "", "", ""},
			{bob, 404, "Engines/nonsense", "", "", ""},
		}},
		{name: "DELETE /api/v1/channels/:name/blogs/:id/vote", who: users, body: 4 << 10, seeds: []seed{
			{ada, 204, "Engines/{first}", "", "", ""},
			{ada, 404, "Wheels/{first}", "", "", ""},
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
		{name: "GET /api/v1/account/export", who: users, untagged: true, seeds: []seed{{ada, 200, "", "", "", ""}}},
		{name: "GET /api/v1/deletions", who: users, costs: []cost{{"", ada, 3, 7, 0, 0}}, seeds: []seed{
			{ada, 200, "", "limit=1", "", ""},
			{ada, 422, "", "after={subscriptions}", "", ""},
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
		{name: "GET /api/v1/feed", who: users, costs: []cost{{"", bob, 4, 67, 0, 0}}, seeds: []seed{
			{ada, 200, "", "limit=1&after={feed}", "", ""},
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
		{name: "DELETE /api/v1/account", who: users, body: 4 << 10, free: true, seeds: []seed{
			{ada, 202, "", "", "", `{"password":"{password}","posts":"delete"}`},
			{ada, 422, "", "", "", `{"password":"a wrong guess","posts":"keep"}`},
			{ada, 422, "", "", "", `{"password":"{password}","posts":"all"}`},
		}},
		{name: "GET /api/v1/account/deletion", who: users, costs: []cost{{"", ada, 2, 3, 0, 0}}, seeds: []seed{
			{ada, 200, "", "", "", ""},
		}},
		{name: "POST /api/v1/account/deletion/undo", who: users, free: true, seeds: []seed{
			{ada, 204, "", "", "", ""},
		}},
		{name: "DELETE /api/v1/sessions", who: users, body: 4 << 10, free: true, seeds: []seed{
			{adasCookie, 204, "", "", "", ""},
		}},
		{name: "DELETE /api/v1/sessions/current", who: users, free: true, seeds: []seed{
			{adasCookie, 204, "", "", "", ""},
			{anonymous, 204, "", "", "Authorization: bearer {ada}", ""},
		}},
		{name: `POST /api/v1/channels/:name/blogs\:batch`, who: users, body: 33 * 64 << 10, seeds: []seed{
			{bob, 200, "Engines", "", "", `{"items":[{"text":"a"}]}`},
			{bob, 200, "engines", "", "", `{"items":[{"key":"k","title":"t","text":"a"},{"key":"k","text":"b"},{"text":""}]}`},
			{ada, 200, "engines", "", "If-Match: *", `{"items":[{"text":"a","key":null},1,{"text":"b","text":"c"}]}`},
			{ada, 422, "engines", "", "", `{"items":[]}`},
		}},
		{name: "GET /api/v1/latest", who: everyone, costs: []cost{{"", anonymous, 4, 87, 1, 50}}, seeds: []seed{
			{anonymous, 200, "", "limit=1", "", ""},
			{ada, 422, "", "after={posts}&limit=0", "", ""},
		}},
		{name: "PUT /api/v1/channels/:name/blocked/:user", who: owner, seeds: []seed{
			{ada, 204, "Engines/bob", "", "", ""},
			{ada, 204, "Engines/BOB", "", "If-Match: \"{engines}\"", ""},
			{ada, 422, "Engines/ada", "", "", ""},
			{ada, 404, "Engines/zoe", "", "", ""},
			{ada, 412, "Engines/bob", "", "If-Match: \"{going}\"", ""},
		}},
		{name: "DELETE /api/v1/channels/:name/blocked/:user", who: owner, seeds: []seed{
			{ada, 204, "Engines/bob", "", "", ""},
			{ada, 204, "Engines/zoe", "", "", ""},
			{ada, 404, "Engines/b", "", "", ""},
		}},
		{name: "GET /api/v1/users", who: everyone, body: 4 << 10, costs: []cost{{"contains=a", anonymous, 1, 1, 0, 0}}, seeds: []seed{
			{anonymous, 200, "", "contains=%20@AD&limit=1", "", ""},
			{ada, 422, "", "contains=&after={posts}", "", ""},
		}},
	}
}
