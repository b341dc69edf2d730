package bolt

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"go.etcd.io/bbolt"
)

// visit looks at each key of a file, and so at each page that is in use. The error is
// ErrDamaged if a page cannot be read, or if a key is not in its place.
func visit(ctx context.Context, tx *bbolt.Tx, row func(bucket string, key, value []byte) error) error {
	return tx.ForEach(func(name []byte, bucket *bbolt.Bucket) error {
		err := safely(func() error {
			cursor := bucket.Cursor()
			var last []byte
			for key, value := cursor.First(); key != nil; key, value = cursor.Next() {
				switch {
				case ctx.Err() != nil:
					return ctx.Err()
				case value == nil:
					return fmt.Errorf("bucket %q: %w", key, errForeign)
				case bytes.Compare(last, key) >= 0:
					return fmt.Errorf("%w: key %q is beside %q", ErrDamaged, key, last)
				}
				if err := row(string(name), key, value); err != nil {
					return err
				}
				last = key
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("in bucket %q: %w", name, err)
		}
		return nil
	})
}

// maxNamed is how many rows an error names.
const maxNamed = 20

// readable decodes each row and each message, and returns how many there are. What is copied
// is decoded before: whoever keeps the copy may throw the original away. The error is
// ErrDamaged, and names what cannot be decoded.
func readable(ctx context.Context, tx *bbolt.Tx) (rows int, err error) {
	var unread []string
	n := 0
	err = visit(ctx, tx, func(bucket string, key, value []byte) error {
		rows++
		if err := decode(bucket, key, value); err != nil {
			if n++; n <= maxNamed {
				unread = append(unread, fmt.Sprintf("%s: %v", bucket, err))
			}
		}
		return nil
	})
	if err == nil && n > 0 {
		err = fmt.Errorf("%w: %d of %d rows cannot be read: %s", ErrDamaged, n, rows, strings.Join(unread, "; "))
	}
	return rows, err
}

// decode fails for what no operation could read.
func decode(bucket string, key, value []byte) error {
	switch {
	case strings.HasPrefix(bucket, tablePrefix):
		_, err := decodeRows([]rawRow{{key, value}}, false)
		return err
	case strings.HasPrefix(bucket, queuePrefix):
		if _, err := decodeMessage(value); err != nil || len(key) != placeLen {
			return fmt.Errorf("at %x: %w", key, errCorrupt)
		}
		return nil
	case bucket == string(aboutBucket()):
		return nil
	}
	return errForeign
}
