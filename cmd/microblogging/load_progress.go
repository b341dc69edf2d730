package main

import (
	"fmt"
	"io"

	"github.com/schollz/progressbar/v3"

	"microblogging/cmd/microblogging/load"
)

// A loadProgress shows on a terminal how far a run has come: first a bar for the posts that
// fill the channels, then one for the time of the load.
type loadProgress struct {
	w    io.Writer
	plan load.Plan
	bar  *progressbar.ProgressBar
	// loading tells that the bar is that of the load.
	loading bool
}

func newLoadProgress(w io.Writer, p load.Plan) *loadProgress {
	return &loadProgress{w: w, plan: p, bar: newProgressBar(w, p.Fill, fmt.Sprintf("filling, channels: %d", p.Channels), progressbar.OptionShowCount())}
}

// watch is called by one goroutine at a time. The bar's only errors are those of its
// terminal.
func (l *loadProgress) watch(p load.Progress) {
	if p.Elapsed == 0 {
		_ = l.bar.Set(p.Filled)
		return
	}
	if !l.loading {
		l.end()
		l.bar = newProgressBar(l.w, int(l.plan.Duration.Milliseconds()), "", progressbar.OptionSetElapsedTime(false))
		l.loading = true
	}
	l.bar.Describe(fmt.Sprintf("channels: %d, %.0f requests/s", l.plan.Channels, float64(p.Requests)/p.Elapsed.Seconds()))
	_ = l.bar.Set(min(int(p.Elapsed.Milliseconds()), int(l.plan.Duration.Milliseconds())-1))
}

// end removes the bar.
func (l *loadProgress) end() { _ = l.bar.Finish() }
