package e2e

import (
	"encoding/json"
	"net/http"
	"testing"

	"microblogging/e2e/client"
	"microblogging/storage/azuritetest"
)

func TestOutage(t *testing.T) {
	t.Parallel()
	t.Run("roles outlive an Azurite that is gone", outageIsOutlived)
}

func outageIsOutlived(t *testing.T) {
	t.Parallel()
	azurite := azuritetest.StartAt(t, t.TempDir())
	s := onAzurite(azurite.Account())
	web := s.start(t, "web", "--listen", "127.0.0.1:0")
	worker := s.start(t, "worker", "--lease", "2s", "--reconcile", "1s")
	reader(web.url).awaitStatus(t, "/readyz", http.StatusOK)
	alice := signUp(t, web.url, "alice")
	alice.createChannel(t, "doomed")
	alice.post(t, "doomed", "hello")

	azurite.Stop(t)
	expectUnavailable(t, alice, "GET", client.ChannelsPath, nil)
	expectUnavailable(t, alice, "POST", client.BlogsPath("doomed"), map[string]string{"text": "lost"})
	alice.do(t, "GET", "/channels", nil, http.StatusServiceUnavailable, nil)
	alice.do(t, "GET", "/healthz", nil, http.StatusOK, nil)
	if r, err := alice.Send(t.Context(), "GET", "/readyz", nil, nil); err != nil || r.Status == http.StatusOK {
		t.Errorf("/readyz: %d, %v", r.Status, err)
	}
	if r := s.run(t, "check"); r.Code != 2 || r.Stderr == "" {
		t.Errorf("check: exit %d and %q", r.Code, r.Stderr)
	}

	azurite.Restart(t)
	alice.awaitStatus(t, "/readyz", http.StatusOK)
	if n := alice.countBlogs(t, "doomed"); n != 1 {
		t.Errorf("%d posts, want 1", n)
	}
	alice.awaitDeletion(t, alice.deleteChannel(t, "doomed"))
	web.endCleanly(t)
	worker.endCleanly(t)
	s.mustRun(t, "check")
}

// expectUnavailable expects a problem document that says when to try again.
func expectUnavailable(t *testing.T, u user, method, path string, body any) {
	t.Helper()
	r := u.do(t, method, path, body, http.StatusServiceUnavailable, nil)
	if r.Header.Get("Retry-After") == "" || r.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("%s %s: header %v", method, path, r.Header)
	}
	var problem struct {
		Status int
		Title  string
	}
	if err := json.Unmarshal(r.Body, &problem); err != nil || problem.Status != r.Status || problem.Title == "" {
		t.Errorf("%s %s: %v\n%s", method, path, err, r.Body)
	}
}
