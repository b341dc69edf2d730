package bolt

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// A panicError is a panic in bbolt, with its stack.
type panicError struct {
	value any
	stack string
}

func (e panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// caught calls work, which looks at the mapped file, and returns a panic there as a
// panicError. bbolt panics at a page that contradicts others, and memory faults at a page that
// the disk cannot read. Either would end the process.
func caught(work func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if value := recover(); value != nil {
			err = panicError{value, string(debug.Stack())}
		}
	}()
	return work()
}

// safely is caught for work that needs nothing but pages that can be read. A panic there says
// that the file is damaged.
func safely(read func() error) error {
	err := caught(read)
	if err == nil {
		return nil
	}
	var panicked panicError
	if errors.As(err, &panicked) {
		return fmt.Errorf("%w: %v", ErrDamaged, panicked.value)
	}
	return err
}
