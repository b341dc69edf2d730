package main

import (
	"fmt"
	"time"

	"github.com/alecthomas/kong"

	"microblogging/cmd/microblogging/manual"
)

type manCommand struct {
	Dated time.Time `format:"2006-01-02" default:"1970-01-01" help:"The day that the page names: that of the release."`
}

// Run prints the manual page.
func (c manCommand) Run(k *kong.Kong, console *console) error {
	_, err := fmt.Fprint(console.stdout, manual.Page(k.Model, c.Dated,
		manual.Section{Title: "Exit status", Text: "* 0: success\n* 1: the check or the work found something wrong\n* 2: it could not run: a flag is wrong, or the store cannot be opened or reached"},
		manual.Section{Title: "Environment", Text: "Every option has an environment variable. The option goes before it."}))
	return err
}

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints the script for a shell.
func (c completionCommand) Run(k *kong.Kong, console *console) error {
	script, err := manual.Completion(k.Model, c.Shell)
	if err != nil {
		return cannotRunError{err}
	}
	_, err = fmt.Fprint(console.stdout, script)
	return err
}
