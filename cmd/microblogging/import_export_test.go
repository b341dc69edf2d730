package main

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/web"
)

// An exported post is what import must give back.
type exported struct {
	title, text string
	on          time.Time
}

// exportedPosts have what a conversion would change: Markdown, HTML, blanks and characters.
func exportedPosts() []exported {
	begin := domain.Now().Add(-48 * time.Hour)
	posts := []exported{
		{"", "One", begin},
		{"A *title* & more", "# Not a heading of the page\n\n* a\n* b\n\n    code  with  blanks\n\n> quoted", begin.Add(domain.Tick)},
		{"", "<b>HTML</b> &amp; \u00a0 entities, a \"quote\", https://example.org/?a=1&b=2", begin.Add(time.Minute)},
		{"日本語", "Ein Ü, ein 🙂,\ttab\n\n\n\nand lines", begin.Add(time.Hour)},
	}
	for i := range 240 {
		posts = append(posts, exported{"", "Post of many", begin.Add(2*time.Hour + time.Duration(i)*time.Second)})
	}
	return posts
}

// importTakesBackAnExport exports a channel, and a user's posts in the channel of another, over HTTP, and
// imports both files into an empty store.
func importTakesBackAnExport(t *testing.T) {
	store := openSite(t, t.TempDir()).store
	for _, name := range []string{"ada", "bob"} {
		_, _, err := store.Accounts.Create(t.Context(), storage.SignUpRequest{Attempt: storage.Attempt{Name: name, Password: testPassword}})
		ok(t, err)
	}
	posts := exportedPosts()
	for name, owner := range map[string]domain.UserName{"Mine": "ada", "Others": "bob"} {
		channel, err := domain.NewChannel(name, domain.About{}, owner)
		ok(t, err)
		channel, _, err = store.Channels.Create(t.Context(), channel, "", 0)
		ok(t, err)
		ok(t, store.Operator.ListChannel(t.Context(), channel))
		for i, post := range posts {
			_, _, err := store.Posts.Create(t.Context(), storage.NewPost{Channel: channel, By: "ada", Key: string(rune('a' + i)),
				Draft: domain.Draft{Title: post.title, Text: post.text}, CreatedOn: post.on})
			ok(t, err)
		}
	}
	token, _, err := store.Accounts.SignIn(t.Context(), storage.Attempt{Name: "ada", Password: testPassword})
	ok(t, err)
	site, err := web.New(store.Store, web.Options{})
	ok(t, err)
	request := httptest.NewRequest("GET", "/api/v1/account/export", nil)
	request.Header.Set("Authorization", "Bearer "+token)
	answer := httptest.NewRecorder()
	site.ServeHTTP(answer, request)
	archive, err := zip.NewReader(bytes.NewReader(answer.Body.Bytes()), int64(answer.Body.Len()))
	ok(t, err)
	for _, name := range []string{"channels/Mine.json", "posts/Others.json"} {
		t.Run(name, func(t *testing.T) {
			file, err := archive.Open(name)
			ok(t, err)
			text, err := io.ReadAll(file)
			ok(t, err)
			path, data := filepath.Join(t.TempDir(), "feed.json"), t.TempDir()
			ok(t, os.WriteFile(path, text, 0o600))
			if code, out, errs := imported(t, data, testPassword, path); code != 0 {
				t.Fatalf("%d\n%s%s", code, out, errs)
			}
			mustHavePosts(t, data, posts)
		})
	}
}

// mustHavePosts compares the posts of the channel news in a store, which is opened for it.
func mustHavePosts(t *testing.T, data string, want []exported) {
	t.Helper()
	s := openSite(t, data)
	defer s.close()
	var got []exported
	for _, post := range postsOf(t, s.store, s.channel("news").Ref()) {
		got = append(got, exported{post.Title, post.Text, post.CreatedOn})
	}
	if len(got) != len(want) {
		t.Fatalf("%d posts, want %d", len(got), len(want))
	}
	for i, post := range got {
		if post.title != want[i].title || post.text != want[i].text || !post.on.Equal(want[i].on) {
			t.Errorf("post %d is %+q, %+q of %s, want %+q, %+q of %s", i, post.title, post.text, post.on, want[i].title, want[i].text, want[i].on)
		}
	}
}
