package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"microblogging/cmd/microblogging/feed"
)

// An importFile is a feed that was read once, to its end. Only what it says about
// itself is kept: its entries are read again when they are posted.
type importFile struct {
	name string
	head feed.Feed
	// copy has the content if the file is a pipe, which can be read only once.
	copy *os.File
}

// find fails if a file is not there, or is a directory. It costs nothing, so that nobody is
// asked for a password first.
func find(name string) error {
	info, err := os.Stat(name)
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a directory, not a feed", name)
	}
	if err != nil {
		return cannotRunError{err}
	}
	return nil
}

// inspect reads a file and fails if it is not a feed or is too large.
func inspect(ctx context.Context, name string, limit byteSize) (*importFile, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, cannotRunError{err}
	}
	f := &importFile{name: name}
	info, err := file.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		f.copy, err = spool(file, limit)
	case info.Size() > int64(limit):
		err = tooLarge(limit)
	}
	if err = errors.Join(err, file.Close()); err == nil {
		f.head, err = f.through(func(r io.Reader) (feed.Feed, error) {
			return feed.Inspect(r, ctx.Err)
		})
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return f, nil
}

// read reads the feed from its beginning.
func (f *importFile) read(visit func(feed.Entry) error) (feed.Feed, error) {
	return f.through(func(r io.Reader) (feed.Feed, error) { return feed.Read(r, visit) })
}

// through lets somebody read the content from its beginning.
func (f *importFile) through(read func(io.Reader) (feed.Feed, error)) (feed.Feed, error) {
	if f.copy != nil {
		if _, err := f.copy.Seek(0, io.SeekStart); err != nil {
			return feed.Feed{}, err
		}
		return read(f.copy)
	}
	file, err := os.Open(f.name)
	if err != nil {
		return feed.Feed{}, err
	}
	head, err := read(file)
	return head, errors.Join(err, file.Close())
}

// source tells the feed apart from others that use the same ids for their entries. A
// feed that says nothing about itself is known by the name of its file.
func (f *importFile) source() string {
	if f.head.Source != "" {
		return f.head.Source
	}
	return "name:" + filepath.Base(f.name)
}

// Close removes the copy. A nil file has none.
func (f *importFile) Close() error {
	if f == nil || f.copy == nil {
		return nil
	}
	return errors.Join(f.copy.Close(), os.Remove(f.copy.Name()))
}

// spool copies a file that can be read only once.
func spool(file *os.File, limit byteSize) (*os.File, error) {
	spooled, err := os.CreateTemp("", "microblogging-import-*")
	if err != nil {
		return nil, err
	}
	n, err := io.Copy(spooled, io.LimitReader(file, int64(limit)+1))
	if err == nil && n > int64(limit) {
		err = tooLarge(limit)
	}
	return spooled, err
}

func tooLarge(limit byteSize) error {
	return cannotRunError{fmt.Errorf("larger than --max-file-size, which is %s", limit)}
}

// A byteSize is a number of bytes. Its text is a whole number and a unit, such as
// 512MiB.
type byteSize int64

type byteUnit struct {
	name  string
	bytes int64
}

// byteUnits has the larger units first.
var byteUnits = []byteUnit{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}

// UnmarshalText accepts a whole number of at least 1. Without a unit it counts bytes.
func (s *byteSize) UnmarshalText(text []byte) error {
	n, ok := parseBytes(string(text), byteUnits, 1<<62)
	if !ok || n < 1 {
		return fmt.Errorf("%q is not a size such as 512MiB or 2GiB", text)
	}
	*s = byteSize(n)
	return nil
}

// parseBytes parses a whole number and the first of the units that it ends with. Without a
// unit it counts bytes. It reports false if the text is no number from 0 to most.
func parseBytes(text string, units []byteUnit, most int64) (n int64, ok bool) {
	factor := int64(1)
	for _, unit := range units {
		if rest, found := strings.CutSuffix(text, unit.name); found {
			text, factor = rest, unit.bytes
			break
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return n * factor, err == nil && n >= 0 && n <= most/factor
}

func (s byteSize) String() string {
	for _, unit := range byteUnits {
		if int64(s)%unit.bytes == 0 {
			return fmt.Sprintf("%d %s", int64(s)/unit.bytes, unit.name)
		}
	}
	return strconv.FormatInt(int64(s), 10)
}
