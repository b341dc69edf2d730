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
		"has each line within a millisecond, and those of one by one call": linesShareACall,
		"that no process reads holds up no caller, and tells what it lost": hangingLogHoldsUpNobody,
		"that no process reads does not keep the process from ending":      hangingLogLetsEnd,
	} {
		t.Run(sentence, func(t *testing.T) { synctest.Test(t, test) })
	}
}

// calls are what was written, by call.
type calls []string

func (c *calls) Write(p []byte) (int, error) { *c = append(*c, string(p)); return len(p), nil }

var textLog = roleFlags{LogFormat: "text"}

func linesShareACall(t *testing.T) {
	w := &hanging{read: make(chan struct{})}
	log, stop := textLog.logger(w)
	log.Info("first")
	synctest.Wait() // it is being written
	close(w.read)
	synctest.Wait()
	log.Error("second")
	time.Sleep(pause / 2)
	log.Info("third")
	time.Sleep(pause)
	synctest.Wait()
	if text := strings.Join(w.calls, ""); len(w.calls) != 2 || strings.Count(w.calls[1], "\n") != 2 || strings.Index(text, "second") > strings.Index(text, "third") {
		t.Errorf("wrote %q", w.calls)
	}
	stop()
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
	const lines = 2 * maxLines
	for range lines {
		log.Info("line")
	}
	close(w.read)
	time.Sleep(100 * pause)
	log.Info("again")
	stop()
	text := strings.Join(w.calls, "")
	kept := strings.Count(text, "msg=line\n")
	if want := fmt.Sprintf("lines are lost\" lines=%d\n", lines-kept); kept < maxLines || kept == lines || !strings.Contains(text, want) || !strings.HasSuffix(text, "msg=again\n") {
		t.Errorf("%d of %d lines are there, and not %q, or no more after it", kept, lines, want)
	}
}

func hangingLogLetsEnd(t *testing.T) {
	w := &hanging{read: make(chan struct{})}
	defer func() { close(w.read); time.Sleep(pause) }() // the goroutine that writes ends in the bubble
	log, stop := textLog.logger(w)
	log.Info("line")
	synctest.Wait()
	began := time.Now()
	if stop(); time.Since(began) > logEnd {
		t.Errorf("it waited for %s", time.Since(began))
	}
}
