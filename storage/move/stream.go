package move

import (
	"context"
	"fmt"
	"iter"
	"runtime/debug"

	"microblogging/storage"
	"microblogging/storage/driver"
)

// A stream is a list of rows in the order of their keys, with the next one read ahead.
type stream struct {
	head  driver.Entity
	err   error
	ended bool
	next  func() (driver.Entity, error, bool)
	stop  func()
}

// advance reads the next row. After an error there is none.
func (s *stream) advance() {
	var more bool
	if s.head, s.err, more = s.next(); s.err != nil || !more {
		s.head, s.ended = driver.Entity{}, true
	}
}

// rows streams the rows of a table that come after a position: first those of its
// partition, and then the other partitions.
func (t table) rows(ctx context.Context, after storage.CopiedTo) *stream {
	list := func(yield func(driver.Entity, error) bool) {
		scan := driver.Scan{From: after.Partition}
		if after.Partition != "" {
			scan.From += " " // the least key after it
			for row, err := range t.Within(ctx, driver.Range{Partition: after.Partition, From: after.Row + " "}) {
				if !yield(row, err) {
					return
				}
			}
		}
		for row, err := range t.All(ctx, scan) {
			if !yield(row, err) {
				return
			}
		}
	}
	s := &stream{}
	if t.inTurn {
		s.next, s.stop = iter.Pull2(iter.Seq2[driver.Entity, error](list))
		return s
	}
	s.next, s.stop = ahead(list)
	return s
}

// readAhead is how many rows a stream reads ahead: about a page. A page is read meanwhile.
const readAhead = driver.MaxPage

type rowOrError struct {
	row driver.Entity
	err error
}

// ahead pulls from a list that a goroutine reads ahead. stop must be called.
func ahead(list iter.Seq2[driver.Entity, error]) (next func() (driver.Entity, error, bool), stop func()) {
	rows, quit, ended := make(chan rowOrError, readAhead), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer close(rows)
		err := guarded(func() error {
			for row, err := range list {
				select {
				case rows <- rowOrError{row, err}:
				case <-quit:
					return nil
				}
			}
			return nil
		})
		if err != nil {
			select {
			case rows <- rowOrError{err: err}:
			case <-quit:
			}
		}
	}()
	next = func() (driver.Entity, error, bool) {
		r, more := <-rows
		return r.row, r.err, more
	}
	return next, func() { close(quit); <-ended }
}

// guarded makes a panic of a library an error: it must not end the process from a
// goroutine that nobody can recover in.
func guarded(do func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	return do()
}
