package web_test

// credentialRoutes take a password. They are fuzzed apart, because passwords are slow to hash.
func credentialRoutes() []route {
	return []route{
		{name: "POST /api/v1/users", who: everyone, body: 4 << 10, free: true, seeds: []seed{
			{stranger, 201, "", "", "", `{"name":"Carol_3","password":"{password}"}`},
			{stranger, 409, "", "", "", `{"name":"ADA","password":"{password}"}`},
			{stranger, 422, "", "", "", `{"name":"a-","password":"short"}`},
		}},
		{name: "POST /api/v1/sessions", who: everyone, body: 4 << 10, free: true, seeds: []seed{
			{stranger, 201, "", "", "X-Forwarded-For: ::1, 10.0.0.1", `{"name":"Ada","password":"{password}"}`},
			{stranger, 401, "", "", "", `{"name":"ada","password":"a wrong guess"}`},
			{stranger, 401, "", "", "", `{"name":"\u0000/#","password":""}`},
		}},
		{name: "PUT /api/v1/users/me/password", who: users, body: 8 << 10, free: true, seeds: []seed{
			{ada, 204, "", "", "", `{"old":"{password}","new":"a better password"}`},
			{ada, 422, "", "", "", `{"old":"a wrong guess","new":"a better password"}`},
			{ada, 422, "", "", "", `{"old":"{password}","new":"short"}`},
		}},
		{name: "POST /sign-up", who: everyone, body: 4 << 10, free: true, seeds: []seed{
			{stranger, 303, "", "", "", "name=carol&password={password}&next=/channels/new"},
			{stranger, 422, "", "", "", "name=%FF&password=x&next=//evil.example"},
		}},
		{name: "POST /sign-in", who: everyone, body: 4 << 10, free: true, seeds: []seed{
			{stranger, 303, "", "", "", "name=ada&password={password}&next=/channels"},
			{stranger, 401, "", "", "", "name=ada&password=x&next=/channels"},
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
			{stranger, 200, "app.css", "", "", ""},
			{stranger, 404, "nothing", "", "", ""},
		}},
		{name: "GET /favicon.ico", who: everyone, seeds: []seed{{stranger, 200, "", "", "", ""}}},
		{name: "GET /apple-touch-icon.png", who: everyone, seeds: []seed{{stranger, 200, "", "", "", ""}}},
		{name: "GET /robots.txt", who: everyone, seeds: []seed{{stranger, 200, "", "", "", ""}}},
		{name: "GET /healthz", who: everyone, untagged: true, seeds: []seed{{stranger, 200, "", "", "", ""}}},
		{name: "GET /readyz", who: everyone, untagged: true, seeds: []seed{{stranger, 200, "", "", "", ""}}},
		{name: "GET /api/openapi.json", who: everyone, seeds: []seed{{stranger, 200, "", "", "", ""}}},
	}
}
