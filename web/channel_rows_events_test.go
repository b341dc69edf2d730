package web_test

import (
	"bufio"
	"context"
	"maps"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/html"

	"microblogging/domain"
)

func TestChannelRowsEvents(t *testing.T) {
	t.Run("every change of the rows is sent, and marked", everyChangeOfTheRowsIsSent)
	t.Run("rows that come into sight are not new", rowsThatComeIntoSightAreNotNew)
	t.Run("a stream ends when the rows are another's", rowsStreamEndsWhenTheyAreAnothers)
}

// A rowsWatch is somebody who watches the rows of the channel Engines, in a bubble.
type rowsWatch struct {
	*site
	stream *httptest.ResponseRecorder
	read   int
}

// watchRows opens the stream. Its reader leaves when the test is over.
func (s *site) watchRows(token string) *rowsWatch {
	s.Helper()
	ctx, leave := context.WithCancel(s.Context())
	s.Cleanup(func() { leave(); synctest.Wait() })
	r := httptest.NewRequestWithContext(ctx, "GET", "/channels/Engines/rows/events", nil)
	cookie(token)(r)
	w := &rowsWatch{site: s, stream: httptest.NewRecorder()}
	go s.handler.ServeHTTP(w.stream, r)
	synctest.Wait()
	return w
}

// event is what the stream has sent since the last look. Of several events it is the last.
func (w *rowsWatch) event() (last event) {
	w.Helper()
	synctest.Wait()
	stream := bufio.NewReader(strings.NewReader(w.stream.Body.String()[w.read:]))
	w.read = w.stream.Body.Len()
	for {
		e, ok := readEvent(stream)
		if !ok {
			return last
		}
		last = e
	}
}

// next waits for the next event, and returns the rows in it that are marked, by their
// keys.
func (w *rowsWatch) next(name string, says ...string) map[string]string {
	w.Helper()
	time.Sleep(time.Second)
	e := w.event()
	if e.name != name {
		w.Fatalf("event %q, want %q:\n%s", e.name, name, e.data)
	}
	doc, err := html.Parse(strings.NewReader(e.data))
	ok(w, err)
	for _, want := range says {
		if !strings.Contains(seen(doc), want) {
			w.Fatalf("an event does not say %q but\n%s", want, seen(doc))
		}
	}
	marked := map[string]string{}
	for _, n := range all(doc, func(n *html.Node) bool { return attr(n, "data-key") != "" && attr(n, "class") != "" }) {
		if n.Data == "tr" || n.Data == "li" {
			marked[attr(n, "data-key")] = attr(n, "class")
		}
	}
	return marked
}

func (w *rowsWatch) wantMarks(got map[string]string, want map[string]string) {
	w.Helper()
	for key, mark := range want {
		if got[key] != mark {
			w.Errorf("%s is marked as %q, want %q: %v", key, got[key], mark, got)
		}
	}
}

// watching runs a test in which ada watches the rows of her channel Engines. The first
// event has been read.
func watching(t *testing.T, test func(t *testing.T, w *rowsWatch, channel domain.Channel)) {
	synctest.Test(t, func(t *testing.T) {
		s, token, channel := engines(t, "ada")
		w := s.watchRows(token)
		if e := w.event(); e.name != "rows" || !strings.Contains(e.data, "its open gate stands") || strings.Contains(e.data, "store-mark") {
			t.Fatalf("the first event is %+v", e)
		}
		test(t, w, channel)
	})
}

func everyChangeOfTheRowsIsSent(t *testing.T) {
	watching(t, func(t *testing.T, w *rowsWatch, channel domain.Channel) {
		i := string(channel.Incarnation)
		blog := w.post(channel, "bob", "one")
		w.wantMarks(w.next("rows", "one"), map[string]string{
			"row blog!" + string(blog.ID): "inserted", "row gate!open!" + i: "changed", "gate gate!open!" + i: "changed", "channel ": "",
		})
		w.next("") // nothing has changed
		w.askDeletion(channel)
		w.wantMarks(w.next("rows", "~ changed", "active deleting"), map[string]string{
			"channel ": "changed", "deletion " + i: "inserted", "row blog!" + string(blog.ID): "",
		})
		if _, err := w.store.ShutGate(t.Context(), channel.Ref()); err != nil {
			t.Fatal(err)
		}
		w.wantMarks(w.next("rows", "+ inserted", "− deleted"), map[string]string{
			"gate gate!open!" + i: "deleted", "gate gate!shut!" + i: "inserted", "row gate!open!" + i: "deleted", "row gate!shut!" + i: "inserted",
			"row blog!" + string(blog.ID): "", "channel ": "",
		})
		w.cascade(channel.Ref())
		w.wantMarks(w.next("rows", "The deletion"), map[string]string{
			"row blog!" + string(blog.ID): "deleted", "gate gate!shut!" + i: "deleted", "channel ": "deleted",
		})
		w.advance(channel.Ref(), domain.DeletionDone, domain.StepRelease, 5)
		w.next("end")
		if body := w.stream.Body.String(); !strings.Contains(body, "The channel is gone.") {
			t.Error("the last event does not say that the channel is gone")
		}
	})
}

func rowsThatComeIntoSightAreNotNew(t *testing.T) {
	watching(t, func(t *testing.T, w *rowsWatch, channel domain.Channel) {
		var newest domain.Blog
		for range 60 {
			time.Sleep(time.Millisecond) // so that the newest is first
			newest = w.post(channel, "ada", "one")
		}
		w.next("rows")
		ok(t, w.store.DeleteBlog(t.Context(), channel, newest.ID, "ada", domain.Any[domain.Revision]()))
		wantBlogs := func(want map[string]string) {
			t.Helper()
			got := w.next("rows")
			maps.DeleteFunc(got, func(key, _ string) bool { return !strings.HasPrefix(key, "row ") })
			if !maps.Equal(got, want) {
				t.Errorf("marked are %v, want %v", got, want)
			}
		}
		wantBlogs(map[string]string{"row blog!" + string(newest.ID): "deleted"})
		newest = w.post(channel, "ada", "two")
		wantBlogs(map[string]string{"row blog!" + string(newest.ID): "inserted"})
	})
}

func rowsStreamEndsWhenTheyAreAnothers(t *testing.T) {
	watching(t, func(t *testing.T, w *rowsWatch, channel domain.Channel) {
		w.askDeletion(channel)
		w.cascade(channel.Ref())
		w.advance(channel.Ref(), domain.DeletionDone, domain.StepRelease, 5)
		next := w.channel("Engines", "bob")
		w.next("end")
		body := w.stream.Body.String()
		if strings.Contains(body, string(next.Incarnation)) || !strings.Contains(body, "belongs to another one now") {
			t.Errorf("ada is sent\n%s", body)
		}
	})
}
