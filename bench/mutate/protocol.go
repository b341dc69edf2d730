package main

import (
	"go/ast"
	"regexp"
	"strings"
)

// The operators of the protocol: match, condition and reread. order.go has the fourth.

// A numbering prints a change, of an operator and of a kind, and returns its number as a Go string.
type numbering func(operator, kind string, at ast.Node) string

// calls visits each call of a function by its name: "driver.Match".
func (f *file) calls(visit func(name string, c *ast.CallExpr)) {
	ast.Inspect(f.syntax, func(node ast.Node) bool {
		if c, ok := node.(*ast.CallExpr); ok {
			visit(f.text(c.Fun), c)
		}
		return true
	})
}

// matches lets a write depend on the row alone, and no longer on its version.
func matches(f *file, change numbering) {
	f.calls(func(name string, c *ast.CallExpr) {
		if name == "driver.Match" {
			f.wrap(c, "mutantOr("+change("match", "", c)+", ", ", driver.Exists)")
		}
	})
}

// conditions takes the condition of an operation away: an insert replaces what is there, a merge or a replace
// inserts what is not, a delete of what is not there succeeds, and a merge that is only a condition is left out.
func conditions(f *file, change numbering) {
	f.calls(func(name string, c *ast.CallExpr) {
		exists := len(c.Args) > 1 && f.text(c.Args[1]) == "driver.Exists"
		upserts := len(c.Args) > 1 && f.text(c.Args[1]) == "driver.Upsert"
		only := name == "driver.Merge" && len(c.Args) == 2
		switch name {
		case "driver.Insert", "driver.Merge", "driver.Replace", "driver.Delete":
		default:
			return
		}
		if name == "driver.Insert" || (exists || only) && !upserts {
			f.wrap(c, "driver.MutantFree(mutant("+change("condition", "", c)+"), ", ")")
		}
	})
}

// free is added to package driver.
const free = `package driver

import (
	"context"
	"errors"

	"microblogging/domain"
)

// mutantFree is the condition of a delete that may find nothing, and of an operation that is left out.
var mutantFree = Condition{kind: 200}

// MutantFree is an operation without its condition.
func MutantFree(really bool, op Operation) Operation {
	switch {
	case !really:
	case op.Action == ActionInsert:
		op.Action, op.If = ActionReplace, Upsert
	case op.Action == ActionDelete, len(op.Properties) == 0:
		op.If = mutantFree
	default:
		op.If = Upsert
	}
	return op
}

func (t *Table) Transact(ctx context.Context, partition string, ops ...Operation) error {
	for i, op := range ops {
		if op.If != mutantFree {
			continue
		}
		without := append(ops[:i:i], ops[i+1:]...)
		if op.Action == ActionDelete {
			op.If = Exists
			err := t.Transact(ctx, partition, append(append(ops[:i:i], op), ops[i+1:]...)...)
			var failed *OperationError
			if !errors.As(err, &failed) || failed.Index != i || !errors.Is(failed.Err, domain.ErrNotFound) {
				return err
			}
		}
		if len(without) == 0 {
			return nil
		}
		err := t.Transact(ctx, partition, without...)
		var failed *OperationError
		if errors.As(err, &failed) && failed.Index >= i {
			return &OperationError{Index: failed.Index + 1, Err: failed.Err}
		}
		return err
	}
	return t.transact(ctx, partition, ops...)
}
`

// freeTransactions lets a table take operations without a condition.
func (o overlay) freeTransactions() {
	const table, declared = "storage/driver/table.go", "func (t *Table) Transact("
	o.add(table, strings.Replace(o.text(table), declared, "func (t *Table) transact(", 1))
	o.add("storage/driver/mutant_free.go", free)
}

var (
	// conflict is an error of which only a read can tell what it means: another writer, or an earlier write of our own.
	conflict = regexp.MustCompile(`^domain\.Err(Exists|Conflict)$`)
	// absent is one if a transaction failed with it.
	absent = regexp.MustCompile(`^(domain\.ErrNotFound|(fence\.)?ErrGateGone)$`)
	// writes are the names of functions that send a transaction.
	writes = regexp.MustCompile(`(?i)transact|onList|holding`)
)

// rereads takes a conflict for the answer, so that nothing is read after it: the write has failed, or our own earlier
// one has succeeded.
func rereads(f *file, change numbering) {
	written := false // by the last call before
	f.calls(func(name string, c *ast.CallExpr) {
		instead := func(kind, by string) {
			f.wrap(c.Fun, "mutantOr("+change("reread", kind, c)+", ", ", "+by+")")
		}
		local := strings.TrimPrefix(name, "optimistic.")
		switch {
		case local == "Again" && len(c.Args) == 1:
			instead("taken for a failure", "mutantAnswer")
			instead("taken for a success", strings.Replace(name, "Again", "UnlessRaced", 1))
		case local == "Raced" && len(c.Args) == 1:
			instead("taken for a failure", "func(error) bool { return false }")
		case local == "UnlessRaced" && len(c.Args) == 1:
			instead("taken for a failure", "mutantAnswer")
		case local == "FailedAt":
			instead("taken for a failure", "func(error, int, error) bool { return false }")
		case name == "errors.Is" && (conflict.MatchString(f.text(c.Args[1])) || written && absent.MatchString(f.text(c.Args[1]))):
			instead("taken for a failure", "func(error, error) bool { return false }")
		case len(c.Args) > 0 && f.text(c.Args[0]) == "ctx":
			written = writes.MatchString(name)
		}
	})
}
