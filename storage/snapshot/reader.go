package snapshot

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/klauspost/compress/zstd"
)

// A Visitor is told what a file holds. It may keep neither key nor value. A nil field is
// not called.
type Visitor struct {
	Section func(name string, number uint64) error
	Row     func(key, value []byte) error
}

// Verify reads a file to its end. The error is nil only if the file is whole, and is one
// of ErrForeign, ErrCut, ErrAltered, ErrNewer and *GivenUpError, or of the reader.
func Verify(r io.Reader) (Summary, error) { return Each(r, Visitor{}) }

// Each is Verify, and tells a visitor what the file holds. What it told is known to be
// right only when it has returned nil.
func Each(from io.Reader, visit Visitor) (Summary, error) {
	r := reader{from: bufio.NewReaderSize(from, 1<<20), sum: sha256.New(), visit: visit}
	if err := r.begin(); err != nil {
		return Summary{}, err
	}
	for {
		done, err := r.next()
		if err != nil {
			return Summary{}, err
		}
		if done {
			return r.read, nil
		}
	}
}

type reader struct {
	from    *bufio.Reader
	sum     hash.Hash
	visit   Visitor
	decoder *zstd.Decoder
	header  [headerLen]byte
	payload []byte
	rows    []byte
	read    Summary
	// inside tells that a section has begun, and seen counts the rows of all sections.
	inside bool
	seen   uint64
}

// begin reads the magic and the head.
func (r *reader) begin() error {
	got := make([]byte, len(magic))
	n, err := io.ReadFull(r.from, got)
	got = got[:n]
	switch {
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case n == 0 || !bytes.HasPrefix([]byte(magic), got[:min(n, len(magicName))]):
		return ErrForeign
	case err != nil:
		return ErrCut
	case string(got) != magic:
		return fmt.Errorf("%w, or was altered", ErrNewer)
	}
	r.count(got)
	kind, err := r.block()
	if err != nil {
		return err
	}
	if kind != kindHead || json.Unmarshal(r.payload, &r.read.Head) != nil {
		return ErrAltered
	}
	return nil
}

// next reads the next block. It reports done after the end.
func (r *reader) next() (done bool, err error) {
	kind, err := r.block()
	if err != nil {
		return false, err
	}
	switch kind {
	case kindSection:
		if len(r.payload) < 8 {
			return false, ErrAltered
		}
		r.inside = true
		if r.visit.Section == nil {
			return false, nil
		}
		return false, r.visit.Section(string(r.payload[8:]), binary.BigEndian.Uint64(r.payload))
	case kindRows:
		return false, r.eachRow()
	case kindEnd:
		return true, r.atEnd()
	case kindGivenUp:
		return false, &GivenUpError{Reason: string(r.payload)}
	default:
		return false, ErrAltered
	}
}

// block reads a block and adds it to the sum, but for the sum itself.
func (r *reader) block() (kind byte, err error) {
	if err := r.full(r.header[:]); err != nil {
		return 0, err
	}
	kind, length := r.header[0], binary.BigEndian.Uint32(r.header[1:])
	if length > maxBlock || kind == kindEnd && length != 8+sha256.Size {
		return 0, ErrAltered
	}
	if int(length) > cap(r.payload) {
		r.payload = make([]byte, length)
	}
	r.payload = r.payload[:length]
	if err := r.full(r.payload); err != nil {
		return 0, err
	}
	r.count(r.header[:])
	if kind == kindEnd {
		r.count(r.payload[:8])
		r.read.Bytes += sha256.Size
	} else {
		r.count(r.payload)
	}
	return kind, nil
}

func (r *reader) full(b []byte) error {
	_, err := io.ReadFull(r.from, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrCut
	}
	return err
}

func (r *reader) count(b []byte) {
	_, _ = r.sum.Write(b)
	r.read.Bytes += int64(len(b))
}

// atEnd compares the sum and the number of rows, and requires that nothing follows.
func (r *reader) atEnd() error {
	r.read.Rows = binary.BigEndian.Uint64(r.payload)
	if !bytes.Equal(r.sum.Sum(nil), r.payload[8:]) || r.read.Rows != r.seen {
		return ErrAltered
	}
	switch _, err := r.from.ReadByte(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%w: it goes on after its end", ErrAltered)
}

// eachRow unpacks the rows of a block, also if nobody is told of them: a file is whole only if
// it can be restored.
func (r *reader) eachRow() error {
	if !r.inside {
		return ErrAltered
	}
	if r.decoder == nil {
		decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlock))
		if err != nil {
			return err
		}
		r.decoder = decoder
	}
	rows, err := r.decoder.DecodeAll(r.payload, r.rows[:0])
	if err != nil {
		return ErrAltered
	}
	r.rows = rows
	for len(rows) > 0 {
		key, rest, ok := cutText(rows)
		value, rest, ok2 := cutText(rest)
		if !ok || !ok2 {
			return ErrAltered
		}
		r.seen++
		if r.visit.Row != nil {
			if err := r.visit.Row(key, value); err != nil {
				return err
			}
		}
		rows = rest
	}
	return nil
}

// cutText cuts a length and as many bytes off.
func cutText(b []byte) (text, rest []byte, ok bool) {
	length, n := binary.Uvarint(b)
	if n <= 0 || length > uint64(len(b)-n) {
		return nil, nil, false
	}
	b = b[n:]
	return b[:length:length], b[length:], true
}

// Begins tells whether a file begins as a backup of any version does.
func Begins(r io.Reader) bool {
	first := make([]byte, len(magicName))
	_, err := io.ReadFull(r, first)
	return err == nil && string(first) == magicName
}
