package feed

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func TestSplitter(t *testing.T) {
	t.Run("a feed in pieces makes the entries of the feed as a whole", piecesMakeTheWhole)
}

// gofeed can read a small feed at once. The pieces must mean the same.
func piecesMakeTheWhole(t *testing.T) {
	for name, root := range map[string]string{
		"garden.rss": "rss", "nasty.rss": "rss", "latin1.rdf": "rdf", "harbour.atom": "feed", "relative.atom": "feed",
	} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		whole, err := formatOf(root).parse(data)
		if err != nil {
			t.Fatal(err)
		}
		var want, got []Entry
		for _, item := range whole.Items {
			if entry, ok := newTexter().entryOf(item); ok {
				want = append(want, entry)
			}
		}
		head, err := Read(bytes.NewReader(data), func(e Entry) error {
			got = append(got, e)
			return nil
		})
		if err != nil || !reflect.DeepEqual(got, want) || head.Title != titleOf(whole.Title) || head.Source != sourceOf(head.Title, whole.ids...) {
			t.Errorf("%s: got %+v with %+v, %v\nwant %+v with %v", name, head, got, err, want, whole.ids)
		}
	}
}
