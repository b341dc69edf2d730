package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
)

// giveBack gives memory back that only the start needed: freed memory of the heap, and the
// pages of the program's own file, such as the code that reads flags. The kernel would take
// the latter back too, but only when memory is short. What is needed again is mapped again
// when it is used, mostly from the kernel's cache, 64 KB at a time. giveBack changes nothing
// that the program can see; an error says that less was given back.
func giveBack() error {
	debug.FreeOSMemory()
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return err
	}
	defer maps.Close()
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(maps)
	for lines.Scan() {
		from, size, ok := readOnlyPart(lines.Text(), program)
		if !ok {
			continue
		}
		if _, _, failed := syscall.Syscall(syscall.SYS_MADVISE, from, size, syscall.MADV_DONTNEED); failed != 0 {
			return fmt.Errorf("madvise: %w", failed)
		}
	}
	return lines.Err()
}

// readOnlyPart returns the place of a mapping of the program's file that nobody can have
// written to, from a line of /proc/self/maps.
func readOnlyPart(line, program string) (from, size uintptr, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 6 || fields[1] != "r--p" && fields[1] != "r-xp" || strings.Join(fields[5:], " ") != program {
		return 0, 0, false
	}
	var to uintptr
	if _, err := fmt.Sscanf(fields[0], "%x-%x", &from, &to); err != nil {
		return 0, 0, false
	}
	return from, to - from, true
}
