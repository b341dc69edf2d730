package web

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
)

// A batchItem answers one entry of a batch: with a post if Status is 200 or 201, and with
// a problem otherwise.
type batchItem struct {
	Status  int       `json:"status"`
	Blog    *blogJSON `json:"blog,omitempty"`
	Problem *problem  `json:"problem,omitempty"`
}

// createBlogs makes several posts. Each entry is answered as if it had been sent alone, one
// after the other. What is wrong with the request as a whole is the answer to all of it.
func (s *server) createBlogs(c echo.Context, v visitor, in domain.Channel) error {
	if !s.batches.take(v.User, 1) {
		addQuota(c.Response().Header(), "batches", 1, time.Second, 0, time.Second)
		return refuseFor(time.Second, http.StatusTooManyRequests, "A batch is still running", "You can send one batch at a time. Nothing was saved.")
	}
	defer s.batches.give(v.User, 1)
	entries, err := readEntries(c)
	if err != nil {
		return err
	}
	answers := make([]storage.PostResult, len(entries))
	var sound []storage.NewPost
	var places []int
	for i, entry := range entries {
		var post storage.NewPost
		if i > 0 { // the request has taken the token of the first
			answers[i].Err = s.takeWrite(c, v)
		}
		if answers[i].Err == nil {
			post, answers[i].Err = parseEntry(entry, v)
		}
		if answers[i].Err == nil {
			answers[i].Err = s.takePost(c, v, postBytes(post.Draft))
		}
		if answers[i].Err == nil {
			sound, places = append(sound, post), append(places, i)
		}
	}
	ctx := c.Request().Context()
	for i, made := range s.store.Posts.CreateAll(ctx, in, sound) {
		answers[places[i]] = made
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err() // the client does not wait for the response
	}
	return s.respondAll(c, in, answers)
}

// maxBatch is how many entries a batch holds at most. If they are all of posts, they take two
// transactions.
const maxBatch = 33

// readEntries reads the entries of a batch. It stops after the first one too many: an entry of one
// byte takes many bytes once it is decoded.
func readEntries(c echo.Context) (entries []json.RawMessage, err error) {
	const name = "items"
	err = readFields(c, field{name, true, func(value json.RawMessage) error {
		decoder := json.NewDecoder(bytes.NewReader(value))
		if start, err := decoder.Token(); err != nil || start != json.Delim('[') {
			return domain.Invalid(name, "must be an array")
		}
		for decoder.More() && len(entries) <= maxBatch {
			var entry json.RawMessage
			if err := decoder.Decode(&entry); err != nil {
				return err
			}
			entries = append(entries, entry)
		}
		if n := len(entries); n < 1 || n > maxBatch {
			return domain.Invalid(name, "must hold 1 to %d posts", maxBatch)
		}
		return nil
	}})
	return entries, err
}

// parseEntry parses one entry. An entry without a key gets a random one, as a post does.
func parseEntry(entry json.RawMessage, v visitor) (storage.NewPost, error) {
	key := rand.Text()
	var draft domain.Draft
	err := parseFields("Each of the items", entry, append(jsonFields(draft.Fields()), optional("key", &key))...)
	if err != nil {
		return storage.NewPost{}, err
	}
	draft, draftErr := domain.ParseDraft(draft)
	return storage.NewPost{By: v.User, Key: key, Draft: draft}, domain.JoinInvalid(checkIdempotencyKey("key", key), draftErr)
}

// respondAll sends the answers in the order of the entries. Retry-After is the longest of
// theirs.
func (s *server) respondAll(c echo.Context, in domain.Channel, answers []storage.PostResult) error {
	at, err := address(c, nil)
	if err != nil {
		return err
	}
	items := make([]batchItem, len(answers))
	var faults []error
	wait := 0
	for i, r := range answers {
		if r.Err == nil {
			blog := newBlogJSON(in.Name, r.Blog, nil)
			items[i] = batchItem{Status: madeStatus(r.Made), Blog: &blog}
			continue
		}
		p := problemOf(goneIfAccepted(at, r.Err)).forClients(c.Request().Method)
		p.RequestID, p.Wait = c.Response().Header().Get(echo.HeaderXRequestID), p.seconds()
		items[i], wait = batchItem{Status: p.Status, Problem: &p}, max(wait, p.Wait)
		if p.Status >= http.StatusInternalServerError {
			faults = append(faults, r.Err)
		}
	}
	if len(faults) > 0 {
		s.logFailure(c, slog.LevelError, "some posts of a batch failed: "+strconv.Itoa(len(faults)), faults[0])
	}
	if wait > 0 {
		c.Response().Header().Set(echo.HeaderRetryAfter, strconv.Itoa(wait))
	}
	return respond(c, nil, http.StatusOK, map[string][]batchItem{"items": items})
}
