package storage

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"microblogging/domain"
)

// fingerprint sums up a set of posts and ratings, whatever their order: two
// sets that differ have different sums, but for a chance of 2 to the -128.
type fingerprint struct {
	low, high uint64
	n         int
}

func (f *fingerprint) add(id domain.BlogID, rating int64) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d!%s", rating, id))
	f.low += binary.LittleEndian.Uint64(sum[:8])
	f.high += binary.LittleEndian.Uint64(sum[8:16])
	f.n++
}
