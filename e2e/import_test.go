package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"microblogging/e2e/client"
)

// Importing a file twice adds nothing.
func TestImport(t *testing.T) {
	t.Parallel()
	onEachBackend(t, func(t *testing.T, s setup) {
		file := writeFeed(t, 25)
		s.Environment = append(s.Environment, "MICROBLOGGING_OWNER_PASSWORD="+client.Password)
		s.mustRun(t, "import", "--channel", "news", "--owner", "alice", "--create-owner", file)
		s.mustRun(t, "import", "--channel", "news", "--owner", "alice", file)
		web := s.start(t, "web", "--listen", "127.0.0.1:0")
		if n := reader(web.url).countBlogs(t, "news"); n != 25 {
			t.Errorf("%d posts, want 25", n)
		}
		signIn(t, web.url, "alice")
	})
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
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
