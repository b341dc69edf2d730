package feed

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"golang.org/x/text/encoding/unicode"
)

// toUTF8 returns a document of UTF-16 as one of UTF-8, and any other as it is: XML declares
// its encoding, and JSON is UTF-8. It drops what may come before the first character, and
// the control characters that XML forbids, because many feeds have some. They are the same
// bytes in each other encoding that feeds use.
func toUTF8(document []byte) ([]byte, error) {
	if endian, found := endianOf(document); found {
		var err error
		if document, err = unicode.UTF16(endian, unicode.UseBOM).NewDecoder().Bytes(document); err != nil {
			return nil, err
		}
	}
	document = slices.DeleteFunc(document, func(b byte) bool { return b < ' ' && b != '\t' && b != '\n' && b != '\r' })
	document = bytes.TrimLeft(bytes.TrimPrefix(document, []byte("\uFEFF")), " \t\r\n")
	// A file that can be read here is not UTF-16, whatever it declares.
	untrue := regexp.MustCompile(`(?i)^<\?xml[^>]*\bencoding\s*=\s*["']utf-?16[^>]*\?>\s*`).Find(document)
	return document[len(untrue):], nil
}

// endianOf tells whether a document is UTF-16: it has a byte order mark, or its first
// character, < or {, has two bytes.
func endianOf(document []byte) (endian unicode.Endianness, found bool) {
	if len(document) < 2 {
		return unicode.BigEndian, false
	}
	switch first, second := document[0], document[1]; {
	case first == 0xFE && second == 0xFF, first == 0 && second != 0:
		return unicode.BigEndian, true
	case first == 0xFF && second == 0xFE, first != 0 && second == 0:
		return unicode.LittleEndian, true
	}
	return unicode.BigEndian, false
}

// errNotUTF8 tells what to do about a file whose encoding nobody can know.
var errNotUTF8 = errors.New("it is not UTF-8 and does not say what it is: convert it, for example with " +
	"iconv -f WINDOWS-1252 -t UTF-8, or let XML declare its encoding, as in <?xml version=\"1.0\" encoding=\"windows-1252\"?>")

// notAFeed blames the content of a file.
func notAFeed(err error) error { return fmt.Errorf("%w: %w", ErrNotAFeed, err) }
