package lab_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"microblogging/lab"
	"microblogging/lab/protocol"
	"microblogging/storage/driver"
)

func TestSession(t *testing.T) {
	t.Run("a panic of an actor's code reaches the caller of the explorer", panicReachesTheCaller)
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
