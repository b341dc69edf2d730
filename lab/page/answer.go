package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"microblogging/coding"
	"microblogging/templates"
)

const (
	htmlType = "text/html; charset=UTF-8"
	jsonType = "application/json"
	// freshness is how long a cache may use an answer without asking. A new release
	// shows after it.
	freshness = "public, max-age=60"
	// maxReplays is how many schedules are replayed at once, and replayWait how long a request
	// waits for its turn. A lecture hall must not slow down the site.
	maxReplays = 2
	replayWait = time.Second
	// busyRetry is the Retry-After of a request that got no turn.
	busyRetry = 2 * time.Second
)

// A turn is taken by whoever works, so that only so many work at once.
type turn chan struct{}

// take waits for the turn. It must be given back.
func (t turn) take(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, replayWait, &templates.Refusal{Problem: templates.Problem{
		Status: http.StatusServiceUnavailable, Title: "The lab is busy", Detail: "Many people use it at this moment.",
		RetryAfter: busyRetry, Links: []templates.Link{labLink()},
	}})
	defer cancel()
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t turn) giveBack() { <-t }

// replayed sends the page that work makes when its turn has come.
func (l *Lab) replayed(w http.ResponseWriter, r *http.Request, work func() (templ.Component, error)) error {
	content, err := inTurn(r.Context(), l.replays, work)
	if err != nil {
		return err
	}
	var body bytes.Buffer
	if err := content.Render(r.Context(), &body); err != nil {
		return err
	}
	return l.send(w, r, htmlType, body.Bytes())
}

func inTurn[T any](ctx context.Context, t turn, work func() (T, error)) (result T, err error) {
	if err := t.take(ctx); err != nil {
		return result, err
	}
	defer t.giveBack()
	return work()
}

// encoded sends a value in JSON.
func (l *Lab) encoded(w http.ResponseWriter, r *http.Request, value any) error {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	return l.send(w, r, jsonType, body.Bytes())
}

// send sends an answer, which is the same for everyone, or 304 if the client has it. Its tag
// changes with its content and with the program. It is weak, so that it is the same in each coding.
func (l *Lab) send(w http.ResponseWriter, r *http.Request, mediaType string, body []byte) error {
	hash := sha256.New()
	hash.Write([]byte(l.version + "\n"))
	hash.Write(body)
	etag := `W/"` + base64.RawURLEncoding.EncodeToString(hash.Sum(nil)[:12]) + `"`
	h := w.Header()
	h.Set("Cache-Control", freshness)
	h.Set("ETag", etag)
	h.Set("Vary", "Accept-Encoding")
	if known(r.Header.Values("If-None-Match"), etag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	if coding.AcceptsGzip(r.Header) {
		if gzipped := coding.Gzip(body); gzipped != nil {
			h.Set("Content-Encoding", "gzip")
			body = gzipped
		}
	}
	h.Set("Content-Type", mediaType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	_, err := w.Write(body)
	return err
}

// known reports whether If-None-Match names the tag. Our tags have no commas.
func known(values []string, etag string) bool {
	for tag := range strings.SplitSeq(strings.Join(values, ","), ",") {
		if tag = strings.TrimSpace(tag); tag == "*" || strings.TrimPrefix(tag, "W/") == strings.TrimPrefix(etag, "W/") {
			return true
		}
	}
	return false
}
