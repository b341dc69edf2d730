// Command press makes what package static serves of the files in static/: it leaves out the
// comments and spaces of style sheets and scripts, and compresses all text with brotli, and with
// gzip for clients that do not know brotli. (zstd would be no shorter than gzip.) That takes
// longer than the program should take to start, and libraries that it does not need.
//
// It writes to static/served/, which is committed, so that a clone builds without it. Its
// test fails if a file there is not what it would write.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := write("served"); err != nil {
		fmt.Fprintln(os.Stderr, "press:", err)
		os.Exit(1)
	}
}

// write replaces the files in the folder. The sources are in the folder of the caller.
func write(folder string) error {
	files, err := pressed(os.DirFS("."))
	if err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
