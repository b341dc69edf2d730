package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestGiveBack(t *testing.T) {
	t.Run("makes the process smaller, which goes on", giveBackMakesTheProcessSmaller)
	t.Run("gives back what bbolt has read of a store", drivertest.Long(giveBackIsOfTheStore))
	t.Run("is of the program's own file, which no code writes", giveBackIsOfTheProgramsFile)
}

func giveBackMakesTheProcessSmaller(t *testing.T) {
	before := resident(t, os.Getpid(), "RssFile")
	ok(t, giveBack())
	if after := resident(t, os.Getpid(), "RssFile"); after > before*0.9 {
		t.Errorf("%f MB of files before, %f after", before, after)
	}
}

func giveBackIsOfTheStore(t *testing.T) {
	s := openSite(t, t.TempDir())
	large := driver.NewTable(s.db, "Large")
	s.ok(large.Create(t.Context()))
	for i := range 60 {
		var properties []driver.Property
		for n := range 15 {
			properties = append(properties, driver.String(fmt.Sprint("Text", n), strings.Repeat("x", 32<<10)))
		}
		s.ok(large.Transact(t.Context(), "p", driver.Insert(fmt.Sprint(i), properties...)))
	}
	s.close()
	openSite(t, s.data)
	before := resident(t, os.Getpid(), "RssFile")
	ok(t, giveBack())
	if after := resident(t, os.Getpid(), "RssFile"); before < 30 || after > before-25 {
		t.Errorf("%f MB of files before, %f after, of a store of 30 MB", before, after)
	}
}

func giveBackIsOfTheProgramsFile(t *testing.T) {
	const program = "/usr/bin/a program"
	for line, want := range map[string][2]uintptr{
		"00400000-00ed1000 r-xp 00000000 fe:00 123                      /usr/bin/a program":        {0x400000, 0xad1000},
		"00ed1000-01a6e000 r--p 00ad1000 fe:00 123                      /usr/bin/a program":        {0xed1000, 0xb9d000},
		"01a6e000-01bdb000 rw-p 0166e000 fe:00 123                      /usr/bin/a program":        {},
		"01bdb000-03c26000 rw-p 00000000 00:00 0 ":                                                 {},
		"7f0000000000-7f0000028000 r--p 00000000 fe:00 456              /usr/lib/libc.so.6":        {},
		"01a6e000-01bdb000 r--p 0166e000 fe:00 123                      /usr/bin/a":                {},
		"7f0000000000-7f0000028000 r--s 00000000 fe:00 456              /var/lib/microblogging.db": {0x7f0000000000, 0x28000},
		"7f0000000000-7f0000028000 rw-s 00000000 fe:00 456              /var/lib/other":            {},
		"": {},
	} {
		from, size, ok := readOnlyPart(line, program)
		if ok != (want[1] > 0) || ok && (from != want[0] || size != want[1]) {
			t.Errorf("%q: %x, %x, %t", line, from, size, ok)
		}
	}
}
