package protocol

import (
	"errors"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage/driver"
)

// How guards are taken out of the shipped code.

// ablate is a scenario of the shipped code without a guard. code names the guard's function.
func ablate(name, of, label, code, why string, intercept func(actor string) lab.Interceptor, changes ...func(*lab.Scenario)) lab.Scenario {
	list := Scenarios()
	s := list[slices.IndexFunc(list, func(s lab.Scenario) bool { return s.Name == of })]
	s.Name, s.Intercept, s.Slow = name, intercept, false
	s.Guard = &lab.Guard{Of: of, Label: label, Why: why, Code: code}
	for _, change := range changes {
		change(&s)
	}
	return s
}

// unharmed allows no faults: the order of calls is enough.
func unharmed(s *lab.Scenario) { s.Faults = 0 }

// interrupted bounds preemptions: a few are enough, and found sooner.
func interrupted(s *lab.Scenario) { s.Preemptions = 4 }

// among keeps only these actors.
func among(actors ...string) func(*lab.Scenario) {
	return func(s *lab.Scenario) {
		s.Actors = slices.DeleteFunc(s.Actors, func(actor lab.Actor) bool { return !slices.Contains(actors, actor.Name) })
	}
}

// under judges by these laws.
func under(laws Shipped) func(*lab.Scenario) { return func(s *lab.Scenario) { s.Laws = laws } }

func always(interceptor func() lab.Interceptor) func(string) lab.Interceptor {
	return func(string) lab.Interceptor { return interceptor() }
}

// only intercepts the actors whose names start with the prefix.
func only(prefix string, interceptor func() lab.Interceptor) func(string) lab.Interceptor {
	return func(actor string) lab.Interceptor {
		if !strings.HasPrefix(actor, prefix) {
			return nil
		}
		return interceptor()
	}
}

// withoutGuard leaves out the merge of a gate before other operations.
func withoutGuard(gate string) func() lab.Interceptor {
	return func() lab.Interceptor {
		return func(c lab.Call, do func(lab.Call) lab.Answer) lab.Answer {
			if len(c.Operations) < 2 || c.Operations[0].Action != driver.ActionMerge || !strings.HasPrefix(c.Operations[0].Row, gate) {
				return do(c)
			}
			return withoutOperation(c, 0, do)
		}
	}
}

// withoutOperation sends the call without operation i. The index of an operation
// that fails is counted as if i had been sent.
func withoutOperation(c lab.Call, i int, do func(lab.Call) lab.Answer) lab.Answer {
	c.Operations = slices.Delete(slices.Clone(c.Operations), i, i+1)
	a := do(c)
	var failed *driver.OperationError
	if errors.As(a.Err, &failed) && failed.Index >= i {
		a.Err = &driver.OperationError{Index: failed.Index + 1, Err: failed.Err}
	}
	return a
}

// outright takes out the rows that start with the prefix and that another row
// replaces later. The other row is then inserted without anything to replace.
func outright(prefix string) func() lab.Interceptor {
	return func() lab.Interceptor {
		began := false
		return func(c lab.Call, do func(lab.Call) lab.Answer) lab.Answer {
			at := slices.IndexFunc(c.Operations, func(op driver.Operation) bool { return strings.HasPrefix(op.Row, prefix) })
			began = began || at >= 0
			switch {
			case at >= 0 && len(c.Operations) == 1:
				return lab.Answer{}
			case at >= 0:
				return withoutOperation(c, at, do)
			case began && c.Method == lab.Get && strings.HasPrefix(c.Row, prefix):
				return lab.Answer{Entity: driver.Entity{Partition: c.Partition, Row: c.Row, ETag: "none"}}
			}
			return do(c)
		}
	}
}

// withoutMatch makes writes to a table's rows that start with the prefix hold for
// any version.
func withoutMatch(table, prefix string) func() lab.Interceptor {
	return func() lab.Interceptor {
		return func(c lab.Call, do func(lab.Call) lab.Answer) lab.Answer {
			if c.Target == table {
				c.Operations = slices.Clone(c.Operations)
				for i, op := range c.Operations {
					if _, ok := op.If.ETag(); ok && strings.HasPrefix(op.Row, prefix) {
						c.Operations[i].If = driver.Exists
					}
				}
			}
			return do(c)
		}
	}
}

// withoutProperty reads rows that do not have the property.
func withoutProperty(table, name string) func() lab.Interceptor {
	return func() lab.Interceptor {
		return reading(table, func(row *driver.Entity) {
			row.Properties = slices.DeleteFunc(slices.Clone(row.Properties), func(p driver.Property) bool { return p.Name == name })
		})
	}
}

// reading changes a row of a table when it is read.
func reading(table string, change func(row *driver.Entity)) lab.Interceptor {
	return func(c lab.Call, do func(lab.Call) lab.Answer) lab.Answer {
		a := do(c)
		if c.Method == lab.Get && c.Target == table && a.Err == nil {
			change(&a.Entity)
		}
		return a
	}
}

func set(row *driver.Entity, p driver.Property) {
	row.Properties = row.Properties.Merged(driver.Properties{p})
}

// skipping leaves calls out, and answers as if they had taken effect.
func skipping(which func(lab.Call) bool) lab.Interceptor {
	return func(c lab.Call, do func(lab.Call) lab.Answer) lab.Answer {
		if which(c) {
			return lab.Answer{Receipt: c.Message.Receipt}
		}
		return do(c)
	}
}

// takenFor makes every channel that is read look like the incarnation that the actor has
// learned of. learn is called with each answer that is no error.
func takenFor(learn func(c lab.Call, a lab.Answer, about domain.Incarnation) domain.Incarnation) func() lab.Interceptor {
	return func() lab.Interceptor {
		var about domain.Incarnation
		return func(c lab.Call, do func(lab.Call) lab.Answer) lab.Answer {
			a := do(c)
			if a.Err != nil {
				return a
			}
			if about = learn(c, a, about); about != "" && c.Method == lab.Get && c.Target == lab.TableChannels {
				set(&a.Entity, driver.String("Incarnation", about))
			}
			return a
		}
	}
}

// afterMark holds the calls back that are to be late, until the channel is marked.
func afterMark(late func(lab.Call) bool) func() lab.Interceptor {
	return func() lab.Interceptor {
		var held []lab.Call
		return func(c lab.Call, do func(lab.Call) lab.Answer) lab.Answer {
			if late(c) {
				held = append(held, c)
				return lab.Answer{}
			}
			a := do(c)
			if c.Method == lab.Transact && c.Target == lab.TableChannels && a.Err == nil {
				for _, call := range held {
					a = do(call)
				}
				held = nil
			}
			return a
		}
	}
}
