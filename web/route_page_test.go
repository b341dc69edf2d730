package web_test

const (
	inParts     = "Content-Type: multipart/form-data; boundary=b"
	formInParts = "--b\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nIn parts\r\n" +
		"--b\r\nContent-Disposition: form-data; name=\"incarnation\"\r\n\r\n{engines}\r\n--b--\r\n"
)

// pageRoutes are the pages, the forms and the feeds.
func pageRoutes() []route {
	return []route{
		{name: "GET /", who: everyone, costs: []cost{
			{"", anonymous, 3, 87, 1, 50},
			{"", bobsCookie, 5, 78, 0, 0},
		}, seeds: []seed{
			{anonymous, 200, "", "", "", ""},
			{adasCookie, 200, "", "after={feed}", "Cookie: notice=posted", ""},
			{anonymous, 422, "", "after={posts}", "", ""},
		}},
		{name: "GET /channels", who: everyone, costs: []cost{
			{"", anonymous, 3, 67, 0, 0},
			{"", bobsCookie, 4, 70, 0, 0},
			{"order=name", anonymous, 2, 18, 0, 0},
			{"contains=ada", anonymous, 1, 2, 0, 0},
		}, seeds: []seed{
			{anonymous, 200, "", "", "", ""},
			{adasCookie, 200, "", "contains=%C3%9F", "Cookie: notice=x", ""},
			{anonymous, 200, "", "", "Cookie: notice=signed-out; __Host-session={ada}; a=\"b c\"\nX-Forwarded-Proto: HTTPS\nX-Forwarded-For: 10.0.0.1, ::1", ""},
			{adasCookie, 422, "", "contains=E&after=x", "", ""},
			{anonymous, 303, "", "q=//%FF%0D%0Aa", "", ""},
		}},
		{name: "GET /channels/new", who: users, untagged: true, costs: []cost{
			{"", bobsCookie, 1, 2, 0, 0},
		}, seeds: []seed{
			{adasCookie, 200, "", "name=%FF<b>", "", ""},
		}},
		{name: "POST /channels/new", who: users, seeds: []seed{
			{adasCookie, 303, "", "", "", "name=Stra%C3%9Fe&description=Holes%0D%0Aand+more"},
			{adasCookie, 409, "", "", "", "name=Engines"},
			{adasCookie, 422, "", "name=Brakes", "", "name=a//b&description=%00"},
		}},
		{name: "GET /write", who: users, costs: []cost{
			{"", bobsCookie, 3, 63, 0, 0},
		}, seeds: []seed{
			{adasCookie, 200, "", "", "", ""},
		}},
		{name: "POST /write", who: users, seeds: []seed{
			{adasCookie, 303, "", "", "", "channel=&name=Stra%C3%9Fen&text=Holes&next=/latest"},
			{adasCookie, 422, "", "", "", "channel=&name=a//b&text=Holes"},
			{adasCookie, 422, "", "", "", "channel=x%20Engines&text="},
			{adasCookie, 412, "", "", "", "channel=x%20Engines&text=Holes"},
			{adasCookie, 422, "", "", "", "channel=x%20%00&text=Holes"},
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
			{anonymous, 422, "Engines", "find=%C2%AD", "", ""},
			{anonymous, 422, "Engines", "day=0000-13-01", "", ""},
			{bobsCookie, 303, "Engines", "newer={first}", "", ""},
			{anonymous, 404, "Engines", "newer=x", "", ""},
			{anonymous, 410, "Going", "newer={first}", "", ""},
		}},
		{name: "POST /channels/:name", who: users, seeds: []seed{
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
		{name: "GET /channels/:name/edit", who: owner, costs: []cost{
			{"", adasCookie, 2, 5, 0, 0},
		}, seeds: []seed{
			{adasCookie, 200, "Engines", "", "", ""},
		}},
		{name: "POST /channels/:name/edit", who: owner, seeds: []seed{
			{adasCookie, 303, "Engines", "", "", "description=Pistons&incarnation={engines}"},
			{bobsCookie, 412, "Engines", "", "", "description=Pistons&incarnation={going}"},
			{adasCookie, 428, "Engines", "", "", "description=Pistons"},
			{adasCookie, 303, "Engines", "", "", "action=posting&posting=owner&incarnation={engines}"},
			{adasCookie, 303, "Engines", "", "", "action=block&person=bob&incarnation={engines}"},
			{adasCookie, 303, "Engines", "", "", "action=unblock&person=bob&incarnation={engines}"},
			{adasCookie, 404, "Engines", "", "", "action=block&person=zoe&incarnation={engines}"},
			{adasCookie, 422, "Engines", "", "", "action=block&person=ada&incarnation={engines}"},
			{adasCookie, 422, "Engines", "", "", "action=posting&posting=x&incarnation={engines}"},
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
		{name: "GET /channels/:name/deletions/:incarnation/events", who: owner, untagged: true, seeds: []seed{
			{adasCookie, 200, "Going/{going}", "", "Accept: text/event-stream", ""},
			{bobsCookie, 404, "Wheels/{going}", "", "", ""},
		}},
		{name: "GET /channels/:name/blogs/:id", who: everyone, body: 4 << 10, untagged: true, seeds: []seed{
			{anonymous, 303, "Engines/{post}", "", "", ""},
			{bobsCookie, 404, "Engines/x", "", "", ""},
		}},
		{name: "GET /channels/:name/:day/:id", who: everyone, body: 4 << 10, costs: []cost{
			{"", anonymous, 2, 4, 1, 2},
			{"", bobsCookie, 3, 7, 2, 5},
		}, seeds: []seed{
			{anonymous, 200, "Engines/2026-11-22/any-words-{post}", "", "", ""},
			{anonymous, 200, "Engines/x/{post}", "", "", ""},
			{anonymous, 404, "Engines/2026-11-22/any-words", "", "", ""},
		}},
		{name: "POST /channels/:name/:day/:id", who: users, body: 4 << 10, seeds: []seed{
			{bobsCookie, 303, "Engines/2026-11-22/any-words-{post}", "", "", "action=vote&next=/&incarnation={engines}"},
			{adasCookie, 303, "Engines/2026-11-22/any-words-{post}", "", "", "action=delete&etag={etag}&incarnation={engines}"},
		}},
		{name: "GET /channels/:name/:day/:id/edit", who: owner, costs: []cost{
			{"", adasCookie, 3, 5, 0, 0},
		}, seeds: []seed{
			{adasCookie, 200, "Engines/2026-11-22/any-words-{post}", "", "", ""},
		}},
		{name: "POST /channels/:name/blogs/:id", who: users, body: 4 << 10, seeds: []seed{
			{bobsCookie, 303, "Engines/{post}", "", "", "action=vote&incarnation={engines}"},
			{bobsCookie, 303, "Engines/{post}", "", "", "action=unvote&incarnation={engines}"},
			{adasCookie, 303, "Engines/{theirs}", "", "", "action=block&person=bob&incarnation={engines}"},
			{adasCookie, 303, "Engines/{theirs}", "", "", "action=unblock&person=bob&incarnation={engines}"},
			{bobsCookie, 403, "Engines/{post}", "", "", "action=block&person=ada&incarnation={engines}"},
			{adasCookie, 303, "Engines/{post}", "", "", "action=delete&etag={etag}&incarnation={engines}"},
			{adasCookie, 412, "Engines/{first}", "", "", "action=delete&etag={etag}&incarnation={engines}"},
			{adasCookie, 428, "Engines/{first}", "", "", "action=delete"},
			{adasCookie, 428, "Engines/{first}", "", "", "action=delete&etag=*"},
			{adasCookie, 412, "Engines/{first}", "", "", "action=delete&etag=*&incarnation={going}"},
			{bobsCookie, 428, "Engines/{post}", "", "", "action=vote"},
			{bobsCookie, 412, "Engines/{post}", "", "", "action=vote&incarnation={going}"},
			{bobsCookie, 303, "Engines/{post}", "", "", "action=vote&next=//evil.example&incarnation={engines}"},
			{adasCookie, 400, "Engines/{post}", "", "", "action=praise&etag=*&incarnation={engines}"},
			{bobsCookie, 403, "Engines/{post}", "", "", "action=delete&etag=*&incarnation={engines}"},
		}},
		{name: "GET /channels/:name/blogs/:id/edit", who: owner, body: 192 << 10, costs: []cost{
			{"", adasCookie, 3, 5, 0, 0},
		}, seeds: []seed{
			{adasCookie, 200, "Engines/{post}", "", "", ""},
			{adasCookie, 403, "Engines/{theirs}", "", "", ""},
		}},
		{name: "POST /channels/:name/blogs/:id/edit", who: owner, body: 192 << 10, seeds: []seed{
			{adasCookie, 303, "Engines/{post}", "", "", "etag={etag}&title=&text=Better&incarnation={engines}"},
			{adasCookie, 412, "Engines/{first}", "", "", "etag={etag}&text=Better&incarnation={engines}"},
			{adasCookie, 412, "Engines/{post}", "", "", "etag=*&text=Better&incarnation={going}"},
			{adasCookie, 428, "Engines/{post}", "", "", "etag=*&text=Better"},
			{adasCookie, 428, "Engines/{post}", "", "", "text=Better&incarnation={engines}"},
			{adasCookie, 400, "Engines/{post}", "", "", "etag=no+quotes&text=Better&incarnation={engines}"},
			{adasCookie, 403, "Engines/{theirs}", "", "", "etag=*&text=Better&incarnation={engines}"},
			{adasCookie, 422, "Engines/{post}", "", "", "etag={etag}&mine=1&text=%FF&incarnation={engines}"},
		}},
		{name: "POST /preview", who: users, free: true, seeds: []seed{
			{adasCookie, 200, "", "", "", "title=%3Cb%3E&text=%2A%5Ba%5D%28javascript%3Ab%29%0D%0A%60%60%60"},
			{adasCookie, 422, "", "", "", "text=+"},
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
		{name: "GET /subscriptions", who: users, costs: []cost{{"", bobsCookie, 3, 35, 0, 0}}, seeds: []seed{
			{adasCookie, 200, "", "", "", ""},
		}},
		{name: "POST /subscriptions", who: users, seeds: []seed{
			{adasCookie, 303, "", "", "", "action=unsubscribe&channel=Wheels&incarnation={wheels}"},
			{adasCookie, 422, "", "", "", "action=unsubscribe&channel=a/b"},
			{adasCookie, 428, "", "", "", "action=unsubscribe&channel=Engines"},
			{adasCookie, 400, "", "", "", "channel=Engines&incarnation={engines}"},
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
		{name: "GET /digest/:user/:secret/feed.atom", who: everyone, costs: []cost{
			{"", anonymous, 3, 18, 0, 0},
		}, seeds: []seed{
			{anonymous, 200, "bob/{secret}", "tz=Asia/Kathmandu", "", ""},
			{anonymous, 404, "ada/{secret}", "", "", ""},
			{anonymous, 422, "bob/{secret}", "tz=Nowhere", "", ""},
			{anonymous, 404, "ada/{secret}", "tz=Nowhere", "", ""},
		}},
		{name: "GET /sign-up", who: everyone, body: 4 << 10, untagged: true, costs: []cost{
			{"", anonymous, 0, 0, 0, 0},
		}, seeds: []seed{
			{anonymous, 200, "", "next=/channels", "", ""},
			{adasCookie, 303, "", "next=//evil.example", "", ""},
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
		{name: "GET /account", who: users, body: 8 << 10, costs: []cost{{"", bobsCookie, 1, 2, 0, 0}}, seeds: []seed{
			{adasCookie, 200, "", "", "", ""},
		}},
		{name: "GET /how-deletion-works", who: everyone, costs: []cost{
			{"", bobsCookie, 1, 2, 0, 0},
		}, seeds: []seed{
			{anonymous, 200, "", "", "", ""},
			{anonymous, 200, "", "", "X-Forwarded-Proto: https", ""},
		}},
		{name: "GET /keys", who: everyone, costs: []cost{{"", bobsCookie, 1, 2, 0, 0}}, seeds: []seed{
			{anonymous, 200, "", "", "", ""},
		}},
		{name: "GET /channels/:name/feed", who: everyone, costs: []cost{
			{"", anonymous, 1, 2, 0, 0},
			{"", bobsCookie, 2, 4, 0, 0},
		}, seeds: []seed{
			{anonymous, 200, "Engines", "", "", ""},
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
		{name: "POST /account/deletions", who: users, seeds: []seed{
			{adasCookie, 303, "", "", "", "action=undo&channel=Going&incarnation={going}"},
			{adasCookie, 400, "", "", "", "channel=Going&incarnation={going}"},
			{bobsCookie, 403, "", "", "", "action=undo&channel=Going&incarnation={going}"},
			{adasCookie, 404, "", "", "", "action=undo&channel=Going&incarnation=x"},
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
		{name: "GET /account/export", who: users, costs: []cost{{"", adasCookie, 1, 2, 0, 0}}, seeds: []seed{{adasCookie, 200, "", "", "", ""}}},
		{name: "GET /account/export.zip", who: users, untagged: true, seeds: []seed{{adasCookie, 200, "", "", "", ""}}},
		{name: "GET /account/deletions", who: users, costs: []cost{{"", adasCookie, 3, 7, 0, 0}}, seeds: []seed{
			{adasCookie, 200, "", "", "", ""},
			{adasCookie, 422, "", "after={posts}", "", ""},
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
		{name: "GET /latest", who: everyone, costs: []cost{
			{"", anonymous, 3, 87, 1, 50},
			{"", bobsCookie, 5, 100, 0, 0},
		}, seeds: []seed{
			{anonymous, 200, "", "", "", ""},
			{adasCookie, 200, "", "", "Cookie: notice=posted", ""},
			{anonymous, 422, "", "after={feed}", "", ""},
		}},
	}
}
