package web_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage/drivertest"
	"microblogging/web"
)

func TestDeletionEvents(t *testing.T) {
	t.Run("every change of a deletion is sent", everyChangeOfADeletionIsSent)
	t.Run("a silent stream is kept alive and ends after five minutes", silentStreamIsKeptAliveAndEndsAfterFiveMinutes)
	t.Run("a stream tells what becomes of the deletion, the session and the store", streamTellsWhatBecomes)
	t.Run("a stream ends when its reader leaves", streamEndsWhenItsReaderLeaves)
	t.Run("a stream that cannot be written ends quietly", streamThatCannotBeWrittenEndsQuietly)
	t.Run("a stream does not answer HEAD", streamDoesNotAnswerHEAD)
	t.Run("a stream that cannot begin is refused after ten seconds", streamThatCannotBeginIsRefused)
	t.Run("the end of a stream reaches a reader who was silent", endOfAStreamReachesItsReader)
}

// An event is an event of a stream as a browser parses it.
type event struct{ name, data string }

// readEvent reads the next event and skips comments. It reports false at the end.
func readEvent(r *bufio.Reader) (event, bool) {
	var e event
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return event{}, false
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case field == "event":
			e.name = value
		case field == "data" || field == "data:":
			e.data += value + "\n"
		case field == "" && e.name != "":
			return e, true
		}
	}
}

// eventNames returns the names of all events of a stream that has ended.
func eventNames(stream string) string {
	var names []string
	for r := bufio.NewReader(strings.NewReader(stream)); ; {
		e, ok := readEvent(r)
		if !ok {
			return strings.Join(names, " ")
		}
		names = append(names, e.name)
	}
}

// A watch is a deletion, the session of its owner, and the path of its event stream.
type watch struct {
	*site
	ref   domain.ChannelRef
	token string
	path  string
}

func newWatch(t testing.TB, stopping <-chan struct{}) watch {
	s := newSiteWith(t, web.Options{Stopping: stopping})
	token := s.signUp("ada")
	channel := s.channel("Engines", "ada")
	s.requestDeletion(channel)
	return watch{s, channel.Ref(), token, "/channels/Engines/deletions/" + string(channel.Incarnation) + "/events"}
}

func everyChangeOfADeletionIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatch(t, nil)
		conn := w.dial()
		w.request(conn, w.path, "Cookie: session="+w.token)
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		ok(t, err)
		if got := response.Header.Get("Content-Type"); response.StatusCode != 200 || got != "text/event-stream" {
			t.Fatalf("status %d, Content-Type %q", response.StatusCode, got)
		}
		stream := bufio.NewReader(response.Body)
		next := func(name, want string) {
			t.Helper()
			e, ok := readEvent(stream)
			if !ok || e.name != name || !strings.Contains(e.data, want) {
				t.Fatalf("event %q (%t) without %q:\n%s", e.name, ok, want, e.data)
			}
		}
		next("progress", "waits to be deleted")
		w.advance(w.ref, domain.DeletionRunning, domain.StepShut, 0)
		next("progress", `value="1"`)
		w.advance(w.ref, domain.DeletionRunning, domain.StepSweep, 99)
		next("progress", ">99</dd>")
		w.trace(w.ref, domain.StepRecord{Step: domain.StepSweep, Worker: 1, Delivery: 1, Began: domain.Now()})
		next("progress", "What happened, and when")
		w.trace(w.ref, domain.StepRecord{Step: domain.StepSweep, Worker: 2, Delivery: 7, Began: domain.Now(), Rows: 99})
		next("progress", "2 (delivery 7)")
		w.advance(w.ref, domain.DeletionDone, domain.StepRelease, 198)
		next("progress", `data-state="is deleted"`)
		next("end", "")
		if e, ok := readEvent(stream); ok {
			t.Errorf("after the end comes %q", e.name)
		}
	})
}

// watched reads the stream, in fake time, until the server ends it.
func (w watch) watched(ctx context.Context) answer {
	return w.do("GET", w.path, cookie(w.token), func(r *http.Request) { *r = *r.WithContext(ctx) })
}

func silentStreamIsKeptAliveAndEndsAfterFiveMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatch(t, nil)
		start := time.Now()
		a := w.watched(t.Context()).want(200)
		if took := time.Since(start); took != 5*time.Minute {
			t.Errorf("it took %s", took)
		}
		stream := string(a.body)
		is(t, "events", eventNames(stream), "progress again")
		if n := strings.Count(stream, "\n:\n"); n < 15 || n > 20 {
			t.Errorf("%d comments in 5 minutes", n)
		}
		if !strings.HasPrefix(stream, "retry: 2000\n\n") {
			t.Errorf("stream begins with %.40q", stream)
		}
	})
}

