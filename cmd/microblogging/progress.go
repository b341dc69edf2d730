package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

const (
	// progressEvery is how often a progress is drawn anew.
	progressEvery = 100 * time.Millisecond
	// progressWidth is how many characters a bar has.
	progressWidth = 30
)

// A progress shows on a terminal how far some work has come, in one line. Elsewhere it shows
// nothing.
type progress struct {
	w        io.Writer
	terminal bool
	drawn    time.Time
}

func newProgress(w io.Writer) *progress {
	file, ok := w.(*os.File)
	return &progress{w: w, terminal: ok && term.IsTerminal(int(file.Fd()))}
}

// show shows what is done, with a bar if it is known of how much.
func (p *progress) show(doing string, done, of int) {
	if !p.terminal || time.Since(p.drawn) < progressEvery {
		return
	}
	p.drawn = time.Now()
	bar := ""
	if of > 0 {
		full := min(done*progressWidth/of, progressWidth)
		bar = fmt.Sprintf(" %s%s of %d", strings.Repeat("█", full), strings.Repeat("░", progressWidth-full), of)
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s: %d%s", printable(doing), done, bar)
}

// end removes the line.
func (p *progress) end() {
	if p.terminal {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
