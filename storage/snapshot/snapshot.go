package snapshot

import (
	"errors"
	"time"
)

// Why a file is refused.
var (
	ErrForeign = errors.New("it is not a backup")
	ErrCut     = errors.New("it is cut short")
	ErrAltered = errors.New("it is damaged, or was altered")
	ErrNewer   = errors.New("it was written by a newer version of this program")
)

// A GivenUpError is a file whose writer gave it up, and its reason.
type GivenUpError struct{ Reason string }

func (e *GivenUpError) Error() string { return "it was given up: " + e.Reason }

// A Content is what a file holds.
type Content string

const (
	// Whole is a whole store.
	Whole Content = "store"
	// Deletions is only the record of each deletion.
	Deletions Content = "deletions"
)

// A Head says what a file holds.
type Head struct {
	Content Content `json:"content"`
	// Schema is the version of the store's schema: the names of sections, keys and values.
	Schema uint32 `json:"schema"`
	// TakenOn is when the snapshot was taken, by the clock of the machine that took it.
	TakenOn time.Time `json:"takenOn"`
}

// A Summary is what is known of a file that was read to its end.
type Summary struct {
	Head
	// Rows counts the keys of all sections.
	Rows uint64
	// Bytes is the size of the file.
	Bytes int64
}

// The kinds of blocks.
const (
	kindHead    = 'h'
	kindSection = 's'
	kindRows    = 'r'
	kindEnd     = 'e'
	kindGivenUp = 'x'
)

const (
	magicName    = "MicroBlogging backup "
	magicVersion = "1\n"
	magic        = magicName + magicVersion

	headerLen = 5
	// blockSize is about how many bytes of rows one block holds before they are
	// compressed. A row that is larger has a block of its own.
	blockSize = 256 << 10
	// maxBlock limits a block, so that a length that was altered takes no memory. The
	// largest row has a little more than 1 MiB.
	maxBlock = 16 << 20
)
