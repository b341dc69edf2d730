package bolt_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"microblogging/storage/bolt"
	"microblogging/storage/driver"
)

// helperDir, if set, makes the test binary a process that writes to the store
// in that directory until it is killed.
const helperDir = "MICROBLOGGING_TEST_WRITE_TO"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperDir); dir != "" {
		if err := writeUntilKilled(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	goleak.VerifyTestMain(m)
}

const helperTable, helperWriters = "Acknowledged", 8

// writeUntilKilled says "open", then the row key of each write that was
// acknowledged. Each transaction writes two rows, of which none may be alone.
func writeUntilKilled(dir string) error {
	ctx := context.Background()
	db, err := bolt.Open(dir, bolt.Options{})
	if err != nil {
		return err
	}
	if err := db.CreateTable(ctx, helperTable); err != nil {
		return err
	}
	fmt.Println("open")
	var out sync.Mutex
	failed := make(chan error)
	for writer := range helperWriters {
		go func() {
			for i := 0; ; i++ {
				row := fmt.Sprintf("%d-%06d", writer, i)
				err := db.Transact(ctx, helperTable, "p", []driver.Operation{
					driver.Insert("a-" + row), driver.Insert("b-" + row),
				})
				if err != nil {
					failed <- err
					return
				}
				out.Lock()
				fmt.Println(row)
				out.Unlock()
			}
		}()
	}
	return <-failed
}

// A helper is another process that writes to a store.
type helper struct {
	process *exec.Cmd
	lines   *bufio.Scanner
}

// startHelper returns once the other process has the store open.
func startHelper(t *testing.T, dir string) *helper {
	t.Helper()
	h := &helper{process: exec.Command(os.Args[0])}
	h.process.Env = append(os.Environ(), helperDir+"="+dir)
	h.process.Stderr = os.Stderr
	stdout, err := h.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.kill(t) })
	h.lines = bufio.NewScanner(stdout)
	if line := h.next(t); line != "open" {
		t.Fatalf("the other process said %q", line)
	}
	return h
}

func (h *helper) next(t *testing.T) string {
	t.Helper()
	if !h.lines.Scan() {
		t.Fatalf("the other process ended: %v", h.lines.Err())
	}
	return h.lines.Text()
}

// kill ends the process with SIGKILL and returns what it said until then.
func (h *helper) kill(t *testing.T) (said []string) {
	t.Helper()
	if h.process.ProcessState != nil {
		return nil
	}
	if err := h.process.Process.Kill(); err != nil {
		t.Errorf("killing the other process: %v", err)
	}
	for h.lines.Scan() {
		said = append(said, h.lines.Text())
	}
	if err := h.process.Wait(); err == nil {
		t.Error("the other process ended by itself")
	}
	return said
}
