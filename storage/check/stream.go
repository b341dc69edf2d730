package check

import (
	"iter"

	"microblogging/storage/driver"
)

// A stream is a scan whose next row, head, is read ahead.
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

// earlier returns the lesser partition key of the heads of two streams. At least one
// of them must not have ended.
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
