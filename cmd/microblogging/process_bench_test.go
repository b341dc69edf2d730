package main

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkIdleProcess starts the program on an empty store, lets it idle for a
// moment, and reads its resident memory.
func BenchmarkIdleProcess(b *testing.B) {
	binary := filepath.Join(b.TempDir(), "microblogging")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	var most float64
	for b.Loop() {
		most = max(most, idleMemory(b, binary))
	}
	b.ReportMetric(most, "MB-resident")
	b.ReportMetric(0, "ns/op")
}

func idleMemory(b *testing.B, binary string) (megabytes float64) {
	b.Helper()
	process := exec.Command(binary, "serve", "--data", b.TempDir(), "--listen", "127.0.0.1:0", "--log-level", "error")
	out, err := process.StdoutPipe()
	if err == nil {
		err = process.Start()
	}
	ok(b, err)
	line, err := bufio.NewReader(out).ReadString('\n')
	ok(b, err)
	response, err := http.Get(strings.TrimSpace(strings.TrimPrefix(line, "listening on ")) + "/readyz")
	if err != nil || response.StatusCode != http.StatusOK {
		b.Fatal(response, err)
	}
	response.Body.Close()
	time.Sleep(3 * time.Second) // the process must be idle
	status, err := os.ReadFile("/proc/" + strconv.Itoa(process.Process.Pid) + "/status")
	ok(b, err)
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kilobytes, err := strconv.Atoi(strings.Fields(rest)[0])
	ok(b, err)
	ok(b, process.Process.Signal(syscall.SIGTERM))
	ok(b, process.Wait())
	return float64(kilobytes) / 1024
}
