package feed_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"microblogging/cmd/microblogging/feed"
	"microblogging/domain"
)

// FuzzRead refutes that some file makes Read panic, or makes it hand on an entry
// that could not be posted.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) == 0 {
		f.Fatal("no files to start from: ", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := feed.Read(bytes.NewReader(data))
		if err != nil {
			if !errors.Is(err, feed.ErrNotAFeed) {
				t.Errorf("reading from memory failed: %v", err)
			}
			return
		}
		for _, e := range got.Entries {
			checkEntry(t, e)
		}
	})
}

func checkEntry(t *testing.T, e feed.Entry) {
	draft, err := domain.NewDraft(e.Title, e.Text)
	if err != nil {
		t.Errorf("%+v: %v", e, err)
	}
	if draft.Title != e.Title || draft.Text != e.Text {
		t.Errorf("%+v is stored as %+v", e, draft)
	}
	if err := domain.CheckTime("published", e.Published); err != nil {
		t.Errorf("%+v: %v", e, err)
	}
	kind, id, _ := strings.Cut(e.ID, ":")
	if id == "" || (kind != "id" && kind != "link" && kind != "hash") {
		t.Errorf("%+v has no usable ID", e)
	}
}
