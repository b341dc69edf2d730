package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// confirmed and refused are replies to a batch, as far as the relay looks at them.
const (
	confirmed = "--b\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n--b--\r\n"
	refused   = "--b\r\n\r\nHTTP/1.1 409 Conflict\r\n\r\n{}\r\n--b--\r\n"
)

// relayed is a relay to a table service that gives one reply.
func relayed(t *testing.T, reply string) *relay {
	t.Helper()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "SharedKey a:b" {
			t.Errorf("the header of %s did not pass: %v", r.URL, r.Header)
		}
		w.Header().Set("Etag", "e")
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, reply)
	}))
	t.Cleanup(service.Close)
	r, err := newRelay(strings.TrimPrefix(service.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	return r
}

// ask sends a request through the relay and returns what came of it.
func ask(t *testing.T, r *relay, method, path, body string) (status int, said string, err error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+r.address+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "SharedKey a:b")
	reply, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer reply.Body.Close() //nolint:errcheck // it was read
	data, err := io.ReadAll(reply.Body)
	return reply.StatusCode, string(data), err
}

// batch is the body of a batch, as the SDK writes it.
func batch(line, entity string) string {
	return "--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n" +
		"--changeset_1\r\nContent-Transfer-Encoding: binary\r\nContent-Type: application/http\r\n\r\n" +
		line + " HTTP/1.1\r\nAccept: application/json\r\n\r\n" + entity + "\r\n--changeset_1--\r\n--batch_1--\r\n"
}

func TestRelay(t *testing.T) {
	t.Run("it refuses one partition and forwards the others", relayRefuses)
	t.Run("it cuts one reply to a batch", relayCuts)
}

func relayRefuses(t *testing.T) {
	const row = "http://h/account/Blogs(PartitionKey='news',RowKey='blog!1')"
	for name, c := range map[string]struct {
		method, path, body string
		want               bool
	}{
		"a row":                   {"GET", "/account/Blogs(PartitionKey='news',RowKey='r')?$format=x", "", true},
		"a row in other letters":  {"GET", "/account/Blogs%28PartitionKey=%27news%27,RowKey=%27r%27%29", "", true},
		"a query":                 {"GET", "/account/Blogs()?%24filter=PartitionKey+eq+%27news%27+and+RowKey+ge+%27blog%21%27", "", true},
		"a batch that changes":    {"POST", "/account/$batch", batch("PATCH "+row, `{"PartitionKey":"news","RowKey":"r"}`), true},
		"a batch that inserts":    {"POST", "/account/$batch", batch("POST http://h/account/Blogs", `{"PartitionKey":"news","RowKey":"r"}`), true},
		"another partition":       {"GET", "/account/Blogs(PartitionKey='newspaper',RowKey='r')", "", false},
		"another table":           {"GET", "/account/Channels(PartitionKey='news',RowKey='')", "", false},
		"an insert elsewhere":     {"POST", "/account/$batch", batch("POST http://h/account/Users", `{"PartitionKey":"news","RowKey":""}`), false},
		"a scan":                  {"GET", "/account/Blogs()?%24filter=PartitionKey+ge+%27news%27", "", false},
		"what creates a table":    {"POST", "/account/Tables", `{"TableName":"Blogs"}`, false},
		"a batch without a batch": {"POST", "/account/$batch", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			r := relayed(t, confirmed)
			r.out.Store(&partition{"Blogs", "news"})
			status, _, err := ask(t, r, c.method, c.path, c.body)
			if refused := status == http.StatusServiceUnavailable; err != nil || refused != c.want {
				t.Errorf("%d, %v", status, err)
			}
			r.out.Store(nil)
			if status, said, err := ask(t, r, c.method, c.path, c.body); err != nil || status != http.StatusAccepted || said != confirmed {
				t.Errorf("after the outage: %d %q, %v", status, said, err)
			}
		})
	}
	every := httptest.NewRequest("GET", "/account/Channels(PartitionKey='news',RowKey='')", nil)
	if !(partition{"", "news"}).names(every, nil) {
		t.Error("an outage of all tables spares one")
	}
}

func relayCuts(t *testing.T) {
	for name, c := range map[string]struct {
		cut   scissors
		reply string
		want  string
		lost  bool
	}{
		"to nothing":                   {scissors{}, confirmed, "", false},
		"to a part that looks whole":   {scissors{kept: 0.5}, confirmed, confirmed[:len(confirmed)/2], false},
		"and breaks the connection":    {scissors{kept: 0.5, broken: true}, confirmed, "", true},
		"only if a batch failed":       {scissors{failed: true}, refused, "", false},
		"not if it waits for failures": {scissors{failed: true}, confirmed, confirmed, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := relayed(t, c.reply)
			c.cut.done = make(chan struct{})
			r.scissors.Store(&c.cut)
			_, said, err := ask(t, r, "POST", "/account/$batch", batch("DELETE http://h/account/Blogs(PartitionKey='n',RowKey='r')", ""))
			if (err != nil) != c.lost || !c.lost && said != c.want {
				t.Errorf("%q, %v", said, err)
			}
			if _, said, err := ask(t, r, "GET", "/account/Tables", ""); err != nil || said != c.reply {
				t.Errorf("what is no batch: %q, %v", said, err)
			}
		})
	}
	t.Run("or none in time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			if (&relay{}).shorten(scissors{}, time.Second) {
				t.Error("cut a reply that never came")
			}
		})
	})
}
