package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"microblogging/e2e/client"
	"microblogging/e2e/program"
	"microblogging/storage/azuritetest"
)

func TestCopy(t *testing.T) {
	t.Parallel()
	t.Run("goes on after kill -9 at any moment", copySurvivesKills)
}

// imported is an embedded store with a channel of that many posts.
func imported(t testing.TB, entries int) (dir string, s setup) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "from")
	s = setup{program.Setup{Binary: binary, Environment: []string{"MICROBLOGGING_OWNER_PASSWORD=" + client.Password}}}
	r, err := program.Run(s.Command(t.Context(), "import", "--data", dir, "--channel", "news", "--owner", "alice", "--create-owner", writeFeed(t, entries)))
	if err != nil || r.Code != 0 {
		t.Fatalf("importing: exit %d %v\n%s", r.Code, err, r.Stderr)
	}
	return dir, s
}

func copySurvivesKills(t *testing.T) {
	t.Parallel()
	from, s := imported(t, 1000)
	to := filepath.Join(t.TempDir(), "to")
	args := []string{"copy", "--from", "bolt:" + from, "--to", "bolt:" + to, "--flight", "2"}
	killed := 0
	for delay := time.Millisecond; killed < 6; delay += 20 * time.Millisecond {
		cmd := s.Command(context.WithoutCancel(t.Context()), args[0], args[1:]...)
		cmd.Dir = t.TempDir()
		p := launch(t, cmd)
		if _, err := p.Await(t.Context(), p.stderr, `(copying)`); err == nil {
			select {
			case <-p.Ended():
			case <-time.After(delay):
				p.kill(t)
			}
		}
		<-p.Ended()
		if p.State().Success() {
			break
		}
		killed++
	}
	if killed == 0 {
		t.Error("it was never killed in the middle")
	}
	s.mustRun(t, args...)
	s.mustRun(t, "check", "--data", to)
	mustAnswerAlike(t, answers(t, s.web(t, "--data", from)), answers(t, s.web(t, "--data", to)))
}

// web starts a web role over a store, and returns its URL.
func (s setup) web(t testing.TB, args ...string) string {
	t.Helper()
	return s.start(t, append([]string{"web", "--listen", "127.0.0.1:0", "--no-lab"}, args...)...).url
}

// answers are what the API answers about every channel and every post, without ETags.
func answers(t testing.TB, base string) map[string]string {
	t.Helper()
	found := map[string]string{}
	get := func(path string) (next string, items []map[string]any) {
		reply, err := client.Client{URL: base, HTTP: http.DefaultClient}.Send(t.Context(), http.MethodGet, path, nil, nil)
		if err != nil || reply.Status != http.StatusOK {
			t.Fatalf("GET %s: %v %v", path, reply.Status, err)
		}
		found[path] = string(reply.Body)
		var page struct {
			Next  string
			Items []map[string]any
		}
		if err := json.Unmarshal(reply.Body, &page); err != nil {
			t.Fatal(err)
		}
		return page.Next, page.Items
	}
	all := func(path string, each func(item map[string]any)) {
		for next := ""; ; {
			var items []map[string]any
			if next, items = get(path + "?limit=100&after=" + url.QueryEscape(next)); next == "" {
				for _, item := range items {
					each(item)
				}
				return
			}
			for _, item := range items {
				each(item)
			}
		}
	}
	all(client.ChannelsPath, func(channel map[string]any) {
		name := fmt.Sprint(channel["name"])
		get(client.ChannelPath(name))
		n := 0
		all(client.BlogsPath(name), func(blog map[string]any) {
			if n++; n%500 == 1 {
				get(client.BlogsPath(name) + "/" + fmt.Sprint(blog["id"]))
			}
		})
	})
	return found
}

func mustAnswerAlike(t testing.TB, want, got map[string]string) {
	t.Helper()
	if len(want) < 3 || len(want) != len(got) {
		t.Errorf("%d and %d answers", len(want), len(got))
	}
	for path, body := range want {
		if got[path] != body {
			t.Errorf("%s: %.200s, and from the copy: %.200s", path, body, got[path])
			return
		}
	}
}

// BenchmarkCopy copies 300,000 rows from the embedded store to Azurite and from there to
// another embedded store, and compares all answers. It takes some minutes:
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
		want := answers(b, s.web(b, "--data", from))
		mustAnswerAlike(b, want, answers(b, s.web(b, "--storage", "azure")))
		mustAnswerAlike(b, want, answers(b, s.web(b, "--data", back)))
		b.Logf("%d answers are alike", len(want))
	}
}
