package azure_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"

	"microblogging/domain"
	"microblogging/storage/azure"
	"microblogging/storage/azuritetest"
	"microblogging/storage/driver"
)

func TestTransact(t *testing.T) {
	t.Run("creates nothing if its guard is missing", guardedMissingRow)
	t.Run("names the operation that failed", failedOperation)
	t.Run("understands the reply that Azure documents", documentedFailure)
}

func guardedMissingRow(t *testing.T) {
	c := open(t, azure.Config{ConnectionString: azuritetest.Shared(t).Account()})
	table := newName()
	for name, op := range map[string]driver.Operation{
		"merge if it exists":       driver.Merge("gate", driver.Exists),
		"merge if it is unchanged": driver.Merge("gate", driver.Match(`W/"datetime'2026-01-01T00%3A00%3A00.0000000Z'"`)),
		"replace if it exists":     driver.Replace("gate", driver.Exists),
		// Table refuses an operation without a condition. The SDK would take it for an
		// upsert.
		"merge without condition":   {Action: driver.ActionMerge, Row: "gate"},
		"replace without condition": {Action: driver.ActionReplace, Row: "gate"},
		"delete without condition":  {Action: driver.ActionDelete, Row: "gate"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.Transact(t.Context(), table, "p", []driver.Operation{driver.Insert("r"), op})
			wantOperation(t, err, 1, domain.ErrNotFound)
			absent(t, c, table, "gate")
			absent(t, c, table, "r")
		})
	}
}

func failedOperation(t *testing.T) {
	c := open(t, azure.Config{ConnectionString: azuritetest.Shared(t).Account()})
	table := newName()
	transact(t, c, table, driver.Insert("there"))
	stale := driver.Match(get(t, c, table, "there").ETag)
	transact(t, c, table, driver.Merge("there", driver.Exists))
	for name, failing := range map[string]struct {
		op      driver.Operation
		meaning error
	}{
		"insert":              {driver.Insert("there"), domain.ErrExists},
		"merge":               {driver.Merge("missing", driver.Exists), domain.ErrNotFound},
		"replace":             {driver.Replace("missing", driver.Exists), domain.ErrNotFound},
		"delete":              {driver.Delete("missing", driver.Exists), domain.ErrNotFound},
		"conditional merge":   {driver.Merge("there", stale), domain.ErrConflict},
		"conditional replace": {driver.Replace("there", stale), domain.ErrConflict},
		"conditional delete":  {driver.Delete("there", stale), domain.ErrConflict},
	} {
		t.Run(name, func(t *testing.T) {
			for _, index := range []int{0, 7, 10, 99} {
				ops := make([]driver.Operation, driver.MaxOperations)
				for i := range ops {
					ops[i] = driver.Insert("new" + strings.Repeat("x", i))
				}
				ops[index] = failing.op
				err := c.Transact(t.Context(), table, "p", ops)
				wantOperation(t, err, index, failing.meaning)
				wantBrief(t, err)
				var reply *azcore.ResponseError
				if !errors.As(err, &reply) || reply.StatusCode != http.StatusAccepted {
					t.Errorf("the SDK's error is out of reach of %v", err)
				}
			}
		})
	}
}

// wantBrief requires that the text of an error fits a line of a log.
func wantBrief(t *testing.T, err error) {
	t.Helper()
	if text := err.Error(); len(text) > 200 || strings.ContainsAny(text, "\n\r") {
		t.Errorf("not brief: %q", text)
	}
}

// azureSays answers as Azure documents a failed batch. Unlike Azurite's answer, it
// has more headers, and the message goes on after a line feed.
func azureSays(status, code, message string) fault {
	const batch, changeset = "batchresponse_2dc0af07", "changesetresponse_fb5a4f5a"
	return answers(http.StatusAccepted, http.Header{"Content-Type": {"multipart/mixed; boundary=" + batch}}, strings.Join([]string{
		"--" + batch,
		"Content-Type: multipart/mixed; boundary=" + changeset,
		"",
		"--" + changeset,
		"Content-Type: application/http",
		"Content-Transfer-Encoding: binary",
		"",
		"HTTP/1.1 " + status,
		"X-Content-Type-Options: nosniff",
		"Cache-Control: no-cache",
		"Preference-Applied: return-no-content",
		"DataServiceVersion: 3.0;",
		"Content-Type: application/json;odata=minimalmetadata;streaming=true;charset=utf-8",
		"",
		`{"odata.error":{"code":"` + code + `","message":{"lang":"en-US","value":"` + message +
			`\nRequestId:0\nTime:2026-01-01T00:00:00.0000000Z"}}}`,
		"--" + changeset + "--",
		"--" + batch + "--",
		"",
	}, "\r\n"))
}

func documentedFailure(t *testing.T) {
	ops := []driver.Operation{driver.Insert("a"), driver.Insert("b")}
	t.Run("the index is in the message", func(t *testing.T) {
		c := open(t, with(unreachable, azureSays("409 Conflict", "EntityAlreadyExists", "1:The specified entity already exists.")))
		wantOperation(t, c.Transact(t.Context(), "T", "p", ops), 1, domain.ErrExists)
	})
	t.Run("without an index no operation is blamed", func(t *testing.T) {
		c := open(t, with(unreachable, azureSays("409 Conflict", "EntityAlreadyExists", "The specified entity already exists.")))
		err := c.Transact(t.Context(), "T", "p", ops)
		want(t, err, domain.ErrExists)
		notAnOperation(t, err)
	})
	t.Run("for a busy service no operation is blamed", func(t *testing.T) {
		c := open(t, with(unreachable, azureSays("503 Service Unavailable", "ServerBusy", "0:The server is busy.")))
		err := c.Transact(t.Context(), "T", "p", ops)
		want(t, err, domain.ErrUnavailable)
		notAnOperation(t, err)
	})
	t.Run("a refusal has no meaning in domain", func(t *testing.T) {
		c := open(t, with(unreachable, azureSays("400 Bad Request", "InvalidDuplicateRow", "1:The batch request contains multiple changes.")))
		err := c.Transact(t.Context(), "T", "p", ops)
		notAnOperation(t, err)
		for _, meaning := range []error{domain.ErrNotFound, domain.ErrExists, domain.ErrConflict, domain.ErrUnavailable} {
			if errors.Is(err, meaning) {
				t.Errorf("%v is %q", err, meaning)
			}
		}
		if !strings.Contains(err.Error(), "400 InvalidDuplicateRow") {
			t.Errorf("%v does not say why", err)
		}
	})
	t.Run("a malformed reply is no answer", func(t *testing.T) {
		c := open(t, with(unreachable, answers(http.StatusAccepted, nil, "{}")))
		want(t, c.Transact(t.Context(), "T", "p", ops), domain.ErrUnavailable)
	})
}

func notAnOperation(t *testing.T, err error) {
	t.Helper()
	var failed *driver.OperationError
	if errors.As(err, &failed) {
		t.Errorf("operation %d is blamed: %v", failed.Index, err)
	}
}
