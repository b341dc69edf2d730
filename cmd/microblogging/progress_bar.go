package main

import (
	"io"
	"os"

	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"
)

// newProgressBar returns the bar of work that has n parts. It is visible only if w is a
// terminal.
func newProgressBar(w io.Writer, n int, name string, options ...progressbar.Option) *progressbar.ProgressBar {
	file, ok := w.(*os.File)
	visible := ok && isatty.IsTerminal(file.Fd())
	return progressbar.NewOptions(n, append([]progressbar.Option{
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetVisibility(visible),
		progressbar.OptionSetDescription(name),
		progressbar.OptionClearOnFinish(),
	}, options...)...)
}
