package bolt

import (
	"encoding/binary"
	"slices"

	"microblogging/storage/driver"
)

// selectProperties returns the record with the named properties alone and without its
// ETag. It works on the mapped file and copies only what is selected: a range of long
// texts costs no memory if the text is not selected.
func selectProperties(raw []byte, names []string) ([]byte, error) {
	if len(raw) == 0 || raw[0] != recordVersion {
		return nil, errCorrupt
	}
	s := slicer{rest: raw[1:]}
	s.text() // the ETag
	total := s.uvarint()
	if s.failed || total > uint64(len(s.rest)/smallestProperty) {
		return nil, errCorrupt
	}
	var selected []byte
	count := uint64(0)
	for range total {
		property := s.rest
		if name := s.property(); slices.Contains(names, string(name)) {
			selected = append(selected, property[:len(property)-len(s.rest)]...)
			count++
		}
	}
	if s.failed || len(s.rest) > 0 {
		return nil, errCorrupt
	}
	return encodeRecord("", append(binary.AppendUvarint(nil, count), selected...)), nil
}

// A slicer cuts values off encoded bytes without copying them. Once it has failed, it
// returns zero values.
type slicer struct {
	rest   []byte
	failed bool
}

// property cuts off a property, and returns its name.
func (s *slicer) property() (name []byte) {
	kind := s.take(1)
	name = s.text()
	if s.failed {
		return nil
	}
	switch driver.Kind(kind[0]) {
	case driver.KindString:
		s.text()
	case driver.KindBoolean:
		s.take(1)
	case driver.KindInt64, driver.KindDateTime:
		s.take(8)
	default:
		s.failed = true
	}
	return name
}

func (s *slicer) text() []byte { return s.take(s.uvarint()) }

func (s *slicer) uvarint() uint64 {
	value, size := binary.Uvarint(s.rest)
	if size <= 0 {
		s.failed = true
		return 0
	}
	s.rest = s.rest[size:]
	return value
}

func (s *slicer) take(n uint64) []byte {
	if s.failed || n > uint64(len(s.rest)) {
		s.failed = true
		return nil
	}
	taken := s.rest[:n]
	s.rest = s.rest[n:]
	return taken
}
