package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

func TestImportCreateOwnerTerminal(t *testing.T) {
	t.Run("asks twice and shows neither", terminalAsksTwice)
	t.Run("two passwords that differ make no account", terminalPasswordsDiffer)
	t.Run("gives up when the process is told to stop", terminalIsInterrupted)
}

func terminalAsksTwice(t *testing.T) {
	data, p := t.TempDir(), openTerminal(t)
	ended := importAtTerminal(t, t.Context(), p, data)
	p.answer(t, "New password for ada: ", testPassword)
	p.answer(t, "again for ada: ", testPassword)
	if code := <-ended; code != exitOK {
		t.Fatalf("exits with %d and shows %q", code, p)
	}
	if strings.Contains(p.String(), testPassword) {
		t.Errorf("the password is shown: %q", p)
	}
	expectPassword(t, data, "ada", testPassword)
}

func terminalPasswordsDiffer(t *testing.T) {
	data, p := t.TempDir(), openTerminal(t)
	ended := importAtTerminal(t, t.Context(), p, data)
	p.answer(t, "New password for ada: ", testPassword)
	p.answer(t, "again for ada: ", testPassword+"s")
	if code := <-ended; code != exitCannotRun {
		t.Errorf("exits with %d and shows %q", code, p)
	}
	expectUnwritten(t, data)
}

func terminalIsInterrupted(t *testing.T) {
	data, p := t.TempDir(), openTerminal(t)
	ctx, interrupt := context.WithCancel(t.Context())
	ended := importAtTerminal(t, ctx, p, data)
	p.awaitQuestion(t, "New password for ada: ")
	interrupt()
	if code := <-ended; code != exitCannotRun {
		t.Errorf("exits with %d and shows %q", code, p)
	}
	if !p.echoes(t) {
		t.Error("the terminal is left without an echo")
	}
	expectUnwritten(t, data)
	if _, err := p.master.WriteString("\n"); err != nil { // ends the read
		t.Error(err)
	}
}

func importAtTerminal(t *testing.T, ctx context.Context, p *terminal, data string) (ended <-chan int) {
	t.Helper()
	code := make(chan int, 1)
	args := []string{"import", "--data", data, "--create-owner", "--channel", "news", "--owner", "ada", writeFeed(t, "a", "", 2)}
	go func() { code <- run(ctx, args, &console{stdin: p.slave, stdout: p.slave, stderr: p.slave}) }()
	return code
}

// A terminal is a pseudoterminal: the program has the slave, and the test reads from
// and types at the master.
type terminal struct {
	master, slave *os.File
	mu            sync.Mutex
	shown         bytes.Buffer
}

func openTerminal(t *testing.T) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("SKIPPED, NOT TESTED: this system has no pseudoterminals")
	}
	if err != nil {
		t.Fatal(err)
	}
	var number, unlocked int32
	control(t, master, syscall.TIOCSPTLCK, unsafe.Pointer(&unlocked))
	control(t, master, syscall.TIOCGPTN, unsafe.Pointer(&number))
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := &terminal{master: master, slave: slave}
	read := make(chan struct{})
	go func() {
		defer close(read)
		buffer := make([]byte, 1024)
		for {
			n, err := master.Read(buffer)
			p.mu.Lock()
			p.shown.Write(buffer[:n])
			p.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		slave.Close()
		<-read
		master.Close()
	})
	return p
}

func (p *terminal) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shown.String()
}

// answer types a line once the program has asked and the echo is off.
func (p *terminal) answer(t *testing.T, question, line string) {
	t.Helper()
	p.awaitQuestion(t, question)
	if _, err := p.master.WriteString(line + "\n"); err != nil {
		t.Fatal(err)
	}
}

func (p *terminal) awaitQuestion(t *testing.T, question string) {
	t.Helper()
	deadline := time.After(time.Minute)
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for !strings.Contains(p.String(), question) || p.echoes(t) {
		select {
		case <-again.C:
		case <-deadline:
			t.Fatalf("no %q without an echo in %q", question, p)
		}
	}
}

func (p *terminal) echoes(t *testing.T) bool {
	t.Helper()
	var settings syscall.Termios
	control(t, p.slave, syscall.TCGETS, unsafe.Pointer(&settings))
	return settings.Lflag&syscall.ECHO != 0
}

func control(t *testing.T, file *os.File, request uintptr, value unsafe.Pointer) {
	t.Helper()
	if _, _, err := syscall.Syscall(syscall.SYS_IOCTL, file.Fd(), request, uintptr(value)); err != 0 {
		t.Fatal(err)
	}
}
