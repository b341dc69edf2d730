package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"

	"microblogging/storage/driver"
)

// A record is the value that the file holds under the key of a row:
//
//	version      1 byte, recordVersion
//	etag         text
//	count        uvarint, the number of properties
//	properties   each: kind 1 byte, name text, then by its kind
//	             text, or 1 byte, or 8 bytes big endian
//
// A text is a uvarint length and as many bytes. Names and texts of a decoded record
// are parts of one string, to save allocations.
const recordVersion = 1

// smallestProperty is the least number of bytes of a property: the kind, the length
// of an empty name, and the length of an empty text or a truth value.
const smallestProperty = 3

var errCorrupt = errors.New("stored record is damaged")

// encodeRecord returns the record of a row. The properties are encoded already.
func encodeRecord(etag driver.ETag, properties []byte) []byte {
	b := make([]byte, 0, 2+len(etag)+len(properties))
	b = append(b, recordVersion)
	b = appendText(b, string(etag))
	return append(b, properties...)
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

// A record in memory is decoded up to its properties.
type record struct {
	etag driver.ETag
	// encoded is what encodeProperties returned: count and properties.
	encoded string
	count   int
	// rest is the properties without count.
	rest string
}

func decodeRecord(s string) (record, error) {
	if s == "" || s[0] != recordVersion {
		return record{}, fmt.Errorf("%w: unknown version", errCorrupt)
	}
	d := decoder{rest: s[1:]}
	etag := d.text()
	encoded := d.rest
	count := d.uvarint()
	if d.failed || count > uint64(len(d.rest)/smallestProperty) {
		return record{}, errCorrupt
	}
	return record{etag: driver.ETag(etag), encoded: encoded, count: int(count), rest: d.rest}, nil
}

// appendTo decodes the record's properties and appends them.
func (r record) appendTo(properties driver.Properties) (driver.Properties, error) {
	d := decoder{rest: r.rest}
	for range r.count {
		kind := driver.Kind(d.byte())
		name := d.text()
		var text string
		var number int64
		switch kind {
		case driver.KindString:
			text = d.text()
		case driver.KindBoolean:
			number = int64(d.byte())
		default:
			number = d.int64()
		}
		value, err := driver.RawValue(kind, text, number)
		if err != nil || d.failed {
			return nil, errors.Join(errCorrupt, err)
		}
		properties = append(properties, driver.Property{Name: name, Value: value})
	}
	if d.rest != "" {
		return nil, fmt.Errorf("%w: %d bytes too many", errCorrupt, len(d.rest))
	}
	return properties, nil
}

// properties decodes the record's properties into a new slice.
func (r record) properties() (driver.Properties, error) {
	if r.count == 0 && r.rest == "" {
		return nil, nil
	}
	return r.appendTo(make(driver.Properties, 0, r.count))
}

// A decoder reads values from the start of a string. After a failure it returns zero
// values.
type decoder struct {
	rest   string
	failed bool
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

func (d *decoder) int64() int64 {
	var n uint64
	for _, b := range []byte(d.take(8)) {
		n = n<<8 | uint64(b)
	}
	return int64(n)
}

// uvarint reads what binary.AppendUvarint wrote.
func (d *decoder) uvarint() uint64 {
	var n uint64
	for shift := 0; shift < 64 && !d.failed; shift += 7 {
		b := d.byte()
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
	d.failed = true
	return 0
}

func (d *decoder) text() string { return d.take(d.uvarint()) }
