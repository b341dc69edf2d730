package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"microblogging/cmd/microblogging/feed"
	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/drivertest"
)

func TestImport(t *testing.T) {
	t.Run("that cannot be done says why and writes nothing", drivertest.Long(importRefused))
	t.Run("for an owner without an account is refused and writes nothing", importWithoutOwner)
	t.Run("adds each entry of a feed once", importOnce)
	t.Run("as a dry run reports what it would do, and writes nothing", importDryRun)
	t.Run("posts to a channel whose name could not be made now", importIntoEarlierName)
	t.Run("makes no channel whose name looks like another", importIntoLookAlike)
	t.Run("of several files reports each, and ends with the sum", importSeveral)
	t.Run("makes the account of the owner, and keeps one that exists", importCreatesOwner)
	t.Run("keeps the key of an entry", importerKeyStays)
	t.Run("of a feed that moved to https adds nothing that is there", importAfterAMove)
	t.Run("adds nothing that an earlier program imported", importKnowsEarlierKeys)
	t.Run("counts the names of authors and the categories that a post does not have", importCountsNames)
	t.Run("takes back what was exported: the same posts, dates and texts", drivertest.Long(importTakesBackAnExport))
}

const testPassword = "correct horse"

// imported imports files into a channel of ada, whose account is made of the input.
func imported(t *testing.T, data, input string, files ...string) (code int, out, errs string) {
	t.Helper()
	return programWithInput(t, input, append([]string{"import", "--data", data, "--create-owner", "--channel", "news", "--owner", "Ada"}, files...)...)
}

func importRefused(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		name = filepath.Join(dir, name)
		ok(t, os.WriteFile(name, []byte(content), 0o600))
		return name
	}
	page, good, large := file("page.html", "<!DOCTYPE html><p>Hello"), writeFeed(t, "a", "<title>a</title>", 2), file("large.rss", "")
	ok(t, os.Truncate(large, maxImportFile+1))
	whole, err := os.ReadFile(good)
	ok(t, err)
	for name, c := range map[string]struct {
		input string
		files []string
		code  int
		says  string
	}{
		"no password":                    {"", []string{good}, exitCannotRun, "there is no password"},
		"an empty password":              {"\n", []string{good}, exitCannotRun, "password"},
		"a password that is too short":   {"short\n", []string{good}, exitCannotRun, "password"},
		"a password that is too long":    {strings.Repeat("x", 1<<20), []string{good}, exitCannotRun, "password"},
		"no feed after another":          {testPassword, []string{good, page}, exitFound, page},
		"a feed that breaks off":         {testPassword, []string{file("broken", string(whole[:len(whole)-1]))}, exitFound, "broken"},
		"a file over the limit":          {testPassword, []string{large}, exitCannotRun, large + " is larger than 64 MiB"},
		"a file that is not there":       {testPassword, []string{good, filepath.Join(dir, "slip")}, exitCannotRun, "slip"},
		"a channel that belongs to none": {testPassword, []string{good, "--channel", "a b"}, exitCannotRun, "--channel"},
		"a new channel in two scripts":   {testPassword, []string{good, "--channel", "nеws"}, exitCannotRun, "--channel: mixes scripts: “n” is Latin, “е” is Cyrillic"},
		"a dry run for such a channel":   {"", []string{good, "--channel", "nеws", "--dry-run"}, exitCannotRun, "--channel: mixes scripts"},
	} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			code, out, errs := imported(t, data, c.input, c.files...)
			if code != c.code || out != "" || !strings.Contains(errs, c.says) || strings.Contains(errs, testPassword) {
				t.Errorf("exits with %d, prints %q and says %q, want %d and %q", code, out, errs, c.code, c.says)
			}
			expectUnwritten(t, data)
		})
	}
}

func importWithoutOwner(t *testing.T) {
	data := emptyStore(t)
	refused(t, exitCannotRun, "there is no account ada; sign up first, or use --create-owner",
		"import", "--data", data, "--channel", "news", "--owner", "ada", writeFeed(t, "a", "", 2))
	expectUnwritten(t, data)
}

// importOnce also finds that feeds are told apart by what they say: the entries of all have the same ids.
func importOnce(t *testing.T) {
	data := t.TempDir()
	a, b := writeFeed(t, "a", "<title>a</title>", 100), writeFeed(t, "b", "<title>b</title>", 100)
	for i, c := range []struct {
		file string
		adds int
	}{
		{a, 100}, {b, 100}, {a, 0}, {a, 0}, {b, 0},
		{writeFeed(t, "c", "", 100), 100}, {writeFeed(t, "d", "", 100), 100}, {writeFeed(t, "c", "", 100), 0},
	} {
		code, out, errs := imported(t, data, testPassword, c.file)
		if i == 0 {
			out = strings.TrimPrefix(out, "account ada created\nchannel news created\n")
		}
		if want := fmt.Sprintf("%d posts added, %d already there, 0 left out\n", c.adds, 100-c.adds); code != exitOK || out != want {
			t.Errorf("exits with %d, prints %q and says %q, want %q", code, out, errs, want)
		}
	}
}

