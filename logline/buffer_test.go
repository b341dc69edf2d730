package logline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
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
		"a value that may change is read at once":  changingValueIsReadAtOnce,
		"a request waits too, and keeps its place": requestWaitsToo,
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
	t.Run("a file takes by one call what a pipe takes by several", fileTakesMore)
	t.Run("a writer that fails is told, and lines go on", failureIsTold)
	t.Run("a handler that panics costs its own line", panicCostsItsLine)
}

// text is a log without times, so that its lines are easy to tell.
func (b *Buffer) text() *slog.Logger {
	return slog.New(b.Handler(func(w io.Writer) slog.Handler {
		return slog.NewTextHandler(w, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
				return slog.Attr{}
			}
			return a
		}})
	}))
}

func lineWaitsNoLonger(t *testing.T, b *Buffer, written *calls) {
	log := b.text()
	for i := range 3 {
		log.Info("line", "i", i)
		time.Sleep(wait - 1)
		synctest.Wait()
		if len(*written) != i {
			t.Fatalf("%q after less than %s", *written, wait)
		}
		log.Info("another") // which does not put it off
		time.Sleep(2 * time.Nanosecond)
		synctest.Wait()
		if want := fmt.Sprintf("msg=line i=%d\nmsg=another\n", i); len(*written) != i+1 || (*written)[i] != want {
			t.Fatalf("%q after %s, want %q", *written, wait, want)
		}
	}
}

// hundredLines writes a line of 100 bytes 100 times, and returns it.
func hundredLines(b *Buffer) (line string, err error) {
	log, message := b.text(), strings.Repeat("x", 95)
	for range 100 {
		log.Info(message)
	}
	return "msg=" + message + "\n", b.Flush()
}

func linesShareACall(t *testing.T, b *Buffer, written *calls) {
	line, err := hundredLines(b)
	if err != nil || len(*written) != 3 {
		t.Errorf("%d calls, %v", len(*written), err)
	}
	for _, call := range *written {
		if len(call) > mostOfPipe || len(call)%len(line) != 0 {
			t.Errorf("a call of %d bytes", len(call))
		}
	}
}

// counted counts the calls that a file gets.
type counted struct {
	*os.File
	calls int
}

func (f *counted) Write(p []byte) (int, error) { f.calls++; return f.File.Write(p) }

func fileTakesMore(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	reader, pipe, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = errors.Join(file.Close(), reader.Close(), pipe.Close()) }()
	for _, to := range []struct {
		file *os.File
		want int
	}{{file, 1}, {pipe, 3}} {
		w := &counted{File: to.file}
		if _, err := hundredLines(NewBuffer(w)); err != nil || w.calls != to.want {
			t.Errorf("%s gets %d calls, want %d, %v", to.file.Name(), w.calls, to.want, err)
		}
	}
}

func warningGoesAtOnce(t *testing.T, b *Buffer, written *calls) {
	for name, handler := range map[string]func(w io.Writer) slog.Handler{
		"text": func(w io.Writer) slog.Handler { return NewTextHandler(w, slog.LevelInfo) },
		"json": func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, nil) },
	} {
		log := slog.New(b.Handler(handler))
		for what, log := range map[string]*slog.Logger{"plain": log, "with": log.With("a", 1), "group": log.WithGroup("g")} {
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

func changingValueIsReadAtOnce(t *testing.T, b *Buffer, written *calls) {
	value := []int{1}
	for name, attr := range map[string]slog.Attr{
		"a value": slog.Any("of", value), "a value in a group": slog.Group("of", slog.Any("it", value)), "a value that is asked for": slog.Any("of", asked{value}),
	} {
		*written, value[0] = nil, 1
		b.text().LogAttrs(t.Context(), slog.LevelInfo, "line", slog.Int("n", 1), attr)
		value[0] = 2
		if got := strings.Join(*written, ""); !strings.HasSuffix(got, "=[1]\n") {
			t.Errorf("%s: wrote %q", name, got)
		}
	}
}

type asked struct{ value any }

func (a asked) LogValue() slog.Value { return slog.AnyValue(a.value) }

func requestWaitsToo(t *testing.T, b *Buffer, written *calls) {
	log := b.text()
	log.Info("before")
	if err := (&Request{Path: "/", Ended: time.Now()}).Log(t.Context(), log.Handler()); err != nil || len(*written) != 0 {
		t.Fatalf("wrote %q at once, %v", *written, err)
	}
	log.Info("after")
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Split(strings.Join(*written, ""), "\n"); len(got) != 4 || got[0] != "msg=before" || !strings.HasPrefix(got[1], "msg=request ") || got[2] != "msg=after" {
		t.Errorf("wrote %q", got)
	}
}

func noLineIsLost(t *testing.T, b *Buffer, written *calls) {
	const writers, each = 8, 500
	log := b.text()
	var group sync.WaitGroup
	for i := range writers {
		group.Go(func() {
			for n := range each {
				log.Info("", "i", i, "n", n, "tail", strings.Repeat("x", 1+n%200))
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
		_, _ = fmt.Sscanf(line, `msg="" i=%d n=%d tail=%s`, &i, &n, &tail)
		if n != next[i] || len(tail) != 1+n%200 {
			t.Fatalf("%q, want line %d of %d", line, next[i], i)
		}
		next[i]++
	}
	if next != [writers]int{each, each, each, each, each, each, each, each} {
		t.Errorf("lines of each writer: %v", next)
	}
}

func longLineGoesAsItIs(t *testing.T, b *Buffer, written *calls) {
	log, long := b.text(), strings.Repeat("x", 3*mostOfPipe)
	log.Info("before")
	log.Info(long)
	log.Info("after")
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	if want := (calls{"msg=before\n", "msg=" + long + "\n", "msg=after\n"}); len(*written) != 3 || (*written)[0] != want[0] || (*written)[1] != want[1] || (*written)[2] != want[2] {
		t.Errorf("%d calls", len(*written))
	}
}

type broken struct{ err error }

func (w *broken) Write(p []byte) (int, error) { return len(p), w.err }

func failureIsTold(t *testing.T) {
	w := &broken{errors.New("no space")}
	b := NewBuffer(w)
	log := b.text()
	log.Info("lost")
	if err := b.Flush(); !errors.Is(err, w.err) {
		t.Errorf("%v, want %v", err, w.err)
	}
	w.err = nil
	log.Info("line")
	if err := b.Flush(); err != nil {
		t.Error(err)
	}
}

// faulty panics at some records.
type faulty struct{ slog.Handler }

func (f faulty) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == "lost" {
		panic("planted")
	}
	return f.Handler.Handle(ctx, r)
}

func panicCostsItsLine(t *testing.T) {
	var written calls
	b := NewBuffer(&written)
	log := slog.New(b.Handler(func(w io.Writer) slog.Handler { return faulty{NewTextHandler(w, slog.LevelInfo)} }))
	log.Info("before")
	log.Info("lost")
	log.Info("after")
	if err := b.Flush(); err == nil || !strings.Contains(err.Error(), "planted") {
		t.Errorf("flushing: %v", err)
	}
	if got := strings.Join(written, ""); strings.Count(got, "\n") != 2 || !strings.Contains(got, "msg=before") || !strings.Contains(got, "msg=after") {
		t.Errorf("wrote %q", got)
	}
}
