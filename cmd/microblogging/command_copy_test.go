package main

import (
	"path/filepath"
	"strings"
	"testing"

	"microblogging/storage"
)

func TestCopyCommand(t *testing.T) {
	t.Run("copies a store, and does nothing more when it is made again", copyCopies)
	t.Run("is refused with one sentence, and changes nothing", copyRefuses)
}

// stocked makes a store with a channel of some posts, and returns its directory.
func stocked(t *testing.T, posts int) string {
	t.Helper()
	s := openSite(t, filepath.Join(t.TempDir(), "data"))
	s.create("News", posts)
	s.close()
	return s.data
}

func posts(t *testing.T, data string) int {
	t.Helper()
	s := openSite(t, data)
	defer s.close()
	page, err := s.store.Posts.List(t.Context(), s.channel("news").Ref(), storage.BlogQuery{Limit: 100})
	s.ok(err)
	return len(page.Items)
}

func copyCopies(t *testing.T) {
	from, to := stocked(t, 50), filepath.Join(t.TempDir(), "to")
	for range 2 {
		code, stdout, stderr := program(t, "copy", "--from", "bolt:"+from, "--to", "bolt:"+to)
		if code != exitOK || !strings.Contains(stdout, "Blogs                152 rows in both") {
			t.Errorf("exit %d, %q, %q", code, stdout, stderr)
		}
		if n := posts(t, to); n != 50 {
			t.Errorf("%d posts in the target", n)
		}
	}
}

func copyRefuses(t *testing.T) {
	from, full, empty := stocked(t, 3), stocked(t, 2), t.TempDir()
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"a target that is not empty": {[]string{"--from", "bolt:" + from, "--to", "bolt:" + full}, "is not empty"},
		"no source":                  {[]string{"--from", "bolt:" + empty, "--to", "bolt:" + filepath.Join(empty, "to")}, "there is no store in"},
		"the same store":             {[]string{"--from", "bolt:" + from, "--to", "bolt:" + from}, "the store is in use"},
		"an unknown kind of store":   {[]string{"--from", "paper:x", "--to", "bolt:" + empty}, "--from: it must be"},
		"no directory":               {[]string{"--from", "bolt:" + from, "--to", "bolt:"}, "--to: it must be"},
		"no target":                  {[]string{"--from", "bolt:" + from}, "--to"},
		"no transaction":             {[]string{"--from", "bolt:" + from, "--to", "bolt:" + empty, "--flight", "0"}, "--flight"},
		"an account that is none":    {[]string{"--from", "bolt:" + from, "--to", "azure:nonsense"}, "--to"},
		"nothing that listens": {[]string{"--from", "bolt:" + from, "--to", "azure:DefaultEndpointsProtocol=http;AccountName=a;AccountKey=Zm9v;" +
			"TableEndpoint=http://127.0.0.1:1/a;QueueEndpoint=http://127.0.0.1:1/a;", "--retries", "0"}, "storage unavailable"},
	} {
		code, stdout, stderr := program(t, append([]string{"copy"}, c.args...)...)
		if code != exitCannotRun || stdout != "" || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: exit %d, %q, %q", name, code, stdout, stderr)
		}
	}
	if n := posts(t, full); n != 2 {
		t.Errorf("%d posts in the target that is in use", n)
	}
}
