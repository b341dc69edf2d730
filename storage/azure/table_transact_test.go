package azure_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"microblogging/domain"
	"microblogging/storage/azure"
	"microblogging/storage/azuritetest"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
)

func TestTransact(t *testing.T) {
	t.Run("creates nothing if its condition row is missing, even without a condition", conditionRowIsMissing)
	t.Run("says in a line what failed, with the id that the service gave the request", failedOperation)
	t.Run("understands the reply that Azure documents", documentedFailure)
	t.Run("names the one operation of a transaction although Azure gives it no index", oneOperationWithoutIndex)
	t.Run("of one row is tried again after a race although Azure gives no index", raceWithoutIndex)
}

// Table refuses an operation without a condition. The SDK would take it for an upsert.
func conditionRowIsMissing(t *testing.T) {
	c := open(t, azure.Config{ConnectionString: azuritetest.Shared(t).Account()})
	table := newTable(t, c)
	for _, op := range []driver.Operation{
		driver.Merge("gate", driver.Match(`W/"datetime'2026-01-01T00%3A00%3A00.0000000Z'"`)),
		{Action: driver.ActionMerge, Row: "gate"}, {Action: driver.ActionReplace, Row: "gate"}, {Action: driver.ActionDelete, Row: "gate"},
	} {
		err := c.Do(t.Context(), &driver.Call{
			Method: driver.CallTransact, Target: table, Partition: "p", Operations: []driver.Operation{driver.Insert("r"), op},
		})
		wantOperation(t, err, 1, domain.ErrNotFound)
		for _, row := range []string{"gate", "r"} {
			_, err := driver.NewTable(c, table).Get(t.Context(), "p", row)
			want(t, err, domain.ErrNotFound)
		}
	}
}

func failedOperation(t *testing.T) {
	c := open(t, azure.Config{ConnectionString: azuritetest.Shared(t).Account()})
	ops := inserts(driver.MaxOperations)
	ops[99] = driver.Replace("missing", driver.Exists)
	err := driver.NewTable(c, newTable(t, c)).Transact(t.Context(), "p", ops...)
	wantOperation(t, err, 99, domain.ErrNotFound)
	wantBrief(t, err)
	if !regexp.MustCompile(`request [0-9a-f-]{36}\)$`).MatchString(err.Error()) {
		t.Errorf("the service's id of the request is not in %q", err)
	}
}

// wantBrief requires that the text of an error fits a line of a log.
func wantBrief(t *testing.T, err error) {
	t.Helper()
	if text := err.Error(); len(text) > 200 || strings.ContainsAny(text, "\n\r") {
		t.Errorf("not brief: %q", text)
	}
}

// Unlike Azurite's answer, that of Azure has more headers, and the message goes on after a
// line feed.
func documentedFailure(t *testing.T) {
	for what, test := range map[string]struct {
		status, code, message string
		blames                int // -1 is none
		meaning               error
	}{
		"the index is in the message":          {"409 Conflict", "EntityAlreadyExists", "1:The specified entity already exists.", 1, domain.ErrExists},
		"without an index none is blamed":      {"409 Conflict", "EntityAlreadyExists", "The specified entity already exists.", -1, domain.ErrExists},
		"for a busy service none is blamed":    {"503 Service Unavailable", "ServerBusy", "0:The server is busy.", -1, domain.ErrUnavailable},
		"a refusal has no meaning in domain":   {"400 Bad Request", "InvalidDuplicateRow", "1:The batch request contains multiple changes.", -1, nil},
		"an index beyond the batch is unknown": {"409 Conflict", "EntityAlreadyExists", "2:The specified entity already exists.", -1, domain.ErrUnavailable},
	} {
		body := changesetOpen + part(test.status, `{"odata.error":{"code":"`+test.code+`","message":{"lang":"en-US","value":"`+test.message+
			`\nRequestId:0\nTime:2026-01-01T00:00:00.0000000Z"}}}`) + changesetEnd + batchEnd
		err := driver.NewTable(listen(t, says(body)), "T").Transact(t.Context(), "p", inserts(2)...)
		if test.blames >= 0 {
			wantOperation(t, err, test.blames, test.meaning)
			continue
		}
		notAnOperation(t, err)
		for _, meaning := range []error{domain.ErrNotFound, domain.ErrExists, domain.ErrConflict, domain.ErrUnavailable} {
			if errors.Is(err, meaning) != (meaning == test.meaning) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if test.meaning == nil && !strings.Contains(err.Error(), "400 InvalidDuplicateRow") {
			t.Errorf("%v does not say why", err)
		}
	}
}

// withoutIndex makes Azurite answer as Azure does: if a transaction of one operation fails, the message does not
// begin with its index.
func withoutIndex(req *policy.Request) (*http.Response, error) {
	reply, err := req.Next()
	if err != nil || !strings.HasPrefix(reply.Header.Get("Content-Type"), "multipart/mixed") {
		return reply, err
	}
	body, err := runtime.Payload(reply)
	if strings.Count(string(body), "HTTP/1.1 ") == 1 {
		body = []byte(strings.Replace(string(body), `"value":"0:`, `"value":"`, 1))
	}
	reply.Body = io.NopCloser(bytes.NewReader(body))
	return reply, err
}

func oneOperationWithoutIndex(t *testing.T) {
	c := open(t, with(azuritetest.Shared(t).Account(), fault(withoutIndex)))
	table := driver.NewTable(c, newTable(t, c))
	ok(t, table.Transact(t.Context(), "p", driver.Insert("r")))
	old := driver.Match(`W/"datetime'2001-01-01T00%3A00%3A00.0000000Z'"`)
	wantOperation(t, table.Transact(t.Context(), "p", driver.Insert("r")), 0, domain.ErrExists)
	wantOperation(t, table.Transact(t.Context(), "p", driver.Merge("r", old)), 0, domain.ErrConflict)
	wantOperation(t, table.Transact(t.Context(), "p", driver.Delete("absent", driver.Exists)), 0, domain.ErrNotFound)
}

// Without the index, a conflict would not be known for a race, and the second writer would be told of it.
func raceWithoutIndex(t *testing.T) {
	c := open(t, with(azuritetest.Shared(t).Account(), fault(withoutIndex)))
	table := driver.NewTable(c, newTable(t, c))
	raced := false
	ok(t, optimistic.Pause(nil).Change(t.Context(), table, "p", "r", func(driver.Entity) (driver.Properties, error) {
		if !raced {
			raced = true
			ok(t, table.Transact(t.Context(), "p", driver.Insert("r", driver.Int64("First", 1))))
		}
		return driver.Properties{driver.Int64("Second", 2)}, nil
	}))
	if row := get(t, c, table.Name(), "r").Properties; row.Int64("First") != 1 || row.Int64("Second") != 2 {
		t.Errorf("the row has %v", row)
	}
}

func notAnOperation(t *testing.T, err error) {
	t.Helper()
	var failed *driver.OperationError
	if errors.As(err, &failed) {
		t.Errorf("operation %d is blamed: %v", failed.Index, err)
	}
}
