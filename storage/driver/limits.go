package driver

import (
	"fmt"
	"time"

	"microblogging/domain"
)

// Azure's limits ("Understanding the Table service data model", "Performing
// entity group transactions", "Put Message", "Get Messages"). Table and Queue
// enforce them for every backend, because Azurite and bbolt accept much that
// Azure refuses. Sizes are in bytes.
const (
	// MaxOperations is the most operations of a transaction.
	MaxOperations = 100
	// MaxTransaction is the largest transaction, as it is sent.
	MaxTransaction = 4 << 20
	// MaxEntity is the largest row, as Azure counts it.
	MaxEntity = 1 << 20
	// MaxProperties is the most properties of a row.
	MaxProperties = 252
	// MaxPage is the most rows of a page.
	MaxPage = 1000
	// MaxMessageText is the longest text of a message.
	MaxMessageText = 64 << 10
	// MaxReceive is the most messages of one Receive.
	MaxReceive = 32

	// maxString is the longest string property in UTF-16 units: 64 KiB.
	maxString = 64 << 10 / 2
	// maxKey is the longest key in UTF-16 units: 1 KiB.
	maxKey          = 1 << 10 / 2
	maxPropertyName = 255
	// operationOverhead is an upper bound for the multipart headers around one
	// operation.
	operationOverhead = 512
	// maxLease is the longest visibility timeout.
	maxLease = 7 * 24 * time.Hour
)

// limitError wraps domain.ErrLimit.
func limitError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", domain.ErrLimit, fmt.Sprintf(format, args...))
}
