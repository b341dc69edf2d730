package main

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestLog(t *testing.T) {
	for sentence, test := range map[string]func(t *testing.T){
		"has each line soon, and those of a moment by one call":     linesShareACall,
		"that nobody reads holds up nobody, and tells what it lost": hangingLogHoldsUpNobody,
		"that nobody reads does not keep the process from ending":   hangingLogLetsEnd,
	} {
		t.Run(sentence, func(t *testing.T) { synctest.Test(t, test) })
	}
}

// calls are what was written, by call.
type calls []string

func (c *calls) Write(p []byte) (int, error) { *c = append(*c, string(p)); return len(p), nil }

var textLog = roleFlags{LogFormat: "text"}

func linesShareACall(t *testing.T) {
	var written calls
	log, _ := textLog.logger(&written)
	for range 3 {
		log.Info("first")
		time.Sleep(logWait - 1)
		log.Error("second") // which does not put it off
		time.Sleep(2 * time.Nanosecond)
		synctest.Wait()
		if len(written) != 1 || strings.Count(written[0], "\n") != 2 || strings.Index(written[0], "first") > strings.Index(written[0], "second") {
			t.Fatalf("wrote %q", written)
		}
		written = nil
	}
}

// hanging is a writer that hangs until it is read.
type hanging struct {
	calls
	read chan struct{}
}

func (h *hanging) Write(p []byte) (int, error) { <-h.read; return h.calls.Write(p) }

func hangingLogHoldsUpNobody(t *testing.T) {
	w := &hanging{read: make(chan struct{})}
	log, stop := textLog.logger(w)
	const lines = 20
	for range lines {
		log.Info(strings.Repeat("x", maxLog/10))
		time.Sleep(time.Second)
	}
	close(w.read)
	time.Sleep(time.Minute)
	log.Info("again")
	stop()
	text := strings.Join(w.calls, "")
	kept := strings.Count(text, "xxx\n")
	if want := fmt.Sprintf("lines are lost\" lines=%d\n", lines-kept); kept < 10 || kept == lines || !strings.Contains(text, want) || !strings.HasSuffix(text, "msg=again\n") {
		t.Errorf("%d of %d lines are there, and not %q, or no more after it", kept, lines, want)
	}
}

func hangingLogLetsEnd(t *testing.T) {
	w := &hanging{read: make(chan struct{})}
	defer close(w.read)
	log, stop := textLog.logger(w)
	log.Info("line")
	began := time.Now()
	if stop(); time.Since(began) > logEnd {
		t.Errorf("it waited for %s", time.Since(began))
	}
}
