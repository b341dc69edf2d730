package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"microblogging/e2e/client"
	"microblogging/e2e/program"
)

// I1, I2, I5 and I6 while somebody steps through a deletion: a worker is killed, its
// message is delivered again and once more, and a worker that waited all the time is fenced
// out of the channel that took the name.
func TestLesson(t *testing.T) {
	t.Parallel()
	onEachBackend(t, stepThrough)
}

func stepThrough(t *testing.T, s setup) {
	const posts = 50
	p := s.start(t, "serve", "--teach", "--listen", "127.0.0.1:0", "--lease", "2s", "--reconcile", "1s", "--log-level", "error")
	alice := signUp(t, p.url, "alice")
	alice.createChannel(t, "lesson")
	for i := range posts {
		alice.post(t, "lesson", fmt.Sprintf("post %d", i))
	}
	channel := alice.do(t, "GET", client.ChannelPath("lesson"), nil, http.StatusOK, nil)
	incarnation := client.Incarnation(channel.Header.Get("ETag"))
	page := "/channels/lesson/deletions/" + incarnation
	alice.submit(t, "/channels/lesson/delete", url.Values{"incarnation": {incarnation}, "pause": {"1"}})

	alice.press(t, page, "next", 1, "mark", "shut", "sweep")
	alice.press(t, page, "kill", 1, "disarm")
	alice.awaitPage(t, page, `Worker 2, delivery 2`)
	alice.submit(t, page, url.Values{"action": {"again"}})
	alice.awaitPage(t, page, `Worker 3, delivery 1`)
	alice.press(t, page, "next", 2, "mark", "shut")
	alice.press(t, page, "next", 3, "mark", "shut", "sweep", "disarm", "release")
	done := alice.awaitDeletion(t, "/api/v1"+page)
	if want := 3*posts + 1; done.RowsDeleted != want {
		t.Errorf("%d rows were counted, want %d", done.RowsDeleted, want)
	}

	alice.createChannel(t, "lesson")
	alice.post(t, "lesson", "a new incarnation")
	alice.press(t, page, "next", 2, "sweep", "release")
	alice.awaitPage(t, page, `It was fenced out`)
	if n := alice.countBlogs(t, "lesson"); n != 1 {
		t.Errorf("%d posts in the new channel, want 1", n)
	}
	p.endCleanly(t)
	s.mustRun(t, "check")
}

// submit sends a form, which is answered with a redirect.
func (u user) submit(t *testing.T, path string, form url.Values) {
	t.Helper()
	r, body := u.browse(t, "POST", path, form)
	if r.StatusCode != http.StatusSeeOther {
		t.Fatalf("POST %s with %v: %d\n%s", path, form, r.StatusCode, body)
	}
}

// press presses a button of a worker before each of the steps, once the worker waits there.
func (u user) press(t *testing.T, page, action string, worker int, steps ...string) {
	t.Helper()
	for _, step := range steps {
		u.awaitPage(t, page, fmt.Sprintf(`name="worker" value="%d">\s*<input type="hidden" name="step" value="%s"`, worker, step))
		u.submit(t, page, url.Values{"action": {action}, "worker": {fmt.Sprint(worker)}, "step": {step}})
	}
}

// awaitPage waits until a page shows what the pattern matches.
func (u user) awaitPage(t *testing.T, path, pattern string) {
	t.Helper()
	eventually(t, func() error {
		_, body := u.browse(t, "GET", path, nil)
		if !regexp.MustCompile(pattern).MatchString(body) {
			_, shown, _ := strings.Cut(body, `id="progress"`)
			return fmt.Errorf("%s does not show %s:\n%s", path, pattern, shown)
		}
		return nil
	})
}

// browse sends a request as a browser does, and follows no redirect.
func (u user) browse(t *testing.T, method, path string, form url.Values) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, u.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+u.Token)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	browser := http.Client{Timeout: program.Patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := browser.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}