// mixedFeed has entries of all kinds.
const mixedFeed = `<rss xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>M</title><link>https://m.example</link>
<item><guid>1</guid><description>&lt;p&gt;one &lt;a href="javascript:x"&gt;two&lt;/a&gt;&lt;img src="data:,"&gt;&lt;/p&gt;</description></item>
<item><guid>2</guid><title>draft</title><wp:post_type>post</wp:post_type><wp:status>draft</wp:status></item>
<item><guid>3</guid><title>menu</title><wp:post_type>nav_menu_item</wp:post_type></item>
<item><guid>4</guid><title>same</title></item><item><guid>4</guid><title>same</title></item><item><guid>4</guid><title>other</title></item>
<item><guid>5</guid></item><item><guid>7</guid><title>odd</title><pubDate>someday</pubDate></item><item><guid>6</guid><title>early</title><pubDate>Thu, 01 Jan 2099 00:00:00 GMT</pubDate></item>
</channel></rss>`

func importDryRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mixed")
	ok(t, os.WriteFile(file, []byte(mixedFeed), 0o600))
	want := "account ada created\nchannel news created\n" +
		file + ": posts dated now because their dates cannot be read: 1\n" +
		file + ": posts dated now because their dates are in the future: 1\n" +
		file + ": pictures, sounds, videos and other files left out because they do not fit or have no web address: 1\n" +
		file + ": links left out because they do not fit or have no web address: 1\n" +
		"5 posts added, 0 already there, 4 left out: 1 not published, 1 not posts, 1 repeated in the file, 1 empty\n"
	data := filepath.Join(t.TempDir(), "none")
	args := []string{"import", "--data", data, "--channel", "news", "--owner", "ada", "--dry-run", file}
	refused(t, exitCannotRun, "there is no store", args...)
	const dryRun = "dry run: nothing is written; the import would report:\n"
	dry := func(want string) {
		t.Helper()
		if code, out, errs := program(t, append(args, "--create-owner")...); code != exitOK || out != dryRun+want {
			t.Errorf("exits with %d, prints %q and says %q, want %q", code, out, errs, want)
		}
	}
	dry(want)
	if _, err := os.Stat(data); !os.IsNotExist(err) {
		t.Errorf("the store is there: %v", err)
	}
	args[2] = emptyStore(t)
	dry(want)
	expectUnwritten(t, args[2])
	args[2] = data
	if code, out, errs := imported(t, data, testPassword, file); code != exitOK || out != want {
		t.Errorf("the import exits with %d, prints %q and says %q, want %q", code, out, errs, want)
	}
	dry("0 posts added, 5 already there, 4 left out: 1 not published, 1 not posts, 1 repeated in the file, 1 empty\n")
}

// An earlier program has made the channel, whose name has a Cyrillic letter.
func importIntoEarlierName(t *testing.T) {
	data := emptyStore(t)
	inStore(t, data, func(store *storage.Parts) {
		_, err := store.Operator.SignUp(t.Context(), "ada", testPassword)
		ok(t, err)
		channel, err := domain.NewChannel("news", domain.About{}, "ada")
		ok(t, err)
		channel.Name = "nеws"
		_, _, err = store.Channels.Create(t.Context(), channel, domain.PostersOpen, "", 0)
		ok(t, err)
	})
	for _, more := range [][]string{{"--dry-run"}, nil} {
		args := append([]string{"import", "--data", data, "--channel", "nеws", "--owner", "ada", writeFeed(t, "a", "", 2)}, more...)
		if code, out, errs := program(t, args...); code != exitOK || !strings.HasSuffix(out, "2 posts added, 0 already there, 0 left out\n") {
			t.Errorf("%q exits with %d, prints %q and says %q", more, code, out, errs)
		}
	}
}

func importIntoLookAlike(t *testing.T) {
	data, file := t.TempDir(), writeFeed(t, "a", "", 2)
	if code, _, errs := imported(t, data, testPassword, file, "--channel", "coco"); code != exitOK {
		t.Fatalf("exits with %d and says %q", code, errs)
	}
	refused(t, exitCannotRun, "--channel: looks like “coco”, which another channel has", "import", "--data", data, "--channel", "сосо", "--owner", "ada", file)
}

