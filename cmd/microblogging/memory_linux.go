package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
)

// giveBack gives memory back that only the start needed: freed memory of the heap, and the
// pages of the program's own file, such as the code that reads flags, and of the store's file, all
// of which bbolt reads to find those that are free. The kernel would take
// the latter back too, but only when memory is short. What is needed again is mapped again
// when it is used, mostly from the kernel's cache, 64 KB at a time. giveBack changes nothing
// that the program can see; an error says that less was given back.
func giveBack() error {
	debug.FreeOSMemory()
	maps, err := os.ReadFile("/proc/self/maps")
	program, err2 := os.Readlink("/proc/self/exe")
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	for line := range strings.Lines(string(maps)) {
		if from, size, ok := readOnlyPart(strings.TrimSpace(line), program); ok {
			if _, _, failed := syscall.Syscall(syscall.SYS_MADVISE, from, size, syscall.MADV_DONTNEED); failed != 0 {
				return fmt.Errorf("madvise: %w", failed)
			}
		}
	}
	return nil
}

// readOnlyPart returns the place of a mapping of a file that this process cannot have written to,
// from a line of /proc/self/maps: of the program's file, or of a file that is shared.
func readOnlyPart(line, program string) (from, size uintptr, ok bool) {
	var to uintptr
	var rights string
	_, err := fmt.Sscanf(line, "%x-%x %s", &from, &to, &rights)
	return from, to - from, err == nil && (rights == "r--s" ||
		(rights == "r--p" || rights == "r-xp") && strings.HasSuffix(line, " "+program))
}
