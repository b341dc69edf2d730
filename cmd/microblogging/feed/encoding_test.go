package feed_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"microblogging/cmd/microblogging/feed"
)

func TestEncoding(t *testing.T) {
	t.Run("a feed in UTF-16 becomes posts", utf16BecomesPosts)
	t.Run("a feed that declares UTF-16 and is not becomes posts", declaredUTF16)
	t.Run("bytes decide, and then what is declared, and then windows-1252", undeclaredEncoding)
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
	const rss = "<rss><channel><item><guid>1</guid><title>%s</title></item></channel></rss>"
	for file, want := range map[string][2]string{
		fmt.Sprintf(rss, "caf\xe9"):                                                                   {"café", "windows-1252 where it is not UTF-8"},
		fmt.Sprintf(rss, "caf\xe9 caf\xc3\xa9"):                                                       {"café café", "windows-1252 where it is not UTF-8"},
		"<?xml version='1.0' encoding='utf-8'?>" + fmt.Sprintf(rss, "\x80"):                           {"€", "windows-1252 where it is not UTF-8"},
		"<?xml version='1.0' encoding='latin1'?>" + fmt.Sprintf(rss, "caf\xe9"):                       {"café", "windows-1252"},
		"<?xml version='1.0' encoding='latin1'?>" + fmt.Sprintf(rss, "caf\xc3\xa9"):                   {"café", ""},
		"<?xml version='1.0' encoding='Shift_JIS'?>" + fmt.Sprintf(rss, "\x83\x65"):                   {"テ", "shift_jis"},
		"<?xml version='1.0' encoding='iso-2022-jp'?>" + fmt.Sprintf(rss, "\x1b$B%F\x1b(B"):           {"テ", "iso-2022-jp"},
		`{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","title":"caf` + "\xe9\"}]}": {"café", "windows-1252 where it is not UTF-8"},
	} {
		read, err := feed.Parse([]byte(file))
		if err != nil || len(read.Entries) != 1 || read.Entries[0].Title != want[0] || read.Encoding != want[1] {
			t.Errorf("%q: got %+v, %v, want %q", file, read, err, want)
		}
	}
}
