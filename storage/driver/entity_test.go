package driver_test

import (
	"testing"
	"time"

	"microblogging/storage/driver"
)

func TestValue(t *testing.T) {
	noon := time.Date(2026, 7, 29, 14, 0, 0, 123456700, time.FixedZone("", 2*60*60))
	for want, p := range map[string]driver.Property{
		"a text": driver.String("P", "a text"), "": driver.String("P", ""), "-3": driver.Int64("P", -3),
		"true": driver.Bool("P", true), "false": driver.Bool("P", false), "2026-07-29T12:00:00.1234567Z": driver.Time("P", noon),
	} {
		if got := p.Value.String(); got != want {
			t.Errorf("reads as %q, want %q", got, want)
		}
	}
	for _, kind := range []driver.Kind{0, 5} {
		if v, err := driver.RawValue(kind, "text", 1); err == nil {
			t.Errorf("of unknown kind %d, a value reads as %q", kind, v)
		}
	}
}
