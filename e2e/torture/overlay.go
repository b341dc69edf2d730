package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// The variables by which torture reaches into its processes. See overlay.
const (
	// clockVariable says how far the clock of a process is ahead, as a duration.
	clockVariable = "TORTURE_CLOCK"
	// passedVariable says how much of that the clock of the store is ahead too, as a duration.
	passedVariable = "TORTURE_PASSED"
	// diskVariable names a file. As long as it is there, the disk hangs.
	diskVariable = "TORTURE_DISK"
)

const wrongClock = `

var tortureClock = func() int64 {
	text, _ := syscall.Getenv("` + clockVariable + `")
	ahead, _ := ParseDuration(text)
	return int64(ahead / Second)
}()

func TorturePassed() Duration {
	text, _ := syscall.Getenv("` + passedVariable + `")
	passed, _ := ParseDuration(text)
	return passed
}
`

const hungDisk = `

func tortureDisk() {
	file, _ := Getenv("` + diskVariable + `")
	for Access(file, 0) == nil {
		_ = Nanosleep(&Timespec{Nsec: 1e7}, nil)
	}
}
`

// overlay writes into a directory what the compiler takes instead of three files of Go's library,
// and returns the flags that tell it so. The program itself knows nothing of that: a wrong clock
// is in time.Now, that of the store in http.ParseTime, and a disk that hangs in syscall.Fdatasync, by which bbolt commits.
func overlay(dir string) (flags []string, err error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("looking for Go: %w", err)
	}
	var files struct{ Replace map[string]string }
	files.Replace = map[string]string{}
	for _, patch := range []struct{ of, line, more, code string }{
		{"time/sleep.go", "import (\n", "\t\"syscall\"\n", wrongClock},
		{"time/time.go", "sec, nsec, mono := runtimeNow()\n", "\tsec += tortureClock\n", ""},
		{"net/http/header.go", "func ParseTime(text string) (t time.Time, err error) {\n", "\tdefer func() { t = t.Add(time.TorturePassed()) }()\n", ""},
		{"syscall/zsyscall_linux_" + runtime.GOARCH + ".go", "func Fdatasync(fd int) (err error) {\n", "\ttortureDisk()\n", hungDisk},
	} {
		file := filepath.Join(strings.TrimSpace(string(root)), "src", filepath.FromSlash(patch.of))
		source, err := os.ReadFile(file)
		if err == nil && strings.Count(string(source), patch.line) != 1 {
			err = fmt.Errorf("%s has no line %q", file, patch.line)
		}
		patched := strings.Replace(string(source), patch.line, patch.line+patch.more, 1) + patch.code
		files.Replace[file] = filepath.Join(dir, filepath.Base(file))
		if err = errors.Join(err, os.WriteFile(files.Replace[file], []byte(patched), 0o600)); err != nil {
			return nil, err
		}
	}
	list, err := json.Marshal(files)
	file := filepath.Join(dir, "overlay.json")
	return []string{"-overlay=" + file}, errors.Join(err, os.WriteFile(file, list, 0o600))
}
