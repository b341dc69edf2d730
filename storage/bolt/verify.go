package bolt

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"slices"
	"strings"

	"go.etcd.io/bbolt"

	"microblogging/storage/driver"
)

// This file reads the pages of a store by itself, as bbolt lays them out (its package
// internal/common). bbolt trusts what it finds: at a damaged page it panics, also in goroutines of
// its own, where no caller can recover; it recurses without end; or it misses rows. So before verify
// has found no fault, nothing is read through bbolt but the header of the file.
//
// The pages are read from the file and not through its mapping. What is read so does not stay
// resident, and a page that the disk cannot read is an error, and no fault of the memory.

const (
	// A page begins with its number, 8 bytes, its kind, 2, how many elements it has, 2, and on how
	// many pages after it it goes on, 4. Each element has as many bytes, before the keys and values.
	pageHeader, elementLen = 16, 16
	branchPage, leafPage   = 1, 2
	// bucketFlag is set of an element of a leaf that is a bucket.
	bucketFlag = 1
	// maxUndecodable is how many rows that cannot be read an error names.
	maxUndecodable = 20
	// listed and there are what is known of a bucket by its name.
	listed, there = 1, 2
)

// verify reads each page and each row that a transaction can reach, and returns how many rows there
// are. Opening, a backup, a compaction, a restore and a check all call it. The error is ErrDamaged
// and names the page; or it is errUndecodable and names the rows, and bbolt can use all pages.
func verify(ctx context.Context, tx *bbolt.Tx, file *os.File) (rows int, err error) {
	w := walk{ctx: ctx, file: file, pageSize: tx.DB().Info().PageSize, named: map[string]int{}}
	w.seen = make([]bool, tx.Size()/int64(w.pageSize))
	info, err := file.Stat()
	if err == nil && info.Size() < tx.Size() {
		err = fmt.Errorf("%w: it has %d bytes of %d", ErrDamaged, info.Size(), tx.Size())
	}
	if err == nil {
		err = (&tree{walk: &w, row: w.bucket}).read(uint64(tx.Cursor().Bucket().RootPage()), nil)
	}
	for name, found := range w.named {
		if err == nil && found != listed+there {
			err = fmt.Errorf("%w: %q is listed and not there, or there and not listed", ErrDamaged, name)
		}
	}
	if n := len(w.unread); err == nil && n > 0 {
		err = fmt.Errorf("%w: %d of %d: %s", errUndecodable, n, w.rows, strings.Join(w.unread[:min(n, maxUndecodable)], "; "))
	}
	return w.rows, err
}

// Verify reads each page and each row of the store while it is in use, as they are at one moment. The error is
// ErrDamaged if any is damaged.
func (db *DB) Verify(ctx context.Context) error {
	return db.view(ctx, func(tx *bbolt.Tx) error {
		_, err := verify(ctx, tx, db.bolt.file)
		return err
	})
}

// wantHeaders fails if one of the two headers of a file is damaged. bbolt then goes on with the
// other, which is that of the commit before.
func wantHeaders(file *boltFile) error {
	head, size := make([]byte, pageHeader+64), int64(file.Info().PageSize)
	for i := range int64(2) {
		_, err := file.file.ReadAt(head, i*size)
		sum := fnv.New64a()
		_, _ = sum.Write(head[pageHeader : pageHeader+56])
		if err != nil || sum.Sum64() != u64(head[pageHeader+56:]) {
			return errHeader
		}
	}
	return nil
}

func u16(b []byte) int    { return int(binary.NativeEndian.Uint16(b)) }
func u32(b []byte) int    { return int(binary.NativeEndian.Uint32(b)) }
func u64(b []byte) uint64 { return binary.NativeEndian.Uint64(b) }

// A walk reads the pages of a file.
type walk struct {
	ctx      context.Context
	file     io.ReaderAt
	pageSize int
	// seen says which pages were read, of all that the file has.
	seen []bool
	// buffers has one for each level of the trees, of which depth are in use.
	buffers [][]byte
	depth   int
	rows    int
	unread  []string
	// named says of each bucket whether it is listed, and whether it is there.
	named map[string]int
}

// A tree is the pages of one bucket.
type tree struct {
	*walk
	// last is the key before, in the order of the tree.
	last []byte
	// row is called with each element of a leaf.
	row func(flags int, key, value []byte) error
}

// read reads a page of the tree and those under it. No key of them may be less than low.
func (t *tree) read(id uint64, low []byte) error {
	page, err := t.page(id)
	if err != nil {
		return fmt.Errorf("page %d: %w", id, err)
	}
	t.depth++
	defer func() { t.depth-- }()
	used, err := t.elements(page, low)
	if err == nil && ((used+t.pageSize-1)/t.pageSize != len(page)/t.pageSize || used == pageHeader && u64(page[pageHeader:]) != 0) {
		err = fmt.Errorf("%w: it has another length", ErrDamaged)
	}
	if err != nil {
		return fmt.Errorf("page %d: %w", id, err)
	}
	return nil
}

