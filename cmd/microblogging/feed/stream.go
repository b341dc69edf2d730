package feed

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/mmcdole/gofeed"

	"microblogging/domain"
	"microblogging/templates/markdown"
)

// maxEntry bounds the bytes of one entry, and of what the feed says about itself
// between two entries. Both are held in memory. A post has at most domain.MaxText
// characters, but an entry may hold pictures.
const maxEntry = 16 << 20

// A stream reads one feed. It holds one entry at a time.
type stream struct {
	in    *bufio.Reader
	quota *quota
	feed  Feed
	texts *texter
	visit func(Entry) error
	// inspects tells that nobody wants the entries.
	inspects bool
}

func newStream(r io.Reader, visit func(Entry) error) *stream {
	q := &quota{reader: r, left: maxEntry}
	return &stream{in: bufio.NewReader(q), quota: q, texts: newTexter(), visit: visit}
}

// read reads the feed to its end.
func (s *stream) read() error {
	first, err := s.firstByte()
	switch {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%w: the file is empty", ErrNotAFeed)
	case err != nil:
		return err
	case first == '<':
		return s.readXML()
	case first == '{':
		return s.readJSON()
	}
	return ErrNotAFeed
}

// firstByte skips a byte order mark and white space, and returns the byte after
// them without consuming it.
func (s *stream) firstByte() (byte, error) {
	if mark, err := s.in.Peek(3); err == nil && string(mark) == "\uFEFF" {
		if _, err := s.in.Discard(len(mark)); err != nil {
			return 0, err
		}
	}
	for {
		first, err := s.in.ReadByte()
		if err != nil {
			return 0, err
		}
		switch first {
		case ' ', '\t', '\r', '\n':
		default:
			return first, s.in.UnreadByte()
		}
	}
}

// item visits the entry that an item makes.
func (s *stream) item(item *gofeed.Item) error {
	s.quota.left = maxEntry
	if s.inspects && linkOf(item) != "" { // an entry with a link has a text
		s.feed.Entries++
		return s.visit(Entry{})
	}
	entry, ok := s.texts.entryOf(item)
	if !ok {
		s.feed.LeftOut++
		return nil
	}
	s.feed.Entries++
	return s.visit(entry)
}

// describe keeps what the feed says about itself. The title is HTML. Of ids, the
// first that is not empty identifies the feed.
func (s *stream) describe(title string, ids ...string) {
	s.feed.Title, _ = markdown.CutWords(titleOf(title), domain.MaxTitle)
	s.feed.Source = sourceOf(s.feed.Title, ids...)
}

// blame returns the reason why the content could not be read. It blames the feed,
// unless reading the file failed.
func (s *stream) blame(err error) error {
	switch {
	case s.quota.failed != nil:
		return s.quota.failed
	case errors.Is(err, ErrNotAFeed):
		return err
	}
	return fmt.Errorf("%w: %w", ErrNotAFeed, err)
}

// A quota is a reader that fails if more is read than is left. Whoever reads sets
// left again after each entry.
type quota struct {
	reader io.Reader
	left   int
	// failed is the error that ended the reading, if it was not the end of the file.
	failed error
}

func (q *quota) Read(p []byte) (int, error) {
	if q.left <= 0 {
		q.failed = fmt.Errorf("%w: an entry is larger than %d MiB", ErrNotAFeed, maxEntry>>20)
		return 0, q.failed
	}
	n, err := q.reader.Read(p[:min(len(p), q.left)])
	q.left -= n
	if err != nil && !errors.Is(err, io.EOF) {
		q.failed = err
	}
	return n, err
}
