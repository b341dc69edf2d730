package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// serve starts both roles, of which the worker leases its messages for so long.
func serve(t *testing.T, s setup, lease string) *process {
	t.Helper()
	return s.start(t, "serve", "--listen", "127.0.0.1:0", "--lease", lease, "--sweep", lease, "--log-level", "warn")
}

// I1, I2, I5 and I6 across the end of a process. After a kill the next one has to
// wait for the lease to run out.
func TestADeletionThatWasKilledInMidSweepIsFinishedByTheNextProcess(t *testing.T) {
	t.Parallel()
	onEachBackend(t, func(t *testing.T, s setup) {
		testMidSweep(t, s, "2s", (*process).kill)
	})
}

// Asked to stop, a process hands its message back at once: with a lease of an
// hour, the next one would not see it otherwise.
func TestADeletionThatWasStoppedInMidSweepIsFinishedByTheNextProcess(t *testing.T) {
	t.Parallel()
	onEachBackend(t, func(t *testing.T, s setup) {
		testMidSweep(t, s, "1h", (*process).endCleanly)
	})
}

func testMidSweep(t *testing.T, s setup, lease string, end func(*process, *testing.T)) {
	first := serve(t, s, lease)
	signUp(t, first.url, "alice").createChannel(t, "bystander")
	signIn(t, first.url, "alice").post(t, "bystander", "still here")
	first.endCleanly(t)
	s.mustRun(t, "import", "--channel", "doomed", "--owner", "alice", writeFeed(t, 2000))

	second := serve(t, s, lease)
	alice := signIn(t, second.url, "alice")
	progress := alice.deleteChannel(t, "doomed")
	awaitFirstRows(t, alice, progress)
	end(second, t)
	rows := rowsLeft(t, s)
	if rows < 100 {
		t.Fatalf("only %d rows were left to sweep: the end came too late to prove anything", rows)
	}
	t.Logf("%d rows were left", rows)

	third := serve(t, s, lease)
	alice.url = third.url
	expectHidden(t, alice, "doomed")
	done := alice.awaitDeletion(t, progress)
	alice.do(t, "GET", channelPath("doomed"), nil, http.StatusNotFound, nil)
	if done.Attempts != 0 {
		t.Errorf("the end of a process counted as %d failed attempts", done.Attempts)
	}
	alice.createChannel(t, "doomed")
	alice.post(t, "doomed", "a new life")
	if n, m := alice.countBlogs(t, "doomed"), alice.countBlogs(t, "bystander"); n != 1 || m != 1 {
		t.Errorf("%d posts in the new channel and %d in the other, want 1 and 1", n, m)
	}
	third.endCleanly(t)
	s.mustRun(t, "check")
}

// I4: being deleted or deleted, but not there.
func expectHidden(t *testing.T, c client, channel string) {
	t.Helper()
	r, err := c.try(t, "GET", channelPath(channel), nil)
	if err != nil || (r.status != http.StatusGone && r.status != http.StatusNotFound) {
		t.Errorf("GET %s while it is being deleted: %d, %v", channel, r.status, err)
	}
}

// awaitFirstRows returns as soon as the deletion has removed something. It does
// not pause between two looks: the sweep is fast.
func awaitFirstRows(t *testing.T, c client, progress string) {
	t.Helper()
	for d := c.deletion(t, progress); d.RowsDeleted == 0; d = c.deletion(t, progress) {
		if d.State == "done" || d.State == "poisoned" {
			t.Fatalf("the deletion is %+v", d)
		}
	}
}

// rowsLeft counts all rows in the store, of which very few are not the swept
// channel's. What check makes of a sweep that was cut off is not asked here.
func rowsLeft(t *testing.T, s setup) int {
	t.Helper()
	r := s.run(t, "check", "--json")
	var report struct{ Rows int }
	if err := json.Unmarshal([]byte(r.stdout), &report); err != nil {
		t.Fatalf("check --json: %v\n%s%s", err, r.stdout, r.stderr)
	}
	return report.Rows
}

// writeFeed makes an RSS file with that many entries.
func writeFeed(t *testing.T, entries int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`<rss version="2.0"><channel><title>Many</title>`)
	for i := range entries {
		fmt.Fprintf(&b, "<item><guid>%d</guid><pubDate>Mon, 02 Jan 2023 %02d:%02d:%02d GMT</pubDate>"+
			"<description>Entry %d</description></item>", i, i/3600%24, i/60%60, i%60, i)
	}
	b.WriteString(`</channel></rss>`)
	name := filepath.Join(t.TempDir(), "many.rss")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestImportingAFileTwiceAddsNothing(t *testing.T) {
	t.Parallel()
	onEachBackend(t, func(t *testing.T, s setup) {
		file := writeFeed(t, 25)
		s.environment = append(s.environment, "MICROBLOGGING_OWNER_PASSWORD="+password)
		s.mustRun(t, "import", "--channel", "news", "--owner", "alice", "--create-owner", file)
		s.mustRun(t, "import", "--channel", "news", "--owner", "alice", file)
		web := s.start(t, "web", "--listen", "127.0.0.1:0")
		if n := (client{url: web.url}).countBlogs(t, "news"); n != 25 {
			t.Errorf("%d posts, want 25", n)
		}
		signIn(t, web.url, "alice")
	})
}

func TestAFileThatIsNotAFeedWritesNothing(t *testing.T) {
	t.Parallel()
	s := onBolt(t)
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte("<!DOCTYPE html><p>Hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := s.run(t, "import", "--channel", "news", "--owner", "alice", file)
	if r.code == 0 || !strings.Contains(r.stderr, file) || !strings.Contains(r.stderr, "not an RSS, Atom or JSON Feed") {
		t.Errorf("exit %d and %q", r.code, r.stderr)
	}
	web := s.start(t, "web", "--listen", "127.0.0.1:0")
	client{url: web.url}.do(t, "GET", channelPath("news"), nil, http.StatusNotFound, nil)
}
