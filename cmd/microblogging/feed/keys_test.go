package feed_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"microblogging/cmd/microblogging/feed"
)

// The keys are those of testdata/keys. An entry with another key would be imported a second time, so a change
// of that file belongs in the changelog.
func TestKeys(t *testing.T) {
	want, err := os.ReadFile("testdata/keys")
	ok(t, err)
	files, err := filepath.Glob("testdata/*.*")
	ok(t, err)
	var got strings.Builder
	for _, name := range files {
		data, err := os.ReadFile(name)
		ok(t, err)
		fmt.Fprintf(&got, "%s\n", filepath.Base(name))
		read, err := feed.Parse(data)
		ok(t, err)
		converter := feed.NewConverter()
		for _, e := range read.Entries {
			if draft, _ := converter.Draft(e); draft.Text != "" {
				fmt.Fprintf(&got, "\t%s\n", e.ID)
			}
		}
		fmt.Fprintf(&got, "\tof %s\n", read.Source)
	}
	if got.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
}
