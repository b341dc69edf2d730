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

// writeTo names an environment variable. If it is set, the test binary is a process
// that writes to the store in that directory until it is killed.
const writeTo = "MICROBLOGGING_TEST_WRITE_TO"

// compactIn is the same for a process that compacts the store again and again.
const compactIn = "MICROBLOGGING_TEST_COMPACT"

// restoreIn is the same for a process that restores a file into one directory after another.
const restoreIn = "MICROBLOGGING_TEST_RESTORE"

func TestMain(m *testing.M) {
	for name, work := range map[string]func(string) error{
		writeTo: writeUntilKilled, compactIn: bolt.CompactUntilKilled, restoreIn: bolt.RestoreUntilKilled,
	} {
		if dir := os.Getenv(name); dir != "" {
			if err := work(dir); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}
	goleak.VerifyTestMain(m)
}

const processTable, processWriters = "Acknowledged", 8

// writeUntilKilled prints "open", and then the row key of each acknowledged write.
// Each transaction writes two rows; neither may be there without the other.
func writeUntilKilled(dir string) error {
	ctx := context.Background()
	db, err := bolt.Open(dir, bolt.Options{})
	if err != nil {
		return err
	}
	if err := driver.NewTable(db, processTable).Create(ctx); err != nil {
		return err
	}
	fmt.Println("open")
	var out sync.Mutex
	failed := make(chan error)
	for writer := range processWriters {
		go func() {
			for i := 0; ; i++ {
				row := fmt.Sprintf("%d-%06d", writer, i)
				err := driver.NewTable(db, processTable).Transact(ctx, "p",
					driver.Insert("a-"+row), driver.Insert("b-"+row))
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

// A process is another process that writes to a store.
type process struct {
	command *exec.Cmd
	lines   *bufio.Scanner
}

// startProcess returns when the other process has the store open.
func startProcess(t *testing.T, dir string) *process {
	t.Helper()
	p := &process{command: exec.Command(os.Args[0])}
	p.command.Env = append(os.Environ(), writeTo+"="+dir)
	p.command.Stderr = os.Stderr
	stdout, err := p.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.kill(t) })
	p.lines = bufio.NewScanner(stdout)
	if line := p.next(t); line != "open" {
		t.Fatalf("the other process printed %q", line)
	}
	return p
}

func (p *process) next(t *testing.T) string {
	t.Helper()
	if !p.lines.Scan() {
		t.Fatalf("the other process ended: %v", p.lines.Err())
	}
	return p.lines.Text()
}

// kill ends the process with SIGKILL and returns the lines that it printed since
// the last call of next.
func (p *process) kill(t *testing.T) (printed []string) {
	t.Helper()
	if p.command.ProcessState != nil {
		return nil
	}
	if err := p.command.Process.Kill(); err != nil {
		t.Errorf("killing the other process: %v", err)
	}
	for p.lines.Scan() {
		printed = append(printed, p.lines.Text())
	}
	if err := p.command.Wait(); err == nil {
		t.Error("the other process had ended before")
	}
	return printed
}
