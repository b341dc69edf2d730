package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/schema"
	"microblogging/web"
)

// An exported post is what import must give back.
type exported struct {
	domain.Draft
	on time.Time
}

// exportedPosts have what a conversion would change: Markdown, HTML, blanks and characters.
func exportedPosts() []exported {
	begin := domain.Now().Add(-48 * time.Hour)
	posts := []exported{
		{domain.Draft{Text: "One"}, begin},
		{domain.Draft{Title: "A *title* & more", Text: "# Not a heading of the page\n\n* a\n* b\n\n    code  with  blanks\n\n> quoted"}, begin.Add(domain.Tick)},
		{domain.Draft{Text: "<b>HTML</b> &amp; \u00a0 entities, a \"quote\", https://example.org/?a=1&b=2"}, begin.Add(time.Minute)},
		{domain.Draft{Title: "日本語", Text: "Ein Ü, ein 🙂,\ttab\n\n\n\nand lines"}, begin.Add(time.Hour)},
	}
	for i := range 240 {
		posts = append(posts, exported{domain.Draft{Text: "Post of many"}, begin.Add(2*time.Hour + time.Duration(i)*time.Second)})
	}
	return posts
}

// TestFields exports and imports a post with a text in each field of domain.Draft, and one that is called as each
// property that is stored.
func TestFields(t *testing.T) {
	begin := domain.Now().Add(-time.Hour)
	var all domain.Draft
	for _, field := range all.Fields() {
		*field.Text = cmp.Or(acceptable[field.Name], "planted"+field.Name)
	}
	if _, err := domain.ParseDraft(all); err != nil {
		t.Fatalf("%v: give the field a text in acceptable, below", err)
	}
	posts := []exported{{all, begin}}
	for _, kind := range schema.Kinds() {
		for _, property := range kind.Properties {
			posts = append(posts, exported{domain.Draft{Title: property.Name, Text: property.Name}, begin.Add(time.Duration(len(posts)) * time.Second)})
		}
	}
	importsAnExport(t, posts)
}

// acceptable has a text for each field that accepts only some texts.
var acceptable = map[string]string{}

func importTakesBackAnExport(t *testing.T) { importsAnExport(t, exportedPosts()) }

// importsAnExport exports a channel, and a user's posts in the channel of another, over HTTP, and
// imports both files into an empty store.
func importsAnExport(t *testing.T, posts []exported) {
	t.Helper()
	store := openSite(t, t.TempDir()).store
	for _, name := range []string{"ada", "bob"} {
		_, _, err := store.Accounts.Create(t.Context(), storage.SignUpRequest{Attempt: storage.Attempt{Name: name, Password: testPassword}})
		ok(t, err)
	}
	for name, owner := range map[string]domain.UserName{"Mine": "ada", "Others": "bob"} {
		channel, err := domain.NewChannel(name, domain.About{}, owner)
		ok(t, err)
		channel, _, err = store.Channels.Create(t.Context(), channel, domain.PostersOpen, "", 0)
		ok(t, err)
		ok(t, store.Operator.ListChannel(t.Context(), channel))
		for i, post := range posts {
			made, _, err := store.Posts.Create(t.Context(), storage.NewPost{Channel: channel, By: "ada", Key: string(rune('a' + i)), Draft: post.Draft, CreatedOn: post.on})
			ok(t, err)
			if i == 0 {
				_, _, err = store.Posts.Reply(t.Context(), storage.NewReply{Channel: channel, Post: made.ID, By: "bob", Key: "reply", Text: post.Text})
				ok(t, err)
			}
		}
	}
	token, _, err := store.Accounts.SignIn(t.Context(), storage.Attempt{Name: "ada", Password: testPassword})
	ok(t, err)
	site, err := web.New(store.Store, web.Options{Hosts: []string{"example.com"}})
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
			code, out, errs := imported(t, data, testPassword, path)
			if code != 0 {
				t.Fatalf("%d\n%s%s", code, out, errs)
			}
			if left := strings.Contains(out, "1 left out: 1 replies"); left != strings.HasPrefix(name, "channels/") {
				t.Errorf("the report says %t that a reply is left out:\n%s", left, out)
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
		got = append(got, exported{post.Draft, post.CreatedOn})
	}
	if len(got) != len(want) {
		t.Fatalf("%d posts, want %d", len(got), len(want))
	}
	for i, post := range got {
		for n, field := range post.Fields() {
			if expected := want[i].Fields()[n]; *field.Text != *expected.Text {
				t.Errorf("post %d has the %s %+q, want %+q: cmd/microblogging/feed reads it from what feedItemOf of web/syndication.go writes",
					i, field.Name, *field.Text, *expected.Text)
			}
		}
		if !post.on.Equal(want[i].on) {
			t.Errorf("post %d is of %s, want %s", i, post.on, want[i].on)
		}
	}
}
