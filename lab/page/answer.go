package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/maypok86/otter/v2"
	"golang.org/x/sync/singleflight"

	"microblogging/templates"
)

const (
	htmlType = "text/html; charset=UTF-8"
	jsonType = "application/json"
	// freshness is how long a cache may use an answer without asking. A new release
	// shows after it.
	freshness = "public, max-age=60"
	// maxReplays is how many schedules are replayed concurrently: a lecture hall must not slow down the site.
	// replayWait is how long a request waits for its turn, in the order of arrival. A state takes some 20 ms, so
	// a hall that clicks in one moment gets its pages, and the rest of the time of a request is left to make one.
	maxReplays = 2
	replayWait = 8 * time.Second
	// maxKept is how many bytes of answers are kept, about. A hall asks for the same states.
	maxKept = 8 << 20
	// busyRetry is the Retry-After of a request that got no turn.
	busyRetry = 2 * time.Second
)

// A turn is a semaphore: it limits how many requests work concurrently.
type turn chan struct{}

// inTurn works when the turn has come, unless that takes too long.
func inTurn[T any](ctx context.Context, t turn, work func() (T, error)) (result T, err error) {
	waiting, cancel := context.WithTimeoutCause(ctx, replayWait, refuseBusy())
	defer cancel()
	select {
	case t <- struct{}{}:
		defer func() { <-t }()
		return work()
	case <-waiting.Done():
		return result, context.Cause(waiting)
	}
}

func refuseBusy() error {
	return &templates.Refusal{Problem: templates.Problem{
		Status: http.StatusServiceUnavailable, Title: "The lab is busy", Detail: "Many people use it at this moment, or code of yours takes long.",
		RetryAfter: busyRetry, Links: []templates.Link{labLink()},
	}}
}

// inTime says that the lab is busy if the time of a request is over: the lab does not wait for the site's store.
func inTime(answer handler) handler {
	return func(w http.ResponseWriter, r *http.Request, page templates.Page) (templates.Response, error) {
		response, err := answer(w, r, page)
		if errors.Is(err, context.DeadlineExceeded) {
			err = refuseBusy()
		}
		return response, err
	}
}

// An answered request is what its answer said.
type answered struct {
	mediaType string
	body      []byte
}

// newKept returns a cache of answers by their addresses.
func newKept() *otter.Cache[string, answered] {
	return otter.Must(&otter.Options[string, answered]{
		MaximumWeight: maxKept,
		Weigher:       func(address string, a answered) uint32 { return uint32(len(address) + len(a.body)) },
	})
}

// errUnkept stops the cache from keeping what is no page.
var errUnkept = errors.New("this answer is not kept")

// kept makes an answer once for all who ask for it, also if they do so in one moment. An answer that is no page is made
// for each of them. One to a search says what there was time for, so it is not kept for those who ask later.
func (l *Lab) kept(answer handler) handler {
	return func(w http.ResponseWriter, r *http.Request, page templates.Page) (response templates.Response, err error) {
		made, failed := false, error(nil)
		address := strconv.FormatInt(l.changes.Load(), 10) + page.Origin + r.URL.RequestURI()
		load := func(context.Context, string) (answered, error) {
			made = true
			if response, failed = answer(w, r, page); failed != nil || response.Status != http.StatusOK {
				return answered{}, errUnkept
			}
			return answered{response.MediaType, response.Body}, nil
		}
		var found answered
		if query := r.URL.Query(); query.Has(askSearch) || query.Has(askReach) {
			found, err = together(&l.asked, address, func() (answered, error) { return load(r.Context(), address) })
		} else {
			found, err = l.pages.Get(r.Context(), address, otter.LoaderFunc[string, answered](load))
		}
		switch {
		case err == nil:
			return shared(w, found.mediaType, found.body), nil
		case made:
			return response, failed
		}
		return answer(w, r, page) // the request that was waited for got no page, or its client has gone
	}
}

// together works once for all who ask for the same in one moment.
func together[T any](asked *singleflight.Group, key string, work func() (T, error)) (T, error) {
	result, err, _ := asked.Do(key, func() (any, error) { return work() })
	return result.(T), err
}

// replayed is the page that work makes when its turn has come.
func (l *Lab) replayed(w http.ResponseWriter, r *http.Request, work func() (templ.Component, error)) (templates.Response, error) {
	return l.replayedAs(w, r, htmlType, work)
}

func (l *Lab) replayedAs(w http.ResponseWriter, r *http.Request, mediaType string, work func() (templ.Component, error)) (templates.Response, error) {
	content, err := inTurn(r.Context(), l.replays, work)
	if err != nil {
		return templates.Response{}, err
	}
	return rendered(w, r, mediaType, content)
}

func rendered(w http.ResponseWriter, r *http.Request, mediaType string, content templ.Component) (templates.Response, error) {
	var body bytes.Buffer
	if err := content.Render(r.Context(), &body); err != nil {
		return templates.Response{}, err
	}
	return shared(w, mediaType, body.Bytes()), nil
}

// encoded is a value in JSON.
func encoded(w http.ResponseWriter, value any) (templates.Response, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return shared(w, jsonType, body.Bytes()), err
}

// shared is an answer that does not depend on the reader. Package web puts the header of a signed-in user above a page, and
// changes the two headers accordingly.
func shared(w http.ResponseWriter, mediaType string, body []byte) templates.Response {
	w.Header().Set("Cache-Control", freshness)
	w.Header().Set("Vary", "Accept-Encoding")
	return templates.Response{Status: http.StatusOK, MediaType: mediaType, Body: body}
}
