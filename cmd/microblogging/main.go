// Command microblogging is the whole program: the web role, the worker role, and
// the tools of an operator. Without an argument it serves both roles in one
// process on the embedded store.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// The exit codes of every command.
const (
	exitOK = 0
	// exitFound: the check, or the work, found something wrong.
	exitFound = 1
	// exitCannotRun: a bad flag, or a store that cannot be opened or reached.
	exitCannotRun = 2
)

// errFound ends a command that did its work and found something wrong, which it
// has already said.
var errFound = errors.New("something is wrong")

// A cannotRunError ends a command that could not do its work at all.
type cannotRunError struct{ error }

func (e cannotRunError) Unwrap() error { return e.error }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the program: it returns the exit code once ctx has ended or the work
// is done. Standard output carries results, standard error everything else.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var commands commands
	exited := -1
	parser, err := kong.New(&commands,
		kong.Name("microblogging"),
		kong.Description("Channels and blogs, and a deletion across tables that is right."),
		kong.DefaultEnvars("MICROBLOGGING"),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exited = code }),
		kong.Help(help),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		fmt.Fprintln(stderr, "microblogging:", err)
		return exitCannotRun
	}
	command, err := parser.Parse(args)
	switch {
	case exited >= 0: // --help has been shown
		return exited
	case err != nil:
		fmt.Fprintf(stderr, "microblogging: %v\nTry “microblogging --help”.\n", err)
		return exitCannotRun
	}
	command.BindTo(ctx, (*context.Context)(nil))
	return exitCode(command.Run(&console{stdout: stdout, stderr: stderr}), stderr)
}

// help shows the flags of the default command too when no command is named:
// they are what a newcomer is looking for.
func help(options kong.HelpOptions, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil || ctx.Selected() != nil {
		return err
	}
	serve, err := kong.Trace(ctx.Kong, []string{"serve"})
	if err != nil {
		return err
	}
	fmt.Fprintln(ctx.Stdout)
	return kong.DefaultHelpPrinter(options, serve)
}

func exitCode(err error, stderr io.Writer) int {
	var cannotRun cannotRunError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFound):
		return exitFound
	case errors.As(err, &cannotRun):
		fmt.Fprintln(stderr, "microblogging:", err)
		return exitCannotRun
	default:
		fmt.Fprintln(stderr, "microblogging:", err)
		return exitFound
	}
}

// console is where a command writes.
type console struct {
	stdout, stderr io.Writer
}
