package check

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"microblogging/domain"
)

// fingerprint is a sum over a set of posts and their ratings, in any order. Two sets
// that differ have the same sum with a probability of 2 to the power of -128.
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
