package main

import (
	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"
)

// commands is the command line. The help texts are the operator's manual. Each
// flag can also be set by the environment variable that --help prints next to it.
type commands struct {
	Serve      serveCommand      `cmd:"" default:"withargs" help:"Run the web role and the worker role in one process (the default)."`
	Web        webCommand        `cmd:"" help:"Run the web role alone."`
	Worker     workerCommand     `cmd:"" help:"Run the worker role alone."`
	Import     importCommand     `cmd:"" help:"Import posts from RSS, Atom or JSON Feed files. Each entry is imported once."`
	Requeue    requeueCommand    `cmd:"" help:"Put poisoned deletions back on the queue."`
	User       userCommand       `cmd:"" help:"Create, invite and close accounts, and help a user who has lost their password."`
	Channel    channelCommand    `cmd:"" help:"Close channels."`
	Check      checkCommand      `cmd:"" help:"Read every table and report each violation of an invariant and each stalled deletion."`
	Compact    compactCommand    `cmd:"" help:"Give free space of the embedded store back to the disk. The server must be stopped."`
	Backup     backupCommand     `cmd:"" help:"Save one snapshot of the embedded store to a file, also while a server has it open."`
	Restore    restoreCommand    `cmd:"" help:"Fill an empty embedded store from a backup. The server must be stopped."`
	Health     healthCommand     `cmd:"" help:"Request a health probe of a running role. The exit status is 0 if the probe answers 200. For the health check of a container whose image has no other program."`
	Copy       copyCommand       `cmd:"" help:"Copy a whole store to an empty one, of any kind, also a store of an earlier version. If it was interrupted, run it again: it continues."`
	Completion completionCommand `cmd:"" help:"Print the shell code that completes commands and flags. To use it: eval \"$$(microblogging completion bash)\", the same with zsh, or microblogging completion fish | source."`
	Version    versionCommand    `cmd:"" help:"Print the version of the program, of Go and of the storage libraries."`
}

type completionCommand struct {
	Shell string `arg:"" optional:"" enum:"bash,zsh,fish," default:"" help:"bash, zsh or fish. Without it, your login shell."`
}

// Run prints the code. The library's own command prints how to get it, but for a flag.
func (c completionCommand) Run(ctx *kong.Context) error {
	return (&kongcompletion.Completion{Shell: c.Shell, Code: true}).Run(ctx)
}
