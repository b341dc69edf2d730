package main

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
)

func TestCheckCommand(t *testing.T) {
	t.Run("warns that a store does not exist", checkWarnsOfNewStore)
	t.Run("lists what waits in poison, which is no breach", checkListsPoison)
}

func checkWarnsOfNewStore(t *testing.T) {
	data := filepath.Join(t.TempDir(), "slip")
	if code, stdout, stderr := program(t, "check", "--data", data); code != exitOK || !strings.Contains(stdout, "0 breaches") || !strings.Contains(stderr, data) {
		t.Errorf("exit %d, %q and %q, want a warning that names %s", code, stdout, stderr, data)
	}
	if _, _, stderr := program(t, "check", "--data", data); stderr != "" {
		t.Errorf("a store that exists gives the warning %q", stderr)
	}
}

func checkListsPoison(t *testing.T) {
	data := t.TempDir()
	db, err := bolt.Open(data, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	message := domain.Message{
		Kind: domain.MessageBlog, Channel: "garden", Incarnation: domain.NewIncarnation(), Name: "Garden", By: "ada", AskedOn: domain.Now(),
		Blog: domain.NewBlogID(domain.Now()), Revision: domain.NewRevision(),
	}
	store := storage.New(db, db)
	err = store.Prepare(t.Context())
	if err == nil {
		err = store.Messages().Send(t.Context(), message.Encode())
	}
	received, err2 := store.Messages().Receive(t.Context(), 1, time.Minute)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	unread := driver.Message{ID: "1", Text: strings.Repeat("not a message ", 100)} // the worker died before it sent the copy
	if err := store.Poison(t.Context(), unread); !errors.Is(err, domain.ErrLeaseLost) {
		t.Fatal(err)
	}
	if err := errors.Join(store.Poison(t.Context(), received[0]), db.Close()); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := program(t, "check", "--data", data)
	if code != exitOK || !strings.Contains(stdout, "0 breaches") ||
		!strings.Contains(stderr, string(message.Blog)) || !strings.Contains(stderr, "requeue --channel garden") {
		t.Errorf("exit %d, %q and %q, want a line about the post", code, stdout, stderr)
	}
	if !strings.Contains(stderr, `could read: "not a message `) || !strings.Contains(stderr, "requeue puts it back") || len(stderr) > 1_000 {
		t.Errorf("%q, want a short line about the message that nobody can read", stderr)
	}
}
