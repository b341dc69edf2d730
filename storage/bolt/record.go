package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"microblogging/storage/driver"
)

// A record is the value that the file holds under the key of a row:
//
//	checksum     4 bytes, see seal
//	etag         text
//	count        uvarint, the number of properties
//	properties   each: kind 1 byte, name text, then by its kind
//	             text, or 1 byte, or 8 bytes big endian
//
// A text is a uvarint length and as many bytes.

// smallestProperty is the least number of bytes of a property: the kind, the length
// of an empty name, and the length of an empty text or a truth value.
const smallestProperty = 3

var errCorrupt = errors.New("stored record is damaged")

// checksumLen is the length of the checksum that begins each value of a row or a message.
const checksumLen = 4

// checksum is a CRC-32C of the key and of what is after the checksum. So a value that has changed
// is found, and one that is under the key of another.
func checksum(key, value []byte) uint32 {
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, value[checksumLen:])
}

// seal writes the checksum to the beginning of a value, which has room for it.
func seal(key, value []byte) []byte {
	binary.BigEndian.PutUint32(value, checksum(key, value))
	return value
}

// unseal returns a decoder of a copy of what is after the checksum, which must be right.
func unseal(key, value []byte) (decoder, error) {
	if len(value) < checksumLen || binary.BigEndian.Uint32(value) != checksum(key, value) {
		return decoder{}, errCorrupt
	}
	return decoder{rest: string(value[checksumLen:])}, nil
}

// encodeRecord returns the record of a row. The properties are encoded already.
func encodeRecord(key []byte, etag driver.ETag, properties []byte) []byte {
	b := make([]byte, checksumLen, checksumLen+1+len(etag)+len(properties))
	b = appendText(b, string(etag))
	return seal(key, append(b, properties...))
}

// encodeProperties returns count and properties.
func encodeProperties(properties driver.Properties) []byte {
	size := binary.MaxVarintLen16
	for _, p := range properties {
		size += 1 + binary.MaxVarintLen16 + len(p.Name) + 8 + len(p.Value.Text())
	}
	b := binary.AppendUvarint(make([]byte, 0, size), uint64(len(properties)))
	for _, p := range properties {
		b = append(b, byte(p.Value.Kind()))
		b = appendText(b, p.Name)
		switch p.Value.Kind() {
		case driver.KindString:
			b = appendText(b, p.Value.Text())
		case driver.KindBoolean:
			b = append(b, byte(p.Value.Number()))
		default:
			b = binary.BigEndian.AppendUint64(b, uint64(p.Value.Number()))
		}
	}
	return b
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// decodeRecord copies a record out of the file. If names are given, it keeps only these
// properties, and of the others no memory.
func decodeRecord(key, value []byte, names []string) (driver.ETag, driver.Properties, error) {
	d, err := unseal(key, value)
	if err != nil {
		return "", nil, err
	}
	etag, count := driver.ETag(d.text()), d.uvarint()
	if d.failed || count > uint64(len(d.rest)/smallestProperty) {
		return "", nil, errCorrupt
	}
	properties := make(driver.Properties, 0, count)
	for range count {
		p, err := d.property()
		switch {
		case err != nil || d.failed:
			return "", nil, errors.Join(errCorrupt, err)
		case len(names) == 0:
			properties = append(properties, p)
		case slices.Contains(names, p.Name):
			if p.Name = strings.Clone(p.Name); p.Value.Kind() == driver.KindString {
				p = driver.String(p.Name, strings.Clone(p.Value.Text()))
			}
			properties = append(properties, p)
		}
	}
	switch {
	case d.rest != "":
		return "", nil, fmt.Errorf("%w: %d bytes too many", errCorrupt, len(d.rest))
	case len(names) > 0:
		etag = ""
	}
	return etag, properties, nil
}

// A decoder reads values from the start of a string. After a failure it returns zero
// values.
type decoder struct {
	rest   string
	failed bool
}

func (d *decoder) property() (driver.Property, error) {
	kind, name := driver.Kind(d.byte()), d.text()
	var text string
	var number int64
	switch kind {
	case driver.KindString:
		text = d.text()
	case driver.KindBoolean:
		number = int64(d.byte())
	default:
		if b := d.take(8); b != "" {
			number = int64(binary.BigEndian.Uint64([]byte(b)))
		}
	}
	value, err := driver.RawValue(kind, text, number)
	return driver.Property{Name: name, Value: value}, err
}

// take reads n bytes.
func (d *decoder) take(n uint64) string {
	if d.failed || n > uint64(len(d.rest)) {
		d.failed = true
		return ""
	}
	taken := d.rest[:n]
	d.rest = d.rest[n:]
	return taken
}

func (d *decoder) byte() byte {
	if b := d.take(1); b != "" {
		return b[0]
	}
	return 0
}

func (d *decoder) uvarint() uint64 {
	n, size := binary.Uvarint([]byte(d.rest[:min(len(d.rest), binary.MaxVarintLen64)]))
	if size <= 0 {
		d.failed = true
		return 0
	}
	d.take(uint64(size))
	return n
}

func (d *decoder) text() string { return d.take(d.uvarint()) }
