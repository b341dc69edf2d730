package mem

import (
	"encoding/binary"
	"math/bits"

	"microblogging/storage/driver"
)

// A Sum identifies content by 128 bits. It is the same in every process. It is not a
// cryptographic hash: an attacker can find collisions.
type Sum struct{ hi, lo uint64 }

// Plus returns the sum of a collection after one more member is added. The order of
// the members does not matter.
func (s Sum) Plus(member Sum) Sum {
	lo, carry := bits.Add64(s.lo, member.lo, 0)
	hi, _ := bits.Add64(s.hi, member.hi, carry)
	return Sum{hi, lo}
}

// Minus returns the sum of a collection after a member is taken out.
func (s Sum) Minus(member Sum) Sum {
	lo, borrow := bits.Sub64(s.lo, member.lo, 0)
	hi, _ := bits.Sub64(s.hi, member.hi, borrow)
	return Sum{hi, lo}
}

// A Digest makes a Sum of parts. Their order matters. The zero value has no parts.
type Digest struct{ a, b uint64 }

// Constants without a pattern: digits of pi and of e, and of the golden ratio.
const (
	mixA = 0x243f6a8885a308d3
	mixB = 0xb7e151628aed2a6b
	mixC = 0x9e3779b97f4a7c15
)

// Int adds a number.
func (d *Digest) Int(n uint64) {
	hi, lo := bits.Mul64(d.a^n^mixA, mixB)
	d.a = hi ^ lo ^ d.b
	hi, lo = bits.Mul64(d.b^bits.RotateLeft64(n, 32)^mixC, mixA|1)
	d.b = hi ^ lo + d.a
}

// Text adds a text and its length, so that "ab", "c" differs from "a", "bc".
func (d *Digest) Text(s string) {
	d.Int(uint64(len(s)))
	for len(s) >= 8 {
		d.Int(binary.LittleEndian.Uint64([]byte(s[:8])))
		s = s[8:]
	}
	var rest uint64
	for i := range len(s) {
		rest |= uint64(s[i]) << (8 * i)
	}
	d.Int(rest)
}

// Properties adds properties.
func (d *Digest) Properties(list driver.Properties) {
	d.Int(uint64(len(list)))
	for _, p := range list {
		d.Text(p.Name)
		d.Int(uint64(p.Value.Kind()))
		d.Int(uint64(p.Value.Number()))
		d.Text(p.Value.Text())
	}
}

// Entity adds a row.
func (d *Digest) Entity(e driver.Entity) {
	d.Text(e.Partition)
	d.Text(e.Row)
	d.Text(string(e.ETag))
	d.Properties(e.Properties)
}

// Sum adds another sum.
func (d *Digest) Sum(s Sum) {
	d.Int(s.hi)
	d.Int(s.lo)
}

// Done returns the sum of the parts so far.
func (d *Digest) Done() Sum {
	end := *d
	end.Int(mixA)
	end.Int(mixB)
	return Sum{end.a, end.b}
}
