package lab_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/modelcheck"
	"microblogging/lab/protocol"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

func TestSession(t *testing.T) {
	t.Run("a panic of an actor's code reaches the caller of the explorer", panicReachesTheCaller)
	t.Run("a panic that a worker survives fails the search, in a step and when it concludes its message", panicOfAWorkerFailsTheSearch)
	t.Run("a panic of a fresh worker is a violation", panicOfAFreshWorkerIsAViolation)
}

func panicReachesTheCaller(t *testing.T) {
	x := explorer(t, lab.Scenario{
		Name: "fault", Invariants: protocol.Scenarios()[0].Invariants,
		Actors: []lab.Actor{{Name: "ann", Run: func(ctx context.Context, c *lab.Client) {
			_, _ = driver.NewTable(c.Backend, "Channels").Get(ctx, "news", "") // the answer makes no difference
			panic("out of cheese")
		}}},
	})
	defer func() {
		if cause := fmt.Sprint(recover()); !strings.Contains(cause, "ann: panic: out of cheese") || !strings.Contains(cause, "session_test.go") {
			t.Errorf("the panic is %s", cause)
		}
	}()
	_, err := x.Follow(lab.Schedule{{Actor: 1}}, false)
	t.Errorf("no panic, but %v", err)
}

func panicOfAWorkerFailsTheSearch(t *testing.T) {
	for _, of := range []struct {
		method driver.Method
		target string
	}{{driver.CallTransact, schema.TableBlogs}, {driver.CallDelete, domain.QueueName}} {
		c, err := modelcheck.Find("create-delete")
		ok(t, err)
		c.Intercept = []lab.Intercept{func(actor string) driver.Around {
			return func(ctx context.Context, call *driver.Call, next func(context.Context) error) error {
				if actor == "w1" && call.Method == of.method && call.Target == of.target {
					panic("out of cheese")
				}
				return next(ctx)
			}
		}}
		_, _, err = c.Try(t.Context())
		if err == nil || !strings.Contains(err.Error(), "w1: panic") || !strings.Contains(err.Error(), "out of cheese") {
			t.Errorf("%s %s: the search ends with %v", of.method, of.target, err)
		}
	}
}

func panicOfAFreshWorkerIsAViolation(t *testing.T) {
	c, err := modelcheck.Find("create-delete")
	ok(t, err)
	c.Actors = slices.DeleteFunc(slices.Clone(c.Actors), func(a lab.Actor) bool { return a.Name == "w1" })
	invariants := c.Invariants.(protocol.Shipped)
	invariants.Workers = func() driver.Around {
		return func(ctx context.Context, call *driver.Call, next func(context.Context) error) error {
			if call.Method == driver.CallTransact && call.Target == schema.TableBlogs {
				panic("out of cheese")
			}
			return next(ctx)
		}
	}
	c.Invariants = invariants
	found := explorer(t, c.Scenario).Explore()
	if found == nil || !strings.Contains(fmt.Sprint(found.Violations), "out of cheese") {
		t.Errorf("the search found %v", found)
	}
}
