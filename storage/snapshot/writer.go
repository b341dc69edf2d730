package snapshot

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"hash"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"
)

// A Writer writes a file. It gives each block to the writer below in one call.
type Writer struct {
	below   io.Writer
	sum     hash.Hash
	encoder *zstd.Encoder
	rows    []byte
	block   []byte
	written Summary
}

// NewWriter begins a file. Nothing is kept open that would have to be closed.
func NewWriter(below io.Writer, head Head) (*Writer, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, err
	}
	head.TakenOn = head.TakenOn.UTC().Truncate(time.Second)
	text, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	w := &Writer{below: below, sum: sha256.New(), encoder: encoder, written: Summary{Head: head}}
	if err := w.write([]byte(magic)); err != nil {
		return nil, err
	}
	return w, w.put(kindHead, text)
}

// Section begins a section.
func (w *Writer) Section(name string, number uint64) error {
	if err := w.flush(); err != nil {
		return err
	}
	return w.put(kindSection, append(binary.BigEndian.AppendUint64(nil, number), name...))
}

// Put adds a row to the section.
func (w *Writer) Put(key, value []byte) error {
	w.rows = append(binary.AppendUvarint(w.rows, uint64(len(key))), key...)
	w.rows = append(binary.AppendUvarint(w.rows, uint64(len(value))), value...)
	w.written.Rows++
	if len(w.rows) < blockSize {
		return nil
	}
	return w.flush()
}

// Close writes the end. Only then is the file whole.
func (w *Writer) Close() (Summary, error) {
	if err := w.flush(); err != nil {
		return Summary{}, err
	}
	end := endBlock(w.written.Rows)
	_, _ = w.sum.Write(end)
	err := w.write(w.sum.Sum(end))
	return w.written, err
}

// endBlock is the block of the end up to its sum.
func endBlock(rows uint64) []byte {
	block := binary.BigEndian.AppendUint32([]byte{kindEnd}, 8+sha256.Size)
	return binary.BigEndian.AppendUint64(block, rows)
}

// GivenUp returns the block that ends a file which will not be whole, after any other
// block.
func GivenUp(reason string) []byte { return block(nil, kindGivenUp, []byte(reason)) }

func (w *Writer) flush() error {
	if len(w.rows) == 0 {
		return nil
	}
	packed := w.encoder.EncodeAll(w.rows, nil)
	w.rows = w.rows[:0]
	return w.put(kindRows, packed)
}

func (w *Writer) put(kind byte, payload []byte) error {
	w.block = block(w.block[:0], kind, payload)
	return w.write(w.block)
}

func block(b []byte, kind byte, payload []byte) []byte {
	b = binary.BigEndian.AppendUint32(append(b, kind), uint32(len(payload)))
	return append(b, payload...)
}

func (w *Writer) write(b []byte) error {
	_, _ = w.sum.Write(b)
	w.written.Bytes += int64(len(b))
	_, err := w.below.Write(b)
	return err
}
