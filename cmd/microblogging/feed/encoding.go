package feed

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// toUTF8 returns a document of UTF-16 as one of UTF-8, and any other as it is: XML declares
// its encoding, and JSON is UTF-8. It drops what may come before the first character, and
// the control characters that XML forbids, because many feeds have some. They are the same
// bytes in each other encoding that feeds use.
func toUTF8(document []byte) ([]byte, error) {
	decoder := encoding.Nop.NewDecoder()
	switch { // without a mark, the first character, < or {, has two bytes
	case len(document) < 2:
	case document[0] == 0:
		decoder = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder()
	case document[1] == 0:
		decoder = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder()
	}
	document, _, err := transform.Bytes(unicode.BOMOverride(decoder), document)
	if err != nil {
		return nil, err
	}
	document = slices.DeleteFunc(document, func(b byte) bool { return b < ' ' && b != '\t' && b != '\n' && b != '\r' })
	document = bytes.TrimLeft(document, " \t\r\n")
	// A file that can be read here is not UTF-16, whatever it declares.
	untrue := regexp.MustCompile(`(?i)^<\?xml[^>]*\bencoding\s*=\s*["']utf-?16[^>]*\?>\s*`).Find(document)
	return document[len(untrue):], nil
}

// errNotUTF8 says what to do about a file whose encoding is unknown.
var errNotUTF8 = errors.New("it is not UTF-8 and does not say what it is: convert it, for example with " +
	"iconv -f WINDOWS-1252 -t UTF-8, or let XML declare its encoding, as in <?xml version=\"1.0\" encoding=\"windows-1252\"?>")

// notAFeed blames the content of a file.
func notAFeed(err error) error { return fmt.Errorf("%w: %w", ErrNotAFeed, err) }
