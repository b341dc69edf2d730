package azure_test

import (
	"errors"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"microblogging/domain"
	"microblogging/storage/azure"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestRetry(t *testing.T) {
	t.Run("sends again what never arrived, and after a status if the table in the documents says so", tableOfStatuses)
	t.Run("sends a transaction again if one of its rows met a busy service", busyInside)
	t.Run("sends nothing again if there are no retries", noRetries)
}

// retrying returns a configuration with the retries of the program.
func retrying(account string, f ...policy.Policy) azure.Config {
	return azure.Config{ConnectionString: account, PerRetry: f}
}

// countTries counts the tries before it passes them on.
func countTries(tries *atomic.Int64, next fault) fault {
	return func(req *policy.Request) (*http.Response, error) {
		tries.Add(1)
		return next(req)
	}
}

// triesOf returns how often a call is sent, all of whose tries are answered alike.
func triesOf(t *testing.T, call driver.Call, answer fault) int64 {
	t.Helper()
	var tries atomic.Int64
	synctest.Test(t, func(t *testing.T) {
		c := open(t, retrying(unreachable, countTries(&tries, answer)))
		if err := c.Do(t.Context(), &call); err == nil {
			t.Error("no error")
		}
	})
	return tries.Load()
}

func tableOfStatuses(t *testing.T) {
	lost := fault(func(*policy.Request) (*http.Response, error) { return nil, errors.New("never sent") })
	if got := triesOf(t, drivertest.EachCall("name")[0], lost); got != 1+int64(azure.DefaultRetry().MaxRetries) {
		t.Errorf("a call that never arrives is sent %d times", got)
	}
	retried := []int{408, 429, 500, 502, 503, 504} // as docs/operating.md says
	for status := 400; status < 600; status++ {
		if http.StatusText(status) == "" {
			continue
		}
		want := int64(1)
		if slices.Contains(retried, status) {
			want += int64(azure.DefaultRetry().MaxRetries)
		}
		for _, call := range drivertest.EachCall("name") {
			if got := triesOf(t, call, answers(status, nil, "")); got != want {
				t.Errorf("%s is sent %d times if each answer is %d, want %d", call.Method, got, status, want)
			}
		}
	}
}

func busyInside(t *testing.T) {
	transaction := driver.Call{Method: driver.CallTransact, Target: "name", Partition: "p", Operations: inserts(1)}
	for status, want := range map[string]int64{
		"500 Internal Server Error": 4, "503 Service Unavailable": 4, "429 Too Many Requests": 4,
		"409 Conflict": 1, "404 Not Found": 1, "412 Precondition Failed": 1,
	} {
		body := changesetOpen + part(status, `{"odata.error":{"code":"ServerBusy","message":{"lang":"en-US","value":"0:The server is busy."}}}`) +
			changesetEnd + batchEnd
		header := http.Header{"Content-Type": {"multipart/mixed; boundary=" + batchBoundary}, "X-Ms-Version": {"2019-02-02"}}
		if got := triesOf(t, transaction, answers(http.StatusAccepted, header, body)); got != want {
			t.Errorf("a transaction is sent %d times if each answer has %s inside, want %d", got, status, want)
		}
	}
}

func noRetries(t *testing.T) {
	var tries atomic.Int64
	none := azure.Retry(0, time.Second, time.Second)
	cfg := retrying(unreachable, countTries(&tries, answers(http.StatusServiceUnavailable, nil, "")))
	cfg.Retry = &none
	want(t, driver.NewTable(open(t, cfg), "name").Transact(t.Context(), "p", driver.Insert("r")), domain.ErrUnavailable)
	if got := tries.Load(); got != 1 {
		t.Errorf("sent %d times", got)
	}
}
