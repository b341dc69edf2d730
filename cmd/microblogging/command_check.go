package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	checkTask     `embed:""`
	operatorFlags `embed:""`
}

// Run reports every violation, and what is poisoned. It returns errFound if there is any of either, and
// bolt.ErrDamaged if the file of the store is damaged.
func (c checkCommand) Run(ctx context.Context, console *console) error {
	if c.Storage == "bolt" && c.Admin == "" { // opening a damaged store would fail as that of another command
		if err := bolt.Verify(ctx, c.Data); errors.Is(err, bolt.ErrDamaged) {
			return err
		}
		c.verified = true
	}
	return c.run(ctx, console, c.checkTask)
}

type checkTask struct {
	Repair     bool `help:"Repair what can be repaired safely. A row is deleted only in the version that was read."`
	JSON       bool `name:"json" help:"Print one JSON object instead of a line for each violation."`
	leaseFlags `embed:""`
	// verified says that the file was just verified.
	verified bool
}

// A checkReport is what check --json prints.
type checkReport struct {
	Violations []domain.Violation `json:"violations"`
	storage.CheckCounts
}

func (checkTask) command() string { return "check" }

func (t checkTask) do(ctx context.Context, b *backend, console *console) (err error) {
	if b.verify != nil && !t.verified {
		if err := b.verify(ctx); errors.Is(err, bolt.ErrDamaged) {
			return err
		}
	}
	out, violations := bufio.NewWriter(console.stdout), 0 // out keeps the first error
	report := checkReport{Violations: []domain.Violation{}}
	checker := b.Operator.NewChecker(worker.Patience(t.Lease), t.Repair, func(v domain.Violation) {
		if violations++; t.JSON {
			report.Violations = append(report.Violations, v)
		} else {
			fmt.Fprintln(out, violationLine(v))
		}
	})
	checker.Poisoned = func(m storage.PoisonMessage) { fmt.Fprintln(console.stderr, printable(poisonedLine(m))) }
	var space bolt.Space
	if report.CheckCounts, err = checker.Run(ctx); err == nil && b.embedded != nil {
		space, err = b.embedded.Space()
	}
	if err != nil {
		return cannotRunError{errors.Join(err, out.Flush())}
	}
	if space.WorthCompacting() {
		fmt.Fprintf(console.stderr, "%s of the store's %s are free; microblogging compact gives them back to the disk\n",
			inBytes(space.Free), inBytes(space.Bytes))
	}
	if t.JSON {
		err = json.NewEncoder(out).Encode(report)
	} else {
		fmt.Fprintf(out, "%d violations in %d channels, %d blogs, %d rows\n", violations, report.Channels, report.Blogs, report.Rows)
		if report.Poisoned > 0 {
			fmt.Fprintf(out, "%d messages are poisoned: microblogging requeue puts them back on the queue; "+
				"if a violation says that a row of Deletions is not readable, delete that row first\n", report.Poisoned)
		}
	}
	err = errors.Join(err, out.Flush())
	if err == nil && violations+report.Poisoned > 0 {
		err = errFound
	}
	return err
}

// poisonedLine says that a message waits for an operator, and what to do.
func poisonedLine(m storage.PoisonMessage) string {
	if m.Undecodable != nil {
		return fmt.Sprintf("poisoned: a message that cannot be decoded: %.200q; microblogging requeue puts it back, and requeue --drop drops it", m.Text)
	}
	if user := m.Channel.AccountOf(); user != "" {
		return fmt.Sprintf("poisoned: the deletion of account %s; microblogging requeue puts it back", user)
	}
	what := fmt.Sprintf("channel %s", m.Name)
	if m.Blog != "" {
		what = fmt.Sprintf("post %s of channel %s", m.Blog, m.Name)
	}
	return fmt.Sprintf("poisoned: the deletion of %s, which %s asked for; microblogging requeue --channel %s puts it back",
		what, m.RequestedBy, m.Channel)
}

func violationLine(v domain.Violation) string {
	line := printable(fmt.Sprintf("%s %s (%s, %s): %s", v.Invariant, v.Table, v.PartitionKey, v.RowKey, v.Detail))
	if v.Repaired != "" {
		line += " [" + v.Repaired + "]"
	}
	return line
}

// printable returns a line as it is, or quoted as in a Go program if it holds anything else than
// text. Who writes to the store must not move the operator's cursor.
func printable(line string) string {
	if utf8.ValidString(line) && strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return line
	}
	return strconv.Quote(line)
}
