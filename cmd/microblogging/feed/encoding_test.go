package feed_test

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"microblogging/cmd/microblogging/feed"
)

func TestEncoding(t *testing.T) {
	t.Run("a feed in UTF-16 becomes posts", utf16BecomesPosts)
	t.Run("a feed that declares UTF-16 and is not becomes posts", declaredUTF16)
	t.Run("one that is not declared is hinted at", undeclaredEncoding)
}

func utf16BecomesPosts(t *testing.T) {
	for _, name := range []string{"garden.rss", "harbour.atom", "kitchen.json"} {
		want := readFile(t, name)
		for _, endian := range []unicode.Endianness{unicode.BigEndian, unicode.LittleEndian} {
			for _, mark := range []unicode.BOMPolicy{unicode.UseBOM, unicode.IgnoreBOM} {
				file := strings.Replace(content(t, name), `encoding="UTF-8"`, `encoding="UTF-16"`, 1)
				encoded, err := unicode.UTF16(endian, mark).NewEncoder().String(file)
				ok(t, err)
				compare(t, readString(t, encoded), want)
			}
		}
	}
}

func declaredUTF16(t *testing.T) {
	file := strings.Replace(content(t, "garden.rss"), `encoding="UTF-8"`, `encoding='utf-16'`, 1)
	compare(t, readString(t, file), readFile(t, "garden.rss"))
}

func undeclaredEncoding(t *testing.T) {
	for _, file := range []string{
		"<rss><channel><item><title>caf\xe9</title></item></channel></rss>",
		"<?xml version='1.0' encoding='utf-8'?><feed><entry><title>caf\xe9</title></entry></feed>",
		`{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","title":"caf` + "\xe9\"}]}",
	} {
		_, err := read([]byte(file))
		if !errors.Is(err, feed.ErrNotAFeed) || !strings.Contains(err.Error(), "iconv") {
			t.Errorf("%q: got %v", file, err)
		}
	}
}
