package protocol

import (
	"context"
	"errors"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// How safeguards are taken out of the production code.

// An ablation takes a safeguard out of a scenario of the production code.
type ablation struct {
	name      string
	safeguard lab.Safeguard
	intercept lab.Intercept
	changes   []func(*lab.Scenario)
}

// ablate takes a safeguard out of the scenario of. code is the safeguard's function and, after a colon, what
// would be taken out of it.
func ablate(name, of, label, code, why string, intercept lab.Intercept, changes ...func(*lab.Scenario)) ablation {
	function, part, _ := strings.Cut(code, ": ")
	return ablation{name, lab.Safeguard{Of: of, Label: label, Why: why, Code: function, Part: part}, intercept, changes}
}

// of is the scenario without the safeguard.
func (a ablation) of(scenarios []lab.Scenario) lab.Scenario {
	s := scenarios[slices.IndexFunc(scenarios, func(s lab.Scenario) bool { return s.Name == a.safeguard.Of })]
	s.Name, s.Safeguard = a.name, &a.safeguard
	s.Actors, s.Intercept = slices.Clone(s.Actors), append(slices.Clip(s.Intercept), a.intercept)
	for _, change := range a.changes {
		change(&s)
	}
	return s
}

// unharmed allows no faults: the order of calls is enough.
func unharmed(s *lab.Scenario) { s.Faults = 0 }

// copied allows no fault but delayed duplicates of requests.
func copied(s *lab.Scenario) { s.Only = lab.Copied }

// unbounded lets actors wait any number of times.
func unbounded(s *lab.Scenario) { s.Preemptions = 0 }

// reordered says that what the safeguard calls is called at another time.
func reordered(s *lab.Scenario) { s.Safeguard.Reordered = true }

// interrupted bounds preemptions: a few are enough, and found sooner.
func interrupted(s *lab.Scenario) { s.Preemptions = 4 }

// among keeps only these actors.
func among(actors ...string) func(*lab.Scenario) {
	return func(s *lab.Scenario) {
		s.Actors = slices.DeleteFunc(s.Actors, func(actor lab.Actor) bool { return !slices.Contains(actors, actor.Name) })
	}
}

// under judges by these invariants.
func under(invariants Shipped) func(*lab.Scenario) {
	return func(s *lab.Scenario) { s.Invariants = invariants.about(invariantsOf(*s).subjects) }
}

// always intercepts all actors.
func always(around func() driver.Around) lab.Intercept {
	return func(string) driver.Around { return around() }
}

// only intercepts the actors whose names start with the prefix.
func only(prefix string, around func() driver.Around) lab.Intercept {
	return func(actor string) driver.Around {
		if !strings.HasPrefix(actor, prefix) {
			return nil
		}
		return around()
	}
}

// following is what an Around calls to let a call go on.
type following = func(context.Context) error

// stateless is an Around that keeps nothing from one call to the next, so all executions share it.
func stateless(around driver.Around) func() driver.Around {
	return func() driver.Around { return around }
}

// sending changes each call before it is sent.
func sending(change func(*driver.Call)) func() driver.Around {
	return stateless(func(ctx context.Context, c *driver.Call, next following) error {
		c.Operations = slices.Clone(c.Operations)
		change(c)
		return next(ctx)
	})
}

// writes reports whether a call is a transaction of a table.
func writes(c *driver.Call, table string) bool {
	return c.Method == driver.CallTransact && c.Target == table
}

// leavingOut sends transactions without the operations of this action on rows that start with one of the prefixes, as
// long as others are left.
func leavingOut(action driver.Action, prefixes ...string) func() driver.Around {
	var without driver.Around
	without = func(ctx context.Context, c *driver.Call, next following) error {
		at := slices.IndexFunc(c.Operations, func(op driver.Operation) bool {
			return op.Action == action && slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(op.Row, prefix) })
		})
		if at < 0 || len(c.Operations) == 1 {
			return next(ctx)
		}
		return withoutOperation(ctx, c, at, func(ctx context.Context) error { return without(ctx, c, next) })
	}
	return stateless(without)
}

// writesTo reports of a call whether it is a transaction of one of the tables.
func writesTo(tables ...string) func(*driver.Call) bool {
	return func(c *driver.Call) bool { return c.Method == driver.CallTransact && slices.Contains(tables, c.Target) }
}

// withoutOperation sends the call without operation i. The index of an operation
// that fails is counted as if i had been sent.
func withoutOperation(ctx context.Context, c *driver.Call, i int, next following) error {
	c.Operations = slices.Delete(slices.Clone(c.Operations), i, i+1)
	err := next(ctx)
	var failed *driver.OperationError
	if errors.As(err, &failed) && failed.Index >= i {
		return &driver.OperationError{Index: failed.Index + 1, Err: failed.Err}
	}
	return err
}

