package feed

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// declaredEncoding finds the name of the encoding in the declaration of an XML document.
var declaredEncoding = regexp.MustCompile(`^\s*<\?xml[^>]*\bencoding\s*=\s*["']([^"'>]+)`)

// compression returns the name of the format in which a document is compressed, or nothing.
func compression(document []byte) string {
	for begin, format := range map[string]string{"\x1f\x8b": "gzip", "PK\x03\x04": "zip", "BZh": "bzip2", "\xfd7zXZ\x00": "xz", "\x28\xb5\x2f\xfd": "zstd"} {
		if bytes.HasPrefix(document, []byte(begin)) {
			return format
		}
	}
	return ""
}

// toUTF8 returns a document as UTF-8, and the name of the encoding that it has if that is another one.
// Multi-byte characters of UTF-8 decide against every declaration, because bytes of other encodings
// do not have their form by chance. toUTF8 drops what may come before the first character, and the
// control characters that XML forbids, because many feeds have some.
func toUTF8(document []byte) (_ []byte, name string, err error) {
	var declared encoding.Encoding
	if found := declaredEncoding.FindSubmatch(document); found != nil {
		declared, name = charset.Lookup(string(found[1]))
	}
	foreign := slices.ContainsFunc(document, func(b byte) bool { return b >= utf8.RuneSelf || b == '\x1b' })
	mark := string(document[:min(2, len(document))]) // without one, the first character, < or {, has two bytes
	big, little := mark == "\xFE\xFF" || mark != "" && mark[0] == 0, mark == "\xFF\xFE" || len(mark) == 2 && mark[1] == 0
	switch {
	case big || little:
		endian := unicode.Endianness(!big)
		document, _, err = transform.Bytes(unicode.BOMOverride(unicode.UTF16(endian, unicode.IgnoreBOM).NewDecoder()), document)
		name = ""
	case !foreign, utf8.Valid(document) && !strings.HasPrefix(name, "iso-2022"):
		name = ""
	case declared != nil && !strings.HasPrefix(name, "utf-"): // a file that can be read here is not UTF-16
		document, err = declared.NewDecoder().Bytes(document)
	default:
		document, name = repaired(document), "windows-1252 where it is not UTF-8"
	}
	document = slices.DeleteFunc(document, func(b byte) bool { return b < ' ' && b != '\t' && b != '\n' && b != '\r' })
	return bytes.TrimLeft(bytes.TrimPrefix(document, []byte("\uFEFF")), " \t\r\n"), name, err
}

// repaired returns a document in which each byte that is not UTF-8 is read as windows-1252.
func repaired(document []byte) []byte {
	fixed := make([]byte, 0, len(document)+len(document)/8)
	for len(document) > 0 {
		r, size := utf8.DecodeRune(document)
		if r == utf8.RuneError && size == 1 {
			r = charmap.Windows1252.DecodeByte(document[0])
		}
		fixed, document = utf8.AppendRune(fixed, r), document[size:]
	}
	return fixed
}
