package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
)

func TestImport(t *testing.T) {
	t.Run("an owner without an account is refused and nothing is written", ownerWithoutAccount)
	t.Run("puts the channel on the page of its owner", importListsTheChannel)
}

func TestImportCreateOwner(t *testing.T) {
	t.Run("makes the account with the first line of standard input", ownerFromInput)
	t.Run("makes the account with the password of the environment", ownerFromEnvironment)
	t.Run("a password that is no password is refused and nothing is written", ownerWithBadPassword)
	t.Run("a password that is missing is missed before a file is read", ownerBeforeFiles)
	t.Run("an account that exists keeps its password", ownerThatExists)
	t.Run("a file that is not a feed makes no account", ownerOfNoFeed)
}

const testPassword = "correct horse"

func importListsTheChannel(t *testing.T) {
	data := t.TempDir()
	inStore(t, data, func(store *storage.Store) {
		for _, name := range []string{"ada", "bob"} {
			if _, err := store.SignUp(t.Context(), name, testPassword); err != nil {
				t.Fatal(err)
			}
		}
		// As an earlier version imported it.
		old, err := domain.NewChannel("old", "", "ada")
		if err == nil {
			_, err = store.CreateChannel(t.Context(), old)
		}
		if err != nil {
			t.Fatal(err)
		}
		mustOwn(t, store, "ada")
	})
	for _, args := range [][]string{{"fresh", "ada"}, {"old", "ada"}, {"old", "bob"}} {
		if code, _, errs := program(t, "import", "--data", data, "--channel", args[0], "--owner", args[1], writeFeed(t, "a", 1)); code != exitOK {
			t.Fatalf("%q: exits with %d and says %q", args, code, errs)
		}
	}
	inStore(t, data, func(store *storage.Store) {
		mustOwn(t, store, "ada", "fresh", "old")
		mustOwn(t, store, "bob")
	})
}

func ownerWithoutAccount(t *testing.T) {
	data := t.TempDir()
	code, out, errs := program(t, "import", "--data", data, "--channel", "news", "--owner", "mallory", writeFeed(t, "a", 2))
	if code != exitCannotRun || out != "" || !strings.Contains(errs, "mallory") || !strings.Contains(errs, "--create-owner") {
		t.Errorf("exits with %d, prints %q and says %q, want 2 and --create-owner", code, out, errs)
	}
	expectUnwritten(t, data)
}

func ownerFromInput(t *testing.T) {
	data := t.TempDir()
	code, out, errs := programWithInput(t, testPassword+"\r\nmore\n", "import", "--data", data, "--create-owner",
		"--channel", "news", "--owner", "ada", writeFeed(t, "a", 2))
	if code != exitOK || !strings.Contains(out, "2 posts added") || strings.Contains(out+errs, testPassword) {
		t.Fatalf("exits with %d, prints %q and says %q", code, out, errs)
	}
	expectPassword(t, data, "ada", testPassword)
}

func ownerFromEnvironment(t *testing.T) {
	t.Setenv("MICROBLOGGING_OWNER_PASSWORD", testPassword)
	data := t.TempDir()
	code, _, errs := programWithInput(t, "another password\n", "import", "--data", data, "--create-owner",
		"--channel", "news", "--owner", "ada", writeFeed(t, "a", 2))
	if code != exitOK {
		t.Fatalf("exits with %d and says %q", code, errs)
	}
	expectPassword(t, data, "ada", testPassword)
}

func ownerWithBadPassword(t *testing.T) {
	for name, input := range map[string]string{
		"none":      "",
		"empty":     "\n",
		"too short": "short\n",
		"too long":  strings.Repeat("x", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			code, out, errs := programWithInput(t, input, "import", "--data", data, "--create-owner",
				"--channel", "news", "--owner", "ada", writeFeed(t, "a", 2))
			if code != exitCannotRun || out != "" || !strings.Contains(errs, "password") {
				t.Errorf("exits with %d, prints %q and says %q, want 2 and the password", code, out, errs)
			}
			expectUnwritten(t, data)
		})
	}
}

