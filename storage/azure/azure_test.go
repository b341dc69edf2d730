package azure_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"microblogging/storage/azure"
	"microblogging/storage/driver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patient returns a configuration whose tries do not time out. On a busy machine
// Azurite may need longer than the 5 s of DefaultRetry. Then the SDK sends a request
// again, and its answer may be a self-conflict, which the conformance suite cannot tell from
// a wrong answer.
func patient(account string) azure.Config {
	retry := azure.DefaultRetry()
	retry.TryTimeout = 5 * time.Minute
	return azure.Config{ConnectionString: account, Retry: &retry}
}

// open opens a client and closes it when the test ends.
func open(t testing.TB, cfg azure.Config) *azure.Client {
	t.Helper()
	c, err := azure.Open(cfg)
	ok(t, err)
	t.Cleanup(c.Close)
	return c
}

// newTable creates a table and returns its name.
func newTable(t testing.TB, c *azure.Client) string {
	t.Helper()
	name := newName()
	ok(t, driver.NewTable(c, name).Create(t.Context()))
	return name
}

// newQueue creates a queue with the message "m" and returns its name.
func newQueue(t testing.TB, c *azure.Client) string {
	t.Helper()
	queue := driver.NewQueue(c, newName())
	ok(t, errors.Join(queue.Create(t.Context()), queue.Send(t.Context(), "m")))
	return queue.Name()
}

// transact applies operations to partition "p", which must succeed.
func transact(t testing.TB, c *azure.Client, table string, ops ...driver.Operation) {
	t.Helper()
	ok(t, driver.NewTable(c, table).Transact(t.Context(), "p", ops...))
}

// get reads a row of partition "p" that must be there.
func get(t testing.TB, c *azure.Client, table, row string) driver.Entity {
	t.Helper()
	e, err := driver.NewTable(c, table).Get(t.Context(), "p", row)
	ok(t, err)
	return e
}

// ok ends the test if there is an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func want(t testing.TB, err, meaning error) {
	t.Helper()
	if !errors.Is(err, meaning) {
		t.Fatalf("got error %v, want one that is %q", err, meaning)
	}
}

func wantOperation(t testing.TB, err error, index int, meaning error) {
	t.Helper()
	var failed *driver.OperationError
	if !errors.As(err, &failed) || failed.Index != index {
		t.Fatalf("got error %v, want operation %d to fail", err, index)
	}
	want(t, err, meaning)
}

// newName returns a new name, good for a table and for a queue.
func newName() string { return "t" + strings.ToLower(rand.Text()) }