func importSeveral(t *testing.T) {
	a, b := writeFeed(t, "a", "", 1), writeFeed(t, "b", "", 2)
	want := "account ada created\nchannel news created\n" + a + ": 1 post added, 0 already there, 0 left out\n" + b + ": 2 posts added, 0 already there, 0 left out\n" +
		"3 posts added, 0 already there, 0 left out\n"
	if code, out, errs := imported(t, t.TempDir(), testPassword, a, b); code != exitOK || out != want {
		t.Errorf("exits with %d, prints %q and says %q, want %q", code, out, errs, want)
	}
}

func importCreatesOwner(t *testing.T) {
	data := t.TempDir()
	for _, input := range []string{testPassword + "\r\nmore\n", "another password\n"} {
		code, out, errs := imported(t, data, input, writeFeed(t, "a", "", 2))
		if code != exitOK || strings.Contains(out+errs, testPassword) {
			t.Fatalf("exits with %d, prints %q and says %q", code, out, errs)
		}
		expectPassword(t, data, "ada", testPassword)
	}
	t.Setenv("MICROBLOGGING_OWNER_PASSWORD", testPassword)
	data = t.TempDir()
	if code, _, errs := imported(t, data, "another password\n", writeFeed(t, "a", "", 2)); code != exitOK {
		t.Fatalf("exits with %d and says %q", code, errs)
	}
	expectPassword(t, data, "ada", testPassword)
}

// feed/testdata/posts has the ids of entries.
func importerKeyStays(t *testing.T) {
	p := newImportWorld(t).importer().newPost(feed.Entry{}, feed.Key{Source: "id:urn:a", ID: "id:1"})
	if p.By != "ada" || p.Source != "feed id:urn:a" || p.Key != "id:1" {
		t.Errorf("got %+v", p)
	}
}

// movedFeed has an entry of each kind of key, of a site.
const movedFeed = `<rss version="2.0"><channel><title>Moved</title><link>SITE/</link>
<item><title>a</title><guid>SITE/?p=1</guid></item><item><title>b</title><guid>2</guid></item>
<item><title>c</title><link>SITE/3</link></item><item><title>d</title></item><item><title>e</title><guid>tag:blog.example,2020:5</guid></item>
</channel></rss>`

// moved writes movedFeed of a site.
func moved(t *testing.T, site string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "moved")
	ok(t, os.WriteFile(file, []byte(strings.ReplaceAll(movedFeed, "SITE", site)), 0o600))
	return file
}

func importAfterAMove(t *testing.T) {
	data := t.TempDir()
	for i, site := range []string{"http://www.blog.example", "https://blog.example", "https://www.blog.example"} {
		code, out, errs := imported(t, data, testPassword, moved(t, site))
		want := "0 posts added, 5 already there, 0 left out\n"
		if i == 0 {
			want = "account ada created\nchannel news created\n5 posts added, 0 already there, 0 left out\n"
		}
		if code != exitOK || out != want {
			t.Errorf("of %s exits with %d, prints %q and says %q, want %q", site, code, out, errs, want)
		}
	}
}

// The keys are those of commit 0064adec. It imported the feed before its site moved.
func importKnowsEarlierKeys(t *testing.T) {
	for _, site := range []string{"http://blog.example", "https://blog.example"} {
		w := newImportWorld(t)
		for _, id := range []string{"id:http://blog.example/?p=1", "id:2", "link:http://blog.example/3", "hash:9077a8fff2f3a09fa325cc7849bceaf7f65613f9d1220129bc84b9bababd7fef", "id:tag:blog.example,2020:5"} {
			post, _, err := w.store.Posts.Create(t.Context(), storage.NewPost{Channel: w.channel, By: "ada",
				Source: "feed id:http://blog.example/", Key: id, Draft: domain.Draft{Text: "an earlier text"}})
			ok(t, err)
			if id == "id:2" {
				ok(t, w.store.Posts.Delete(t.Context(), w.channel, post.ID, domain.By("ada"), domain.Any[domain.Revision]()))
			}
		}
		file, err := readImportFile(moved(t, site))
		ok(t, err)
		to := w.importer()
		if err := to.post(t.Context(), file.Entries); err != nil || to.counts != (importCounts{known: 5}) {
			t.Errorf("of %s: %+v, %v", site, to.counts, err)
		}
	}
}

