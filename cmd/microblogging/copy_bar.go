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
)

// A copyBar shows how far a copy has come: on a terminal a bar with the time that is left,
// and elsewhere a line for each phase.
type copyBar struct {
	w   io.Writer
	bar *progressbar.ProgressBar
	// doing is what was told last.
	doing string
}

// count counts the rows of the source if there is a bar to show them: each is copied and
// compared.
func (b *copyBar) count(ctx context.Context, from copySide) error {
	file, ok := b.w.(*os.File)
	if !ok || !isatty.IsTerminal(file.Fd()) {
		return nil
	}
	if err := storage.New(from.under, storage.Options{}).Prepare(ctx); err != nil {
		return err
	}
	rows := 0
	for _, name := range storage.DataTables() {
		for _, err := range driver.NewTable(from.under, name).All(ctx, driver.Scan{Paging: driver.Paging{KeysOnly: true}}) {
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
func (b *copyBar) show(doing string, rows int) {
	if doing != b.doing {
		b.doing = doing
		if b.bar == nil {
			fmt.Fprintln(b.w, doing)
		} else {
			b.bar.Describe(doing)
		}
	}
	if b.bar != nil {
		_ = b.bar.Add(rows) // a bar that cannot be drawn stops no copy
	}
}

func (b *copyBar) end() {
	if b.bar != nil {
		_ = b.bar.Finish() // it only clears a line
	}
}
