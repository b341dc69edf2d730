package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"microblogging/e2e/client"
	"microblogging/e2e/program"
	"microblogging/storage/azuritetest"
)

// imported is an embedded store with a channel of that many posts.
func imported(t testing.TB, entries int) (dir string, s setup) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "from")
	s = setup{program.Setup{Binary: unraced, Environment: []string{"MICROBLOGGING_OWNER_PASSWORD=" + client.Password}}}
	r, err := program.Run(s.Command(t.Context(), "import", "--data", dir, "--channel", "news", "--owner", "alice", "--create-owner", writeFeed(t, entries)))
	if err != nil || r.Code != 0 {
		t.Fatalf("importing: exit %d %v\n%s", r.Code, err, r.Stderr)
	}
	return dir, s
}

// mustCheckAlike expects a check to find nothing in either of two stores, and as much in both. That
// their rows are equal is what a copy itself looks at, last.
func mustCheckAlike(t testing.TB, s setup, flag, one, flag2, other string) {
	t.Helper()
	if got, want := s.mustRun(t, "check", flag, one), s.mustRun(t, "check", flag2, other); got.Stdout != want.Stdout {
		t.Errorf("%s: %q, and %s: %q", one, got.Stdout, other, want.Stdout)
	}
}

// BenchmarkCopy copies 300,000 rows from the embedded store to Azurite and from there to
// another embedded store. It takes some minutes:
//
//	go test -run '^$' -bench Copy -benchtime 1x ./e2e
func BenchmarkCopy(b *testing.B) {
	const entries = 100_000 // each post has three rows
	azurite := azuritetest.Start(b).Account()
	for b.Loop() {
		from, s := imported(b, entries)
		back := filepath.Join(b.TempDir(), "back")
		s.Environment = append(s.Environment, "AZURE_STORAGE_CONNECTION_STRING="+azurite)
		for _, pair := range [][2]string{{"bolt:" + from, "azure"}, {"azure", "bolt:" + back}} {
			began := time.Now()
			r, err := program.Run(s.Command(b.Context(), "copy", "--from", pair[0], "--to", pair[1]))
			if err != nil || r.Code != 0 {
				b.Fatalf("%v: exit %d %v\n%s%s", pair, r.Code, err, r.Stdout, r.Stderr)
			}
			to, _, _ := strings.Cut(pair[1], ":")
			b.ReportMetric(time.Since(began).Seconds(), "s-to-"+to)
			b.Log(r.Stdout)
		}
		mustCheckAlike(b, s, "--data", from, "--storage", "azure")
		mustCheckAlike(b, s, "--data", from, "--data", back)
	}
}

// writeFeed writes an RSS file with that many entries, and returns its name.
func writeFeed(t testing.TB, entries int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`<rss version="2.0"><channel><title>Many</title>`)
	for i := range entries {
		fmt.Fprintf(&b, "<item><guid>%d</guid><pubDate>Mon, 02 Jan 2023 %02d:%02d:%02d GMT</pubDate>"+
			"<description>Entry %d</description></item>", i, i/3600%24, i/60%60, i%60, i)
	}
	b.WriteString(`</channel></rss>`)
	name := filepath.Join(t.TempDir(), "many.rss")
	ok(t, os.WriteFile(name, []byte(b.String()), 0o600))
	return name
}