func importCountsNames(t *testing.T) {
	file := filepath.Join(t.TempDir(), "named")
	for document, want := range map[string]string{
		`<rss xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:i="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><item><title>a</title><author>x</author>
			<dc:creator>Ada</dc:creator><i:author>Ada</i:author><category>b</category><category>c</category><category>b</category><category/><dc:subject>d</dc:subject></item></channel></rss>`: "2, 3",
		`<feed xmlns="http://www.w3.org/2005/Atom"><author><name>not of the entry</name></author><entry><title>a</title><author><name>Ada</name></author>
			<category term="b"/><category scheme="http://schemas.google.com/g/2005#kind" term="http://schemas.google.com/blogger/2008/kind#post"/></entry></feed>`: "1, 1",
		`{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","content_text":"a","authors":[{"name":"Ada"},null,{"name":"Bob"}],"author":{"name":"Ada"},"tags":["b","c",""]}]}`: "2, 2",
	} {
		ok(t, os.WriteFile(file, []byte(document), 0o600))
		authors, categories, _ := strings.Cut(want, ", ")
		code, out, errs := imported(t, t.TempDir(), testPassword, file)
		want := "account ada created\nchannel news created\n" + file + ": names of authors left out: " + authors + "\n" + file + ": categories left out: " + categories + "\n" +
			"1 post added, 0 already there, 0 left out\n"
		if code != exitOK || out != want {
			t.Errorf("%s: exits with %d, prints %q and says %q, want %q", document, code, out, errs, want)
		}
	}
}

// inStore opens the store of a program that has ended.
func inStore(t *testing.T, data string, use func(*storage.Parts)) {
	t.Helper()
	s := openSite(t, data)
	use(s.store)
	s.close()
}

// emptyStore returns the directory of a store without a site.
func emptyStore(t *testing.T) (data string) {
	t.Helper()
	data = t.TempDir()
	openSite(t, data).close()
	return data
}

// expectUnwritten fails the test if the store holds another row than its version.
func expectUnwritten(t *testing.T, data string) {
	t.Helper()
	inStore(t, data, func(store *storage.Parts) {
		if _, err := store.Operator.SignUp(t.Context(), "ada", testPassword); err != nil {
			t.Errorf("ada cannot sign up: %v", err)
		}
		counts, err := store.Operator.NewChecker(0, false, func(b domain.Violation) { t.Errorf("%+v", b) }).Run(t.Context())
		if err != nil || counts.Channels != 0 || counts.Rows != 2 {
			t.Errorf("the store has %+v, %v, want only the row of ada and the version", counts, err)
		}
	})
}

// expectPassword fails the test unless the password is that of the account.
func expectPassword(t *testing.T, data, name, password string) {
	t.Helper()
	inStore(t, data, func(store *storage.Parts) {
		if _, _, err := store.Accounts.SignIn(t.Context(), storage.Attempt{Name: name, Password: password, Address: "here"}); err != nil {
			t.Errorf("%s cannot sign in: %v", name, err)
		}
	})
}

// writeFeed makes an RSS file with that many entries. The entries of all files have
// the same ids.
func writeFeed(t *testing.T, name, head string, entries int) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `<rss version="2.0"><channel>%s`, head)
	for i := range entries {
		fmt.Fprintf(&b, "<item><guid>%d</guid><pubDate>Mon, 02 Jan 2023 00:%02d:%02d GMT</pubDate>"+
			"<description>Entry %d of %s</description></item>", i, i/60%60, i%60, i, name)
	}
	b.WriteString(`</channel></rss>`)
	file := filepath.Join(t.TempDir(), name)
	ok(t, os.WriteFile(file, []byte(b.String()), 0o600))
	return file
}

// An importWorld is a store with a channel.
type importWorld struct {
	*testing.T
	store   *storage.Parts
	channel domain.Channel
	// calls counts those of the store, and hook may meddle with them.
	calls *atomic.Int64
	hook  atomic.Pointer[drivertest.Hook]
}

func newImportWorld(t *testing.T) *importWorld {
	t.Helper()
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	ok(t, err)
	t.Cleanup(func() { ok(t, db.Close()) })
	w := &importWorld{T: t, calls: &atomic.Int64{}}
	faults := drivertest.NewFaults(drivertest.Far(db), func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		w.calls.Add(1)
		if hook := w.hook.Load(); hook != nil {
			return (*hook)(ctx, call, send)
		}
		return send(ctx)
	})
	w.store = storage.New(faults, storage.Options{})
	ok(t, w.store.Operator.Prepare(t.Context()))
	channel, err := domain.NewChannel("news", domain.About{}, "ada")
	if err == nil {
		channel, _, err = w.store.Channels.Create(t.Context(), channel, domain.PostersOpen, "", 0)
	}
	ok(t, err)
	w.channel = channel
	w.calls.Store(0)
	return w
}

// importer returns an importer of one feed.
func (w *importWorld) importer() *importer {
	return newImporter(w.store, w.channel, "ada")
}