// page reads a page into the buffer of its level. It must have that number, and no other place.
func (w *walk) page(id uint64) (page []byte, err error) {
	if w.depth == len(w.buffers) {
		w.buffers = append(w.buffers, make([]byte, w.pageSize))
	}
	head, at := w.buffers[w.depth][:pageHeader], int64(id)*int64(w.pageSize)
	if _, err := w.file.ReadAt(head, at); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	pages := 1 + u32(head[12:])
	if u64(head) != id {
		return nil, fmt.Errorf("%w: it is another page", ErrDamaged)
	}
	for i := id; i < id+uint64(pages); i++ {
		if i < 2 || i >= uint64(len(w.seen)) || w.seen[i] {
			return nil, fmt.Errorf("%w: it has two places, or none", ErrDamaged)
		}
		w.seen[i] = true
	}
	page = slices.Grow(head[:0], pages*w.pageSize)[:pages*w.pageSize]
	w.buffers[w.depth] = page
	if _, err := w.file.ReadAt(page, at); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return page, w.ctx.Err()
}

// elements reads the elements of a page, and returns how many bytes they take. bbolt writes
// keys and values one after another without a gap, so a length or a count that has changed is found.
func (t *tree) elements(page, low []byte) (end int, err error) {
	kind, count := u16(page[8:]), u16(page[10:])
	end = pageHeader + elementLen*count
	if kind != leafPage && kind != branchPage || end > len(page) {
		return 0, fmt.Errorf("%w: its header is damaged", ErrDamaged)
	}
	for i := range count {
		e := page[pageHeader+elementLen*i:]
		at, flags, keyLen, valueLen, child := u32(e), 0, u32(e[4:]), 0, u64(e[8:])
		if kind == leafPage {
			flags, at, keyLen, valueLen = u32(e), u32(e[4:]), u32(e[8:]), u32(e[12:])
		}
		if len(page)-len(e)+at != end || keyLen == 0 || keyLen+valueLen > len(page)-end {
			return 0, fmt.Errorf("%w: element %d is damaged", ErrDamaged, i)
		}
		key, value := page[end:end+keyLen], page[end+keyLen:end+keyLen+valueLen]
		if end += keyLen + valueLen; bytes.Compare(key, low) < 0 || i > 0 && bytes.Compare(key, t.last) <= 0 {
			return 0, fmt.Errorf("%w: key %q follows %q", ErrDamaged, key, t.last)
		}
		if kind == branchPage {
			err = t.read(child, key)
		} else {
			t.last = append(t.last[:0], key...)
			err = t.row(flags, key, value)
		}
		if err != nil {
			return 0, err
		}
	}
	return end, nil
}

// bucket reads a bucket. The first is the one about the store, whose schema is checked before the rest.
func (w *walk) bucket(flags int, key, value []byte) error {
	name := string(key)
	switch {
	case len(w.named) == 0 && name != string(aboutBucket()):
		return errForeign
	case flags != bucketFlag || len(value) < pageHeader:
		return fmt.Errorf("%w: %q is no bucket", ErrDamaged, name)
	}
	w.named[name] |= there
	t := tree{walk: w, row: func(flags int, key, value []byte) error {
		if flags != 0 {
			return fmt.Errorf("%w: %q is no row", ErrDamaged, key)
		}
		return w.row(name, key, value)
	}}
	var err error
	if root, inside := u64(value), value[pageHeader:]; root != 0 {
		err = t.read(root, nil)
	} else if len(inside) < pageHeader {
		err = ErrDamaged
	} else if used, failed := t.elements(inside, nil); failed != nil || used != len(inside) {
		err = cmp.Or(failed, ErrDamaged)
	}
	if err != nil {
		return fmt.Errorf("in bucket %q: %w", name, err)
	}
	return nil
}

// row looks at a row, a message, or what the bucket about the store holds.
func (w *walk) row(bucket string, key, value []byte) (err error) {
	switch {
	case bucket == string(aboutBucket()) && bytes.Equal(key, schemaKey()):
		w.named[bucket] |= listed
		return checkSchema(value)
	case bucket == string(aboutBucket()):
		if len(value) == 0 { // the name of another bucket
			w.named[string(key)] |= listed
		}
		return nil
	case strings.HasPrefix(bucket, tablePrefix):
		_, err = decodeRow(key, value, driver.Paging{})
	case strings.HasPrefix(bucket, queuePrefix):
		_, err = decodeMessage(key, value)
	default:
		return ErrDamaged
	}
	if w.rows++; err != nil {
		w.unread = append(w.unread, fmt.Sprintf("%s: %v", bucket, err))
	}
	return nil
}
