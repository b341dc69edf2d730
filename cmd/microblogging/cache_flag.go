package main

import "fmt"

// A cacheSize is how many bytes a cache may take. 0 is no cache. Its text is like that of
// a byteSize, or has a unit in thousands, such as 64MB.
type cacheSize int64

// largestCache is 1 TiB.
const largestCache = 1 << 40

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *cacheSize) UnmarshalText(text []byte) error {
	units := append([]byteUnit{{"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}}, byteUnits...)
	n, ok := parseBytes(string(text), units, largestCache)
	if !ok {
		return fmt.Errorf("%q is not a size such as 64MB, or 0", text)
	}
	*s = cacheSize(n)
	return nil
}