func streamTellsWhatBecomes(t *testing.T) {
	for name, test := range map[string]struct {
		happens func(w watch)
		events  string
		lasts   time.Duration
	}{
		"the store does not answer for a while": {func(w watch) {
			w.breakStore(everyCall(drivertest.ErrInjected))
			time.Sleep(10 * time.Second)
			w.mendStore()
			w.advance(w.ref, domain.DeletionDone, domain.StepRelease, 7)
		}, "progress progress end", 13 * time.Second},
		"an operator requeues a poisoned deletion": {func(w watch) {
			w.advance(w.ref, domain.DeletionPoisoned, domain.StepSweep, 7)
			time.Sleep(time.Minute)
			w.advance(w.ref, domain.DeletionDone, domain.StepRelease, 8)
		}, "progress progress progress end", 63 * time.Second},
		// What happens while it is not known whose the session is, is not told.
		"the session ends": {func(w watch) {
			w.breakStore(drivertest.Only(func(c drivertest.Call) bool { return c.Target == "Sessions" }, everyCall(drivertest.ErrInjected)))
			w.advance(w.ref, domain.DeletionRunning, domain.StepShut, 0)
			time.Sleep(10 * time.Second)
			w.mendStore()
			ok(w, w.store.Accounts.EndSessions(w.Context(), "ada"))
		}, "progress again", 13 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWatch(t, nil)
			go func() {
				time.Sleep(1500 * time.Millisecond)
				test.happens(w)
			}()
			start := time.Now()
			got := eventNames(string(w.watched(t.Context()).want(200).body))
			if took := time.Since(start); got != test.events || took > test.lasts {
				t.Errorf("%s: events %q in %s, want %q", name, got, took, test.events)
			}
		})
	}
}

func streamEndsWhenItsReaderLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatch(t, nil)
		ctx, leave := context.WithTimeout(t.Context(), 90*time.Second)
		defer leave()
		start := time.Now()
		w.watched(ctx)
		if took := time.Since(start); took != 90*time.Second {
			t.Errorf("it took %s", took)
		}
		if strings.Contains(w.log.String(), "level=ERROR") {
			t.Errorf("a reader that leaves is logged as a failure:\n%s", w.log)
		}
	})
}

// A leaver is a connection whose reader has left, before the server notices.
type leaver struct{ *httptest.ResponseRecorder }

func (leaver) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func streamThatCannotBeWrittenEndsQuietly(t *testing.T) {
	w := newWatch(t, nil)
	r := httptest.NewRequestWithContext(t.Context(), "GET", w.path, nil)
	cookie(w.token)(r)
	w.handler.ServeHTTP(leaver{httptest.NewRecorder()}, r)
	if strings.Contains(w.log.String(), "level=ERROR") {
		t.Errorf("it is logged as a failure:\n%s", w.log)
	}
}

func streamDoesNotAnswerHEAD(t *testing.T) {
	w := newWatch(t, nil)
	w.do("HEAD", w.path, cookie(w.token)).want(405)
}

// Until its first event, a stream has the time of every other response.
func streamThatCannotBeginIsRefused(t *testing.T) {
	for _, table := range []string{"Sessions", "Users", "Deletions"} {
		synctest.Test(t, func(t *testing.T) {
			w := newWatch(t, nil)
			w.breakStore(drivertest.Only(func(c drivertest.Call) bool { return c.Target == table }, hanging))
			ctx, leave := context.WithTimeout(t.Context(), time.Hour)
			defer leave()
			start := time.Now()
			a := w.watched(ctx).want(503)
			if took := time.Since(start); took != 10*time.Second {
				t.Errorf("without an answer of %s, it took %s", table, took)
			}
			if a.header.Get("Retry-After") == "" || strings.HasPrefix(a.header.Get("Content-Type"), "text/event-stream") {
				t.Errorf("without an answer of %s: %v", table, a.header)
			}
			w.mendStore()
			w.advance(w.ref, domain.DeletionDone, domain.StepRelease, 7)
			is(t, "events", eventNames(string(w.watched(t.Context()).want(200).body)), "progress end")
		})
	}
}

// The last deadline has passed when a stream ends by its age. A browser that finds it
// cut short reports a failure.
func endOfAStreamReachesItsReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopping := make(chan struct{})
		w := newWatch(t, stopping)
		conn := w.dial()
		w.request(conn, w.path, "Cookie: session="+w.token)
		go func() {
			time.Sleep(13 * time.Second) // the first comment comes after 15
			close(stopping)
		}()
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		ok(t, err)
		stream, err := io.ReadAll(response.Body)
		if names := eventNames(string(stream)); err != nil || names != "progress" { // and no end: it goes on elsewhere
			t.Errorf("%v after %q", err, stream)
		}
	})
}
