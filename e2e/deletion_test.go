package e2e

import (
	"encoding/json"
	"net/http"
	"testing"

	"microblogging/e2e/client"
)

// serve starts one process with both roles.
func serve(t *testing.T, s setup, lease string) *process {
	t.Helper()
	return s.start(t, "serve", "--listen", "127.0.0.1:0", "--lease", lease, "--reconcile", lease, "--log-level", "warn")
}

// TestDeletion kills a process in the middle of a sweep, and the next one finishes the deletion: I1, I2,
// I5 and I6 across the end of a process. (TestDrain of worker stops one.)
func TestDeletion(t *testing.T) {
	t.Parallel()
	s, lease := onBolt(t), "2s"
	first := serve(t, s, lease)
	signUp(t, first.url, "alice").createChannel(t, "bystander")
	signIn(t, first.url, "alice").post(t, "bystander", "still here")
	first.endCleanly(t)
	quick := s // what is raced here is the server
	quick.Binary = unraced
	quick.mustRun(t, "import", "--channel", "doomed", "--owner", "alice", writeFeed(t, 6000))

	second := serve(t, s, lease)
	alice := signIn(t, second.url, "alice")
	progress := alice.deleteChannel(t, "doomed")
	awaitFirstRows(t, alice, progress)
	second.kill(t)
	rows := rowsLeft(t, quick)
	if rows < 100 {
		t.Fatalf("only %d rows were left to sweep: the end came too late to prove anything", rows)
	}
	t.Logf("%d rows were left", rows)

	third := serve(t, s, lease)
	alice.URL = third.url
	expectHidden(t, alice, "doomed")
	done := alice.awaitDeletion(t, progress)
	alice.do(t, "GET", client.ChannelPath("doomed"), nil, http.StatusNotFound, nil)
	if done.Attempts != 0 {
		t.Errorf("the end of a process counted as %d failed attempts", done.Attempts)
	}
	alice.createChannel(t, "doomed")
	alice.post(t, "doomed", "a new incarnation")
	if n, m := alice.countBlogs(t, "doomed"), alice.countBlogs(t, "bystander"); n != 1 || m != 1 {
		t.Errorf("%d posts in the new channel and %d in the other, want 1 and 1", n, m)
	}
	third.endCleanly(t)
	quick.mustRun(t, "check")
}

// I4: the channel is being deleted or is deleted, and no page shows it.
func expectHidden(t *testing.T, u user, channel string) {
	t.Helper()
	r, err := u.Send(t.Context(), "GET", client.ChannelPath(channel), nil, nil)
	if err != nil || (r.Status != http.StatusGone && r.Status != http.StatusNotFound) {
		t.Errorf("GET %s while it is being deleted: %d, %v", channel, r.Status, err)
	}
}

// awaitFirstRows returns as soon as the deletion has removed a row. It does not
// pause between requests: the sweep is fast.
func awaitFirstRows(t *testing.T, u user, progress string) {
	t.Helper()
	for d := u.deletion(t, progress); d.RowsDeleted == 0; d = u.deletion(t, progress) {
		if d.State == "done" || d.State == "poisoned" {
			t.Fatalf("the deletion is %+v", d)
		}
	}
}

// rowsLeft counts all rows in the store; very few belong to another channel. It
// ignores the exit code of check: a sweep that was cut off may break an invariant.
func rowsLeft(t *testing.T, s setup) int {
	t.Helper()
	r := s.run(t, "check", "--json")
	var report struct{ Rows int }
	if err := json.Unmarshal([]byte(r.Stdout), &report); err != nil {
		t.Fatalf("check --json: %v\n%s%s", err, r.Stdout, r.Stderr)
	}
	return report.Rows
}
