package feed

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html/charset"
)

// maxNesting bounds how deep elements may nest. gofeed recurses, and a stack
// overflow ends the process. The bound is high, because elements that are never
// closed count as nested.
const maxNesting = 100_000

// A splitter reads an RSS or Atom feed and cuts it into documents of one item each.
// Such a document has the start tags of the elements around the item, so that names
// of other vocabularies and relative addresses mean in it what they mean in the feed.
// gofeed reads the documents. It cannot read a feed in pieces.
type splitter struct {
	*stream
	format  *xmlFormat
	tape    *tape
	decoder *xml.Decoder
	// head is a document of what the feed says about itself, without its end.
	head []byte
	// end closes all elements of a document: a decoder that is not strict takes the
	// end of the root for the end of everything in it.
	end []byte
}

// readXML reads an RSS or Atom feed.
func (s *stream) readXML() error {
	t := &tape{source: &controlFilter{s.in}}
	decoder := xml.NewDecoder(t)
	decoder.Strict = false
	decoder.CharsetReader = t.convert
	split := &splitter{stream: s, tape: t, decoder: decoder}
	if err := split.readRoot(); err != nil {
		return err
	}
	feed, err := split.format.parse(append(split.head, split.end...))
	if err != nil {
		return s.blame(err)
	}
	s.describe(feed.Title, feed.ids...)
	return nil
}

// readRoot finds the root element, which tells the format, and reads it.
func (s *splitter) readRoot() error {
	for {
		token, err := s.next()
		if errors.Is(err, io.EOF) {
			return ErrNotAFeed
		}
		if err != nil {
			return s.blame(err)
		}
		root, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if s.format = formatOf(root.Name.Local); s.format == nil {
			return ErrNotAFeed
		}
		tag := s.tape.upTo(s.decoder.InputOffset())
		s.end = slices.Concat([]byte("</"), rawName(tag), []byte(">"))
		s.head = slices.Clone(tag)
		return s.readChildren(slices.Clone(tag), s.format.channel == "")
	}
}

// next returns the next token. The tape then holds that token alone.
func (s *splitter) next() (xml.Token, error) {
	s.tape.forget(s.decoder.InputOffset())
	return s.decoder.Token()
}

// readChildren reads the children of an element to its end. before is the start tags
// of the elements that are open. describes tells that the children describe the feed.
func (s *splitter) readChildren(before []byte, describes bool) error {
	for {
		token, err := s.next()
		if err != nil {
			return s.blame(err)
		}
		switch token := token.(type) {
		case xml.EndElement:
			return nil
		case xml.StartElement:
			if err := s.readChild(strings.ToLower(token.Name.Local), before, describes); err != nil {
				return err
			}
		}
	}
}

func (s *splitter) readChild(name string, before []byte, describes bool) error {
	tag := s.tape.upTo(s.decoder.InputOffset())
	switch {
	case name == s.format.channel && !describes:
		inside := slices.Concat(before, tag)
		if len(s.head) == len(before) { // the first one
			s.head = slices.Clone(inside)
		}
		return s.readChildren(inside, true)
	case name == s.format.item:
		return s.readItem(before)
	case describes && (name == "title" || name == "id" || name == "link"):
		return s.readDescription()
	}
	return s.skip(func() { s.tape.forget(s.decoder.InputOffset()) })
}

func (s *splitter) readItem(before []byte) error {
	if err := s.skip(func() {}); err != nil {
		return err
	}
	document := slices.Concat(before, s.tape.upTo(s.decoder.InputOffset()), s.end)
	feed, err := s.format.parse(document)
	if err != nil {
		return s.blame(err)
	}
	for _, item := range feed.Items {
		if err := s.item(item); err != nil {
			return err
		}
	}
	return nil
}

func (s *splitter) readDescription() error {
	if err := s.skip(func() {}); err != nil {
		return err
	}
	s.head = append(s.head, s.tape.upTo(s.decoder.InputOffset())...)
	if len(s.head) > maxEntry {
		return fmt.Errorf("%w: its titles and links are larger than %d MiB", ErrNotAFeed, maxEntry>>20)
	}
	return nil
}

// skip reads to the end of the element whose start was just read, and calls step
// after each token.
func (s *splitter) skip(step func()) error {
	for depth := 1; depth > 0; step() {
		token, err := s.decoder.Token()
		if err != nil {
			return s.blame(err)
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
		if depth > maxNesting {
			return fmt.Errorf("%w: its elements nest deeper than %d", ErrNotAFeed, maxNesting)
		}
	}
	return nil
}

// rawName returns the name in a start tag, with its prefix.
func rawName(tag []byte) []byte {
	name := bytes.TrimPrefix(tag, []byte("<"))
	if end := bytes.IndexAny(name, " \t\r\n/>"); end >= 0 {
		name = name[:end]
	}
	return name
}

// A tape hands bytes to a decoder and remembers them, so that what the decoder has
// read can be cut out as it stands in the file.
type tape struct {
	source io.ByteReader
	// bytes are those from the offset start on.
	bytes []byte
	start int64
}

// ReadByte makes the decoder read no further than it must.
func (t *tape) ReadByte() (byte, error) {
	b, err := t.source.ReadByte()
	if err == nil {
		t.bytes = append(t.bytes, b)
	}
	return b, err
}

func (t *tape) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	b, err := t.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = b
	return 1, nil
}

// convert makes the tape read the rest of its source in another character set. The
// decoder calls it at the XML declaration, and counts on from there.
func (t *tape) convert(label string, _ io.Reader) (io.Reader, error) {
	converted, err := charset.NewReaderLabel(label, byteSource{t.source})
	if err != nil {
		return nil, err
	}
	t.source = bufio.NewReader(converted)
	return t, nil
}

// upTo returns the bytes before the offset that were not forgotten. They are valid
// until the next byte is read.
func (t *tape) upTo(offset int64) []byte { return t.bytes[:offset-t.start] }

// forget drops the bytes before the offset.
func (t *tape) forget(offset int64) {
	t.bytes = t.bytes[:copy(t.bytes, t.bytes[offset-t.start:])]
	t.start = offset
}

// byteSource is a reader of a source of bytes.
type byteSource struct{ io.ByteReader }

func (s byteSource) Read(p []byte) (int, error) {
	for n := range p {
		b, err := s.ReadByte()
		if err != nil {
			if n > 0 {
				err = nil // it comes again
			}
			return n, err
		}
		p[n] = b
	}
	return len(p), nil
}

// controlFilter drops the control characters that XML forbids, because many feeds
// have some. They are the same bytes in each character set that feeds use.
type controlFilter struct{ source io.ByteReader }

func (f *controlFilter) ReadByte() (byte, error) {
	for {
		b, err := f.source.ReadByte()
		if err != nil || b >= ' ' || b == '\t' || b == '\n' || b == '\r' {
			return b, err
		}
	}
}