func ownerBeforeFiles(t *testing.T) {
	unread := filepath.Join(t.TempDir(), "unread.rss")
	if err := os.WriteFile(unread, []byte("no feed"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, flags := range map[string][]string{"password": {"--create-owner"}, "there is no account ada": nil} {
		args := append([]string{"import", "--data", t.TempDir(), "--channel", "news", "--owner", "ada", unread}, flags...)
		if code, _, errs := program(t, args...); code != exitCannotRun || !strings.Contains(errs, want) || strings.Contains(errs, unread) {
			t.Errorf("exits with %d and says %q, want 2 and %q", code, errs, want)
		}
	}
}

func ownerThatExists(t *testing.T) {
	data := t.TempDir()
	inStore(t, data, func(store *storage.Store) {
		if _, err := store.SignUp(t.Context(), "ada", testPassword); err != nil {
			t.Fatal(err)
		}
	})
	code, _, errs := programWithInput(t, "another password\n", "import", "--data", data, "--create-owner",
		"--channel", "news", "--owner", "Ada", writeFeed(t, "a", 2))
	if code != exitOK {
		t.Fatalf("exits with %d and says %q", code, errs)
	}
	expectPassword(t, data, "ada", testPassword)
}

func ownerOfNoFeed(t *testing.T) {
	data := t.TempDir()
	page := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(page, []byte("<!DOCTYPE html><p>Hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, errs := programWithInput(t, testPassword+"\n", "import", "--data", data, "--create-owner",
		"--channel", "news", "--owner", "ada", page)
	if code != exitFound || !strings.Contains(errs, page) {
		t.Errorf("exits with %d and says %q, want 1 and the file", code, errs)
	}
	expectUnwritten(t, data)
}

// inStore opens the store of a program that has ended.
func inStore(t *testing.T, data string, use func(*storage.Store)) {
	t.Helper()
	db, err := bolt.Open(data, bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	store := storage.New(db, storage.Options{})
	if err := store.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	use(store)
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// emptyStore returns the directory of a store without a site.
func emptyStore(t *testing.T) (data string) {
	t.Helper()
	data = t.TempDir()
	inStore(t, data, func(*storage.Store) {})
	return data
}

// expectUnwritten fails the test if a table of the store holds a row.
func expectUnwritten(t *testing.T, data string) {
	t.Helper()
	inStore(t, data, func(store *storage.Store) {
		if _, err := store.SignUp(t.Context(), "ada", testPassword); err != nil {
			t.Errorf("ada cannot sign up: %v", err)
		}
		counts, err := store.NewChecker(0, false, func(b domain.Breach) { t.Errorf("%+v", b) }).Run(t.Context())
		if err != nil || counts.Channels != 0 || counts.Rows != 1 {
			t.Errorf("the store has %+v, %v, want only the row of ada", counts, err)
		}
	})
}

// expectPassword fails the test unless the password is that of the account.
func expectPassword(t *testing.T, data, name, password string) {
	t.Helper()
	inStore(t, data, func(store *storage.Store) {
		if _, _, err := store.SignIn(t.Context(), storage.Attempt{Name: name, Password: password, Address: "here"}); err != nil {
			t.Errorf("%s cannot sign in: %v", name, err)
		}
	})
}

// writeFeed makes an RSS file with that many entries. The entries of all files have
// the same ids.
func writeFeed(t *testing.T, title string, entries int) string {
	t.Helper()
	return writeNamedFeed(t, title+".rss", "<title>"+title+"</title>", entries)
}

func writeNamedFeed(t *testing.T, name, head string, entries int) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `<rss version="2.0"><channel>%s`, head)
	for i := range entries {
		fmt.Fprintf(&b, "<item><guid>%d</guid><pubDate>Mon, 02 Jan 2023 00:%02d:%02d GMT</pubDate>"+
			"<description>Entry %d of %s</description></item>", i, i/60%60, i%60, i, name)
	}
	b.WriteString(`</channel></rss>`)
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
