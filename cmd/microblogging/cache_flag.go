package main

import (
	"fmt"
	"strconv"
	"strings"
)

// A cacheSize is how many bytes a cache may take. 0 is no cache. Its text is a whole number
// and possibly a unit, such as 64MB or 64MiB.
type cacheSize int64

// largestCache is 1 TiB.
const largestCache = 1 << 40

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *cacheSize) UnmarshalText(text []byte) error {
	number, factor := string(text), int64(1)
	for _, unit := range []struct {
		name  string
		bytes int64
	}{{"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}} {
		if rest, found := strings.CutSuffix(number, unit.name); found {
			number, factor = rest, unit.bytes
			break
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if err != nil || n < 0 || n > largestCache/factor {
		return fmt.Errorf("%q is not a size such as 64MB, or 0", text)
	}
	*s = cacheSize(n * factor)
	return nil
}
