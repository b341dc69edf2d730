package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"

	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/move"
)

// A copyBar shows how far a copy has come: on a terminal a bar with the time that is left,
// and elsewhere a line for each phase.
type copyBar struct {
	w   io.Writer
	bar *progressbar.ProgressBar
	// rows is what the bar shows, and phase the phase of the last line.
	rows  int
	phase move.Phase
	begun bool
}

// count counts the rows of the source if there is a bar to show them: each is copied and
// compared.
func (b *copyBar) count(ctx context.Context, from copySide) error {
	file, ok := b.w.(*os.File)
	if !ok || !isatty.IsTerminal(file.Fd()) {
		return nil
	}
	if err := storage.New(from.tables, from.queues).Prepare(ctx); err != nil {
		return err
	}
	rows := 0
	for _, name := range storage.DataTables() {
		for _, err := range driver.NewTable(from.tables, name).All(ctx, driver.Scan{Paging: driver.Paging{KeysOnly: true}}) {
			if err != nil {
				return err
			}
			rows++
		}
	}
	b.bar = progressbar.NewOptions(2*rows,
		progressbar.OptionSetWriter(b.w),
		progressbar.OptionSetDescription("copying"),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish())
	return nil
}

// show is told of each step of a copy.
func (b *copyBar) show(p move.Progress) {
	if b.bar == nil {
		if !b.begun || p.Phase != b.phase {
			fmt.Fprintln(b.w, b.words(p))
		}
		b.begun, b.phase = true, p.Phase
		return
	}
	b.bar.Describe(b.words(p))
	if err := b.bar.Add(p.Rows - b.rows); err == nil { // a bar that cannot be drawn stops no copy
		b.rows = p.Rows
	}
}

func (b *copyBar) words(p move.Progress) string {
	switch p.Phase {
	case move.Waiting:
		return fmt.Sprintf("waiting %s for requests under way", storage.LastWrite)
	case move.Copying:
		return "copying"
	case move.WaitingForMessages:
		return fmt.Sprintf("waiting for %d messages that workers hold", p.Held)
	case move.Comparing:
		return "comparing"
	default:
		return "checking both stores"
	}
}

func (b *copyBar) end() {
	if b.bar != nil {
		_ = b.bar.Finish() // it only clears a line
	}
}
