package bolt

import (
	"bytes"
	"cmp"
	"fmt"
	"sync"
	"sync/atomic"

	"go.etcd.io/bbolt"
)

// visitPages looks at each key of a file, and so at each page that is in use. Two goroutines
// do it, which walk towards each other, because it is much of what it takes to open a file
// without a list of free pages. The error is errDamaged if a page cannot be read, or if a
// key is not in its place.
func visitPages(file *bbolt.DB) error {
	var buckets []*walked
	err := file.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, _ *bbolt.Bucket) error {
			buckets = append(buckets, &walked{name: bytes.Clone(name)})
			return nil
		})
	})
	if err != nil {
		return err
	}
	var walks sync.WaitGroup
	var failed [2]error
	for i, walk := range []func(*walked, *bbolt.Cursor) error{(*walked).forwards, (*walked).backwards} {
		walks.Go(func() {
			failed[i] = safely(func() error { return walkAll(file, buckets, walk) })
		})
	}
	walks.Wait()
	return cmp.Or(failed[0], failed[1]) // one of them says it
}

func walkAll(file *bbolt.DB, buckets []*walked, walk func(*walked, *bbolt.Cursor) error) error {
	return file.View(func(tx *bbolt.Tx) error {
		for _, b := range buckets {
			if err := walk(b, tx.Bucket(b.name).Cursor()); err != nil {
				return err
			}
		}
		return nil
	})
}

// walked is a bucket, and how far each walk has come in it. Both walks together have seen all
// keys once one of them is where the other has been.
type walked struct {
	name        []byte
	front, back atomic.Pointer[[]byte]
}

// lookEvery is after how many keys a walk looks where the other is.
const lookEvery = 256

func (w *walked) forwards(c *bbolt.Cursor) error {
	key, _ := c.First()
	return w.walk(key, c.Next, &w.front, &w.back, 1)
}

func (w *walked) backwards(c *bbolt.Cursor) error {
	key, _ := c.Last()
	return w.walk(key, c.Prev, &w.back, &w.front, -1)
}

// walk goes on from a key until there is no other, or until the other walk has been there.
// Each key compares to the one before it as order says.
func (w *walked) walk(key []byte, next func() (key, value []byte), mine, other *atomic.Pointer[[]byte], order int) error {
	for n := 1; key != nil; n++ {
		last := key
		if n%lookEvery == 0 {
			at := key // apart from last, so that only what is told takes memory of its own
			mine.Store(&at)
			if met := other.Load(); met != nil && bytes.Compare(key, *met) != -order {
				return nil
			}
		}
		if key, _ = next(); key != nil && bytes.Compare(key, last) != order {
			return fmt.Errorf("%w: in bucket %q, key %q is beside %q", errDamaged, w.name, key, last)
		}
	}
	return nil
}
