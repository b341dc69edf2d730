package storage

import (
	"iter"

	"microblogging/storage/driver"
)

// A stream is a scan with its next row in view.
type stream struct {
	head  driver.Entity
	err   error
	ended bool
	next  func() (driver.Entity, error, bool)
	stop  func()
}

func newStream(rows iter.Seq2[driver.Entity, error]) *stream {
	s := &stream{}
	s.next, s.stop = iter.Pull2(rows)
	s.advance()
	return s
}

func (s *stream) advance() {
	var ok bool
	s.head, s.err, ok = s.next()
	s.ended = !ok
}

// earlier is the lesser partition key of two streams, of which one at least has
// not ended.
func earlier(a, b *stream) string {
	switch {
	case a.ended:
		return b.head.Partition
	case b.ended:
		return a.head.Partition
	default:
		return min(a.head.Partition, b.head.Partition)
	}
}
