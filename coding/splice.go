package coding

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"net/http"
	"strings"

	"github.com/klauspost/compress/flate"
)

// A Spliced is a personal body in gzip that is compressed once, although a short part of it
// is another each time. That part is sent as it is. What stands before and after it is
// compressed apart, so that nothing refers to it: the length tells nothing about it. The
// body is longer by as much as that of [Coding.Personal] is, by the hash of what is
// compressed. So its length is the same each time, and to ask often tells no more. A Spliced
// is never changed.
type Spliced struct {
	// head is all before the part, and tail all after it but for the sum.
	head, tail []byte
	// before is the sum of what stands before the part.
	before uint32
	after  []byte
	length int
}

// Parts of a file in gzip (RFC 1952, section 2.3) and in deflate (RFC 1951, section 3.2.4).
const (
	gzipHeader  = "\x1f\x8b\x08\x10\x00\x00\x00\x00\x00\xff" // which a comment follows
	storedBlock = "\x00"                                     // which is not the last
	// storedMost is how long the part may be.
	storedMost = 1<<16 - 1
)

// Splice compresses what stands before and after a part. It keeps after.
func Splice(before, after []byte) *Spliced {
	var head, tail bytes.Buffer
	head.WriteString(gzipHeader)
	head.WriteString(strings.Repeat("-", 1+int(hashOf(before, after))%padding))
	head.WriteByte(0) // the comment ends
	deflate(&head, before, (*flate.Writer).Flush)
	head.WriteString(storedBlock)
	deflate(&tail, after, (*flate.Writer).Close)
	return &Spliced{head: head.Bytes(), tail: tail.Bytes(), before: crc32.ChecksumIEEE(before), after: after, length: len(before) + len(after)}
}

// hashOf returns a byte of the hash of what is compressed.
func hashOf(before, after []byte) byte {
	hash := sha256.New()
	_, _ = hash.Write(before) // a hash never fails
	_, _ = hash.Write(after)
	return hash.Sum(nil)[0]
}

// deflate compresses data. end makes the output end with a whole byte.
func deflate(to *bytes.Buffer, data []byte, end func(*flate.Writer) error) {
	w, err := flate.NewWriter(to, flate.DefaultCompression)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = end(w)
	}
	if err != nil {
		panic(err) // the level is constant, and a buffer takes all
	}
}

// Bytes is how much memory it takes, without what Splice got.
func (s *Spliced) Bytes() int { return len(s.head) + len(s.tail) }

// With returns the body with a part, which must be shorter than 64 kB.
func (s *Spliced) With(part string) []byte {
	if len(part) > storedMost {
		panic("the part is too long for one block")
	}
	body := make([]byte, 0, len(s.head)+4+len(part)+len(s.tail)+8)
	body = append(body, s.head...)
	size := uint16(len(part))
	body = binary.LittleEndian.AppendUint16(body, size)
	body = binary.LittleEndian.AppendUint16(body, ^size)
	begun := len(body)
	body = append(body, part...)
	sum := crc32.Update(s.before, crc32.IEEETable, body[begun:])
	sum = crc32.Update(sum, crc32.IEEETable, s.after)
	body = append(body, s.tail...)
	body = binary.LittleEndian.AppendUint32(body, sum)
	return binary.LittleEndian.AppendUint32(body, uint32(s.length+len(part)))
}

// AcceptsGzip tells whether the client accepts gzip, and likes nothing better that Personal
// can make.
func AcceptsGzip(h http.Header) bool {
	if values := h[headerAcceptEncoding]; len(values) == 1 {
		switch values[0] {
		case "gzip, deflate, br, zstd", "gzip,deflate,br,zstd", "gzip, deflate, br", "gzip, deflate", "gzip":
			return true
		}
	}
	return AcceptedOf(h, Gzip, Zstd) == Gzip
}
