package check

import (
	"crypto/sha256"
	"encoding/binary"
)

// fingerprint is a sum over a set of keys, in any order. What is added and what is taken away
// leaves nothing if both are the same, and otherwise with a probability of 2 to the power of
// -128.
type fingerprint struct{ low, high uint64 }

// add adds a key so many times. A negative number takes it away.
func (f *fingerprint) add(times int64, key string) {
	sum := sha256.Sum256([]byte(key))
	f.low += uint64(times) * binary.LittleEndian.Uint64(sum[:8])
	f.high += uint64(times) * binary.LittleEndian.Uint64(sum[8:16])
}
