package logline

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestBuffer(t *testing.T) {
	for name, test := range map[string]func(t *testing.T, b *Buffer, written *calls){
		"a line waits no longer than it may":       lineWaitsNoLonger,
		"lines share a call, whole":                linesShareACall,
		"a warning goes at once, after the others": warningGoesAtOnce,
		"no line is lost or torn":                  noLineIsLost,
		"a long line goes as it is":                longLineGoesAsItIs,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				written := &calls{}
				test(t, NewBuffer(written), written)
			})
		})
	}
	t.Run("a writer that fails is told, and lines go on", failureIsTold)
}

func lineWaitsNoLonger(t *testing.T, b *Buffer, written *calls) {
	for i := range 3 {
		fmt.Fprintln(b, "line", i)
		time.Sleep(wait - 1)
		synctest.Wait()
		if len(*written) != i {
			t.Fatalf("%q after less than %s", *written, wait)
		}
		fmt.Fprintln(b, "and another") // which does not put it off
		time.Sleep(2 * time.Nanosecond)
		synctest.Wait()
		if want := fmt.Sprintf("line %d\nand another\n", i); len(*written) != i+1 || (*written)[i] != want {
			t.Fatalf("%q after %s, want %q", *written, wait, want)
		}
	}
}

func linesShareACall(t *testing.T, b *Buffer, written *calls) {
	line := strings.Repeat("x", 99) + "\n"
	for range 100 {
		fmt.Fprint(b, line)
	}
	if err := b.Flush(); err != nil || len(*written) != 3 {
		t.Errorf("%d calls, %v", len(*written), err)
	}
	for _, call := range *written {
		if len(call) > most || len(call)%len(line) != 0 {
			t.Errorf("a call of %d bytes", len(call))
		}
	}
}

func warningGoesAtOnce(t *testing.T, b *Buffer, written *calls) {
	for name, handler := range map[string]slog.Handler{"text": NewTextHandler(b, slog.LevelInfo), "json": slog.NewJSONHandler(b, nil)} {
		for what, log := range map[string]*slog.Logger{
			"plain": slog.New(b.Prompt(handler)), "with": slog.New(b.Prompt(handler)).With("a", 1), "group": slog.New(b.Prompt(handler)).WithGroup("g"),
		} {
			*written = nil
			log.Info("first")
			if len(*written) != 0 {
				t.Errorf("%s, %s: %q is written at once", name, what, *written)
			}
			log.Warn("second")
			if len(*written) != 1 || strings.Count((*written)[0], "\n") != 2 || strings.Index((*written)[0], "first") > strings.Index((*written)[0], "second") {
				t.Errorf("%s, %s: %q", name, what, *written)
			}
		}
	}
}

func noLineIsLost(t *testing.T, b *Buffer, written *calls) {
	const writers, each = 8, 500
	var group sync.WaitGroup
	for i := range writers {
		group.Go(func() {
			for n := range each {
				fmt.Fprintf(b, "%d %d %s\n", i, n, strings.Repeat("x", n%200))
				if n%100 == 0 {
					time.Sleep(wait)
				}
			}
		})
	}
	group.Wait()
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	next := [writers]int{}
	for line := range strings.Lines(strings.Join(*written, "")) {
		var i, n int
		var tail string
		_, _ = fmt.Sscanf(line, "%d %d %s", &i, &n, &tail)
		if n != next[i] || len(tail) != n%200 {
			t.Fatalf("%q, want line %d of %d", line, next[i], i)
		}
		next[i]++
	}
	if next != [writers]int{each, each, each, each, each, each, each, each} {
		t.Errorf("lines of each writer: %v", next)
	}
}

func longLineGoesAsItIs(t *testing.T, b *Buffer, written *calls) {
	long := strings.Repeat("x", 3*most) + "\n"
	fmt.Fprint(b, "before\n", long)
	fmt.Fprint(b, "before\n")
	fmt.Fprint(b, long)
	if len(*written) != 3 || (*written)[1] != "before\n" || (*written)[2] != long {
		t.Errorf("%d calls", len(*written))
	}
}

type broken struct{ err error }

func (w *broken) Write(p []byte) (int, error) { return len(p), w.err }

func failureIsTold(t *testing.T) {
	w := &broken{errors.New("no space")}
	b := NewBuffer(w)
	fmt.Fprintln(b, "lost")
	if err := b.Flush(); !errors.Is(err, w.err) {
		t.Errorf("%v, want %v", err, w.err)
	}
	w.err = nil
	if _, err := fmt.Fprintln(b, "line"); err != nil || b.Flush() != nil {
		t.Error(err)
	}
}
