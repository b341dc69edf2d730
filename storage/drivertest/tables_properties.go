package drivertest

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"microblogging/storage/driver"
)

func propertyTests() tableTests {
	return tableTests{
		"of every kind comes back as it was":                everyKind,
		"that is an extreme integer comes back as it was":   extremeIntegers,
		"that is an instant comes back to the tick":         instants,
		"that is a text comes back character for character": texts,
		"may be a string of 64 KiB":                         longestString,
		"may be one of 252":                                 manyProperties,
		"need not be there":                                 noProperties,
		"keeps the spelling and case of its name":           propertyNames,
	}
}

// roundTrip writes a row, reads it in each of the three ways and compares.
func roundTrip(t *testing.T, table fixture, properties ...driver.Property) {
	t.Helper()
	table.transact(t, "p", driver.Insert("r", properties...))
	wantProperties(t, table.get(t, "p", "r"), properties...)
	for _, row := range table.rows(t, pagesOf("p", 10)) {
		wantProperties(t, row, properties...)
	}
	for _, row := range table.scan(t, driver.Scan{Paging: driver.Paging{Limit: 10}}) {
		wantProperties(t, row, properties...)
	}
}

func everyKind(t *testing.T, table fixture) {
	roundTrip(t, table,
		driver.String("Text", "some text"), driver.String("Empty", ""), driver.String("Digits", "42"),
		driver.Int64("Number", 42), driver.Int64("Zero", 0),
		driver.Bool("Yes", true), driver.Bool("No", false),
		driver.Time("When", time.Date(2024, 2, 29, 12, 34, 56, 789_012_300, time.UTC)),
	)
}

func extremeIntegers(t *testing.T, table fixture) {
	var properties []driver.Property
	for i, n := range []int64{
		math.MinInt64, math.MinInt64 + 1, math.MinInt32, -1, 1, math.MaxInt32, math.MaxInt32 + 1,
		1<<53 - 1, 1<<53 + 1, -(1<<53 + 1), math.MaxInt64 - 1, math.MaxInt64,
	} {
		properties = append(properties, driver.Int64(fmt.Sprintf("N%d", i), n))
	}
	roundTrip(t, table, properties...)
}

func instants(t *testing.T, table fixture) {
	east := time.FixedZone("east", 5*60*60+30*60)
	roundTrip(t, table,
		driver.Time("Tick", time.Date(2026, 1, 2, 3, 4, 5, 100, time.UTC)),
		driver.Time("AllDigits", time.Date(2026, 1, 2, 3, 4, 5, 123_456_700, time.UTC)),
		driver.Time("LastTickOfASecond", time.Date(2026, 12, 31, 23, 59, 59, 999_999_900, time.UTC)),
		driver.Time("WholeSecond", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)),
		driver.Time("BeforeUnix", time.Date(1969, 7, 20, 20, 17, 40, 999_999_900, time.UTC)),
		// Azure stores no instant before the year 1601.
		driver.Time("First", time.Date(1601, 1, 1, 0, 0, 0, 0, time.UTC)),
		driver.Time("Last", time.Date(9999, 12, 31, 23, 59, 59, 999_999_900, time.UTC)),
		driver.Time("Elsewhere", time.Date(2026, 1, 2, 3, 4, 5, 600, east)),
	)
}

func texts(t *testing.T, table fixture) {
	var properties []driver.Property
	for i, text := range []string{
		"", " ", " spaces around ", "\n", "one\ntwo\r\nthree\rfour\ttab", "Grüße, 世界", "👩‍🚀🇪🇺 𝒜𝒷𝒸",
		`"quotes" and 'apostrophes'`, `back\slash`, "<b>&amp;</b>", "\u2028\u2029", "e\u0301 is not \u00e9",
		"\ufeffbyte order mark", "null", "true", "2026-01-02T03:04:05Z", "{\"a\":1}", "--batch_boundary\r\n\r\n",
	} {
		properties = append(properties, driver.String(fmt.Sprintf("S%d", i), text))
	}
	roundTrip(t, table, properties...)
}

func longestString(t *testing.T, table fixture) {
	const units = 32 << 10 // 64 KiB of UTF-16
	roundTrip(t, table,
		driver.String("Ascii", strings.Repeat("x", units)),
		driver.String("Astral", strings.Repeat("😀", units/2)),
	)
}

func manyProperties(t *testing.T, table fixture) {
	var properties []driver.Property
	for i := range driver.MaxProperties {
		properties = append(properties, driver.Int64(fmt.Sprintf("Property%d", i), int64(i)))
	}
	roundTrip(t, table, properties...)
}

func noProperties(t *testing.T, table fixture) { roundTrip(t, table) }

func propertyNames(t *testing.T, table fixture) {
	roundTrip(t, table,
		driver.String("name", "lower"), driver.String("Name", "upper"), driver.String("_under_score9", "other"),
		driver.String(strings.Repeat("L", 255), "longest"), driver.String("etag", "no system property"),
	)
}