// outright takes out the rows that start with the prefix and that another row
// replaces later. The other row is then inserted without anything to replace.
func outright(prefix string) func() driver.Around {
	return func() driver.Around {
		began := false
		return func(ctx context.Context, c *driver.Call, next following) error {
			at := slices.IndexFunc(c.Operations, func(op driver.Operation) bool { return strings.HasPrefix(op.Row, prefix) })
			began = began || at >= 0
			switch {
			case at >= 0 && len(c.Operations) == 1:
				return nil
			case at >= 0:
				return withoutOperation(ctx, c, at, next)
			case began && c.Method == driver.CallGet && strings.HasPrefix(c.Row, prefix):
				c.Entity = driver.Entity{Partition: c.Partition, Row: c.Row, ETag: "none"}
				return nil
			}
			return next(ctx)
		}
	}
}

// withoutMatch makes writes to a table's rows that start with the prefix hold for
// any version.
func withoutMatch(table, prefix string) func() driver.Around {
	return sending(func(c *driver.Call) {
		for i, op := range c.Operations {
			if _, ok := op.If.ETag(); ok && c.Target == table && strings.HasPrefix(op.Row, prefix) {
				c.Operations[i].If = driver.Exists
			}
		}
	})
}

// withoutProperty reads rows that do not have the property.
func withoutProperty(table, name string) func() driver.Around {
	return reading(table, func(row *driver.Entity) {
		row.Properties = slices.DeleteFunc(slices.Clone(row.Properties), func(p driver.Property) bool { return p.Name == name })
	})
}

// reading changes a row of a table when it is read.
func reading(table string, change func(row *driver.Entity)) func() driver.Around {
	return stateless(func(ctx context.Context, c *driver.Call, next following) error {
		err := next(ctx)
		if err == nil && c.Method == driver.CallGet && c.Target == table {
			change(&c.Entity)
		}
		return err
	})
}

// takenForActive reads each channel as one that is active.
func takenForActive() func() driver.Around {
	return reading(schema.TableChannels, func(row *driver.Entity) { set(row, driver.String("State", domain.ChannelActive)) })
}

func set(row *driver.Entity, p driver.Property) {
	row.Properties = row.Properties.Merged(driver.Properties{p})
}

// skipping leaves calls out, and answers as if they had taken effect.
func skipping(which func(*driver.Call) bool) func() driver.Around {
	return stateless(func(ctx context.Context, c *driver.Call, next following) error {
		if which(c) {
			c.Receipt = c.Message.Receipt
			return nil
		}
		return next(ctx)
	})
}

// withoutWithdrawal leaves out the deletion of a gate alone.
func withoutWithdrawal() func() driver.Around {
	return skipping(func(c *driver.Call) bool {
		return len(c.Operations) == 1 && c.Operations[0].Action == driver.ActionDelete && strings.HasPrefix(c.Operations[0].Row, "gate!")
	})
}

// takenFor makes every channel that is read look like the incarnation that the actor has
// learned of. learn is called with each call that was answered.
func takenFor(learn func(c *driver.Call, about domain.Incarnation) domain.Incarnation) func() driver.Around {
	return func() driver.Around {
		var about domain.Incarnation
		return func(ctx context.Context, c *driver.Call, next following) error {
			if err := next(ctx); err != nil {
				return err
			}
			if about = learn(c, about); about != "" && c.Method == driver.CallGet && c.Target == schema.TableChannels {
				set(&c.Entity, driver.String("Incarnation", about))
			}
			return nil
		}
	}
}

// afterMark holds the calls back that are to be late, until the channel is pending or deleting.
func afterMark(late func(*driver.Call) bool) func() driver.Around {
	return after(writesTo(schema.TableChannels), late)
}

// after holds the calls back that are to be late, until the first of the calls that come before them was answered.
func after(before, late func(*driver.Call) bool) func() driver.Around {
	type call struct {
		context.Context // of the line that asked for it
		driver.Call
	}
	return func() driver.Around {
		var held []call
		return func(ctx context.Context, c *driver.Call, next following) error {
			if late(c) {
				held = append(held, call{ctx, *c})
				return nil
			}
			err := next(ctx)
			if err != nil || !before(c) {
				return err
			}
			answered := *c
			for _, call := range held {
				*c = call.Call
				err = next(call.Context)
			}
			*c, held = answered, nil
			return err
		}
	}
}
