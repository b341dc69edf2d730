package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/worker"
)

type checkCommand struct {
	storageFlags `embed:""`
	leaseFlags   `embed:""`
	Repair       bool `help:"Repair what can be repaired safely. A row is deleted only in the version that was read."`
	JSON         bool `name:"json" help:"Print one JSON object instead of a line for each violation."`
}

// A checkReport is what check --json prints.
type checkReport struct {
	Violations []domain.Violation `json:"violations"`
	storage.CheckCounts
}

// Run reports every violation, and what is poisoned. It returns errFound if there is any of either, and
// bolt.ErrDamaged if the file of the store is damaged.
func (c checkCommand) Run(ctx context.Context, console *console) error {
	if c.Storage == "bolt" {
		if err := bolt.Verify(ctx, c.Data); errors.Is(err, bolt.ErrDamaged) {
			return err
		}
	}
	return c.use(ctx, false, func(b *backend) (err error) {
		out, notes := &lineWriter{w: console.stdout}, &lineWriter{w: console.stderr}
		report := checkReport{Violations: []domain.Violation{}}
		checker := b.Operator.NewChecker(worker.Patience(c.Lease), c.Repair, func(b domain.Violation) {
			if c.JSON {
				report.Violations = append(report.Violations, b)
			} else {
				out.violation(b)
			}
		})
		checker.Poisoned = func(d domain.Deletion) { notes.printf("%s\n", printable(poisonedLine(d))) }
		checker.Undecodable = func(text string) {
			notes.printf("poisoned: a message that no worker could read: %.200q; microblogging requeue puts it back, and requeue --drop drops it\n", text)
		}
		var space bolt.Space
		if report.CheckCounts, err = checker.Run(ctx); err == nil && b.space != nil {
			space, err = b.space()
		}
		if err != nil {
			return cannotRunError{err}
		}
		if space.WorthCompacting() {
			notes.printf("%s of the store's %s are free; microblogging compact gives them back to the disk\n",
				inBytes(space.Free), inBytes(space.Bytes))
		}
		if c.JSON {
			out.n = len(report.Violations)
			out.err = json.NewEncoder(out.w).Encode(report)
		} else {
			out.printf("%d violations in %d channels, %d blogs, %d rows\n", out.n, report.Channels, report.Blogs, report.Rows)
			if report.Poisoned > 0 {
				out.printf("%d deletions or messages are poisoned: microblogging requeue puts them back on the queue\n", report.Poisoned)
			}
		}
		err = errors.Join(out.err, notes.err)
		if err == nil && out.n+report.Poisoned > 0 {
			err = errFound
		}
		return err
	})
}

// poisonedLine says that a deletion waits for an operator, and what to do.
func poisonedLine(d domain.Deletion) string {
	if user := d.Channel.Key.AccountOf(); user != "" {
		return fmt.Sprintf("poisoned: the deletion of account %s; microblogging requeue puts it back", user)
	}
	what := fmt.Sprintf("channel %s", d.Name)
	if d.Blog != "" {
		what = fmt.Sprintf("post %s of channel %s", d.Blog, d.Name)
	}
	return fmt.Sprintf("poisoned: the deletion of %s, which %s asked for; microblogging requeue --channel %s puts it back",
		what, d.RequestedBy, d.Channel.Key)
}

// A lineWriter prints lines, and keeps the first error.
type lineWriter struct {
	w io.Writer
	// n counts violations.
	n   int
	err error
}

func (l *lineWriter) printf(format string, args ...any) {
	if l.err == nil {
		_, l.err = fmt.Fprintf(l.w, format, args...)
	}
}

func (l *lineWriter) violation(b domain.Violation) {
	l.n++
	l.printf("%s", printable(fmt.Sprintf("%s %s (%s, %s): %s", b.Invariant, b.Table, b.PartitionKey, b.RowKey, b.Detail)))
	if b.Repaired != "" {
		l.printf(" [%s]", b.Repaired)
	}
	l.printf("\n")
}

// printable returns a line as it is, or quoted as in a Go program if it holds anything else than
// text. Who writes to the store must not move the operator's cursor.
func printable(line string) string {
	if utf8.ValidString(line) && strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return line
	}
	return strconv.Quote(line)
}
