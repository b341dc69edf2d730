// Command microblogging is the whole program: the web role, the worker role, and
// the tools of an operator.
//
// # The problem
//
// The same program must run in one process on a laptop and in many processes on
// Azure. An operator must be able to start, stop and kill any of them at any
// time, and to find out whether the data is sound.
//
// # The model
//
// Each command is a struct of flags with a Run method (command_*.go). Run opens
// the store that the flags name (backend.go) and does the rest through package
// storage. The roles serve, web and worker run until the process is told to stop
// by SIGTERM or SIGINT. The others run to their end. Without a command, the
// program runs serve.
//
// Standard output carries results. Standard error carries logs and errors. The
// exit codes are exitOK, exitFound and exitCannotRun.
//
// # What survives failure
//
// A process keeps nothing that is not in the store, so it may be killed at any
// time. A role on Azure starts and runs on while the store is unreachable, except
// that it accepts no request before it has written the sample, with --sample. If the
// store refuses the configuration, a role starts only if that passes within a minute,
// and one that runs goes on. A role whose disk is full waits until there is room for its store. An import or a requeue that was interrupted can be run
// again, and an import adds no post twice. The next start with --sample completes a
// sample that was interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"
)

// The exit codes of every command.
const (
	exitOK = 0
	// exitFound: the check found a violation, or the work failed.
	exitFound = 1
	// exitCannotRun: a flag is wrong, or the store cannot be opened or reached.
	exitCannotRun = 2
)

// An exitStatus ends a command that has already said why.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// errFound ends a command that found something wrong and has already reported it.
const errFound exitStatus = exitFound

// A cannotRunError ends a command that could not begin its work.
type cannotRunError struct{ error }

func (e cannotRunError) Unwrap() error { return e.error }

func main() {
	ctx, stop := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		stop(fmt.Errorf("%s signal received", <-signals))
		endBy(<-signals)
	}()
	os.Exit(run(ctx, os.Args[1:], &console{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}))
}

// endBy ends the process by a signal that it has caught, immediately. (signal.NotifyContext would lose a second signal
// that comes before its stop has run.)
func endBy(caught os.Signal) {
	signal.Reset()
	self, err := os.FindProcess(os.Getpid())
	if err != nil || self.Signal(caught) != nil {
		os.Exit(exitFound)
	}
}

// run runs the program until its work is done or ctx ends, and returns the exit
// code.
func run(ctx context.Context, args []string, console *console) int {
	var commands commands
	exited := -1
	parser, err := kong.New(&commands,
		kong.Name("microblogging"),
		kong.Description("Channels and blogs. Deleting a channel leaves nothing behind."),
		kong.DefaultEnvars("MICROBLOGGING"),
		kong.Writers(console.stdout, console.stderr),
		kong.Exit(func(code int) { exited = code }),
		kong.Help(help),
		kong.ExplicitGroups([]kong.Group{{Key: "azure", Title: "With Azure or Azurite:"}}),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		fmt.Fprintln(console.stderr, "microblogging:", err)
		return exitCannotRun
	}
	if kongcompletion.Register(parser); exited >= 0 { // a shell asked what may follow
		return exited
	}
	if slices.Equal(args, []string{"--version"}) { // what most programs call it
		args = []string{"version"}
	}
	command, err := parser.Parse(args)
	if exited >= 0 { // --help was printed
		return exited
	}
	if err == nil {
		err = checkBounds(command.Flags())
	}
	if err != nil {
		fmt.Fprintf(console.stderr, "microblogging: %s\nRun microblogging --help, or microblogging COMMAND --help.\n", flagMistake(err, args))
		return exitCannotRun
	}
	console.unknown = unknownVariables(parser.Model, os.Environ())
	if !slices.Contains([]string{"serve", "web", "worker"}, command.Selected().Name) { // these log them
		for _, name := range console.unknown {
			fmt.Fprintf(console.stderr, "microblogging: warning: %s is not a variable of this program and has no effect\n", name)
		}
	}
	command.BindTo(ctx, (*context.Context)(nil))
	return exitCode(command.Run(console), console.stderr)
}

// unknownVariables returns the names in the environment that begin as those of flags do, and are of no flag
// of any command.
func unknownVariables(program *kong.Application, environment []string) (unknown []string) {
	known := []string{ownerPasswordVariable}
	for _, command := range program.Leaves(true) {
		for _, flag := range command.AllFlags(true) {
			for _, one := range flag {
				known = append(known, one.Envs...)
			}
		}
	}
	for _, variable := range environment {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "MICROBLOGGING_") && !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// help prints the help. If no command is named, it also prints the flags of serve,
// because that is the command which runs then.
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
	var status exitStatus
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &cannotRun):
		fmt.Fprintln(stderr, "microblogging:", err)
		return exitCannotRun
	default:
		fmt.Fprintln(stderr, "microblogging:", err)
		return exitFound
	}
}

// console is what a command reads from and writes to.
type console struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	// unknown are variables of the environment that look like this program's, and are not.
	unknown []string
}
