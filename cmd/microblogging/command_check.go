package main

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/bolt"
	"microblogging/worker"
)

type checkCommand struct {
	storageFlags `embed:""`
	leaseFlags   `embed:""`
	Repair       bool `help:"Repair what can be repaired safely. A row is deleted only in the version that was read."`
	JSON         bool `name:"json" help:"Print one JSON object instead of a line for each breach."`
}

// Run reports every breach. It returns errFound if there is any.
func (c checkCommand) Run(ctx context.Context, console *console) error {
	if err := c.mustExist(); err != nil {
		return err
	}
	return c.useBackend(ctx, bolt.Options{CountFree: true}, func(b *backend) error {
		var out breachWriter = &lineWriter{w: console.stdout}
		if c.JSON {
			out = &jsonWriter{w: console.stdout}
		}
		breaches := 0
		checker := b.NewChecker(worker.Patience(c.Lease), c.Repair, func(b domain.Breach) {
			out.breach(b)
			breaches++
		})
		var told error
		checker.Poisoned = func(d domain.Deletion) {
			_, err := fmt.Fprintln(console.stderr, printable(poisonedLine(d)))
			told = errors.Join(told, err)
		}
		checker.Unread = func(text string) {
			_, err := fmt.Fprintln(console.stderr, unreadLine(text))
			told = errors.Join(told, err)
		}
		counts, err := checker.Run(ctx)
		if err != nil {
			return cannotRunError{err}
		}
		space, err := b.worthCompacting()
		if err != nil {
			return cannotRunError{err}
		}
		if space != nil {
			_, err := fmt.Fprintln(console.stderr, compactAdvice(*space))
			told = errors.Join(told, err)
		}
		if err := errors.Join(out.end(counts, space), told); err != nil {
			return err
		}
		if breaches > 0 {
			return errFound
		}
		return nil
	})
}

// poisonedLine says that a deletion waits for an operator, and what to do.
func poisonedLine(d domain.Deletion) string {
	what := fmt.Sprintf("channel %s", d.Name)
	if d.Blog != "" {
		what = fmt.Sprintf("post %s of channel %s", d.Blog, d.Name)
	}
	return fmt.Sprintf("poisoned: the deletion of %s, which %s asked for; microblogging requeue --channel %s puts it back",
		what, d.RequestedBy, d.Channel.Key)
}

// unreadLine says that a message waits for an operator, and what to do. It shows the
// beginning of a long text.
func unreadLine(text string) string {
	const most = 200
	more := ""
	if len(text) > most {
		text, more = text[:most], " …"
	}
	return fmt.Sprintf("poisoned: a message that no worker could read: %q%s; microblogging requeue puts it back, and requeue --drop drops it", text, more)
}
