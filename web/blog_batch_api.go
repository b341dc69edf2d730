package web

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
)

// batchPath is the route of a batch of posts. Its colon belongs to the path.
const batchPath = `/channels/:name/blogs\:batch`

// A batchItem answers one entry of a batch: with a post if Status is 200 or 201, and with
// a problem otherwise.
type batchItem struct {
	Status  int       `json:"status"`
	Blog    *blogJSON `json:"blog,omitempty"`
	Problem *problem  `json:"problem,omitempty"`
}

// createAll makes several posts. Each entry is answered as if it had been sent alone, one
// after the other. What is wrong with the request as a whole is the answer to all of it.
func (a *blogsAPI) createAll(c echo.Context, v visitor) error {
	if !a.batches.take(v.User, 1) {
		return &tooManyWrites{retryAfter: time.Second}
	}
	defer a.batches.give(v.User, 1)
	entries, err := readEntries(c)
	if err != nil {
		return err
	}
	postings := make([]storage.Posting, len(entries))
	failed := make([]error, len(entries))
	for i, entry := range entries {
		if i > 0 { // the request has taken the token of the first
			failed[i] = a.sessions.takeWrite(c, v)
		}
		if failed[i] == nil {
			postings[i], failed[i] = parseEntry(entry, v)
		}
	}
	return withPathChannel(c, a.store, func(channel domain.Channel) error {
		answers := a.postAll(c.Request().Context(), channel.Ref(), postings, failed)
		if err := c.Request().Context().Err(); errors.Is(err, context.Canceled) {
			return err // nobody waits for the answer
		}
		return a.respondAll(c, channel, answers)
	})
}

// readEntries reads the entries of a batch, 1 to storage.MaxPostings.
func readEntries(c echo.Context) ([]json.RawMessage, error) {
	body, err := readBody(c)
	if err != nil {
		return nil, err
	}
	members, err := parseObject("The body", body)
	if err != nil {
		return nil, err
	}
	const field = "items"
	var entries []json.RawMessage
	if value, there := members[field]; there {
		entries, err = parseArray(field, value)
	} else {
		err = domain.Invalid(field, "is missing")
	}
	if n := len(entries); err == nil && (n < 1 || n > storage.MaxPostings) {
		err = domain.Invalid(field, "must hold 1 to %d posts, and holds %d", storage.MaxPostings, n)
	}
	delete(members, field)
	return entries, domain.JoinInvalid(err, unknownField(members))
}

// parseEntry parses one entry. An entry without a key gets a random one, as a post does.
func parseEntry(entry json.RawMessage, v visitor) (storage.Posting, error) {
	key, title, text := rand.Text(), "", ""
	err := parseFields("Each of the items", entry, optional("key", &key), optional("title", &title), required("text", &text))
	if err != nil {
		return storage.Posting{}, err
	}
	keyErr := checkIdempotencyKey("key", key)
	draft, draftErr := domain.NewDraft(title, text)
	return storage.Posting{By: v.User, Key: key, Draft: draft}, domain.JoinInvalid(keyErr, draftErr)
}

// postAll posts what has not failed, and returns what became of each posting.
func (a *blogsAPI) postAll(ctx context.Context, channel domain.ChannelRef, postings []storage.Posting, failed []error) []storage.PostResult {
	answers := make([]storage.PostResult, len(postings))
	var sound []storage.Posting
	var places []int
	for i, p := range postings {
		answers[i].Err = failed[i]
		if failed[i] == nil {
			sound, places = append(sound, p), append(places, i)
		}
	}
	for i, r := range a.store.PostAll(ctx, channel, sound) {
		answers[places[i]] = r
	}
	return answers
}

// respondAll sends the answers in the order of the entries. Retry-After is the longest of
// theirs.
func (a *blogsAPI) respondAll(c echo.Context, channel domain.Channel, answers []storage.PostResult) error {
	var document jsonParts
	var faults []error
	wait := 0
	document.raw(`{"items":[`)
	for i, r := range answers {
		if i > 0 {
			document.raw(",")
		}
		item := batchAnswer(c, channel, r)
		document.value(item)
		if item.Status >= http.StatusInternalServerError {
			faults = append(faults, r.Err)
		}
		if item.Problem != nil {
			wait = max(wait, item.Problem.Wait)
		}
	}
	document.raw("]}\n")
	if len(faults) > 0 {
		a.logFailure(c, "some posts of a batch failed: "+strconv.Itoa(len(faults)), faults[0])
	}
	if wait > 0 {
		c.Response().Header().Set(echo.HeaderRetryAfter, strconv.Itoa(wait))
	}
	return document.respond(c)
}

func batchAnswer(c echo.Context, channel domain.Channel, r storage.PostResult) batchItem {
	if r.Err != nil {
		p := problemOf(unlessAccepted(c, r.Err)).forPrograms(c.Request().Method)
		p.RequestID, p.Wait = c.Response().Header().Get(echo.HeaderXRequestID), p.seconds()
		return batchItem{Status: p.Status, Problem: &p}
	}
	blog := newBlogJSON(channel.Name, r.Blog)
	if r.Made {
		return batchItem{Status: http.StatusCreated, Blog: &blog}
	}
	return batchItem{Status: http.StatusOK, Blog: &blog}
}
