//go:build !linux

package main

import "runtime/debug"

// giveBack gives memory of the heap back that only the start needed.
func giveBack() error {
	debug.FreeOSMemory()
	return nil
}
