package azure_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"microblogging/domain"
	"microblogging/storage/azure"
	"microblogging/storage/driver"
)

func TestRetry(t *testing.T) {
	t.Run("sends again what never arrived", lostRequest)
	t.Run("sends again after a status if the table in the documents says so", tableOfStatuses)
	t.Run("sends a transaction again if one of its rows met a busy service", busyInside)
	t.Run("sends nothing again to a server whose certificate does not verify", foreignCertificate)
	t.Run("sends nothing again if there are no retries", noRetries)
	t.Run("pauses as the table in the documents says", pauses)
	t.Run("waits as long as a server says that answers 503 with Retry-After", retryAfter)
	t.Run("does not wait longer than the longest pause", retryAfterTooLong)
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
func triesOf(t *testing.T, call string, answer fault) int64 {
	t.Helper()
	var tries atomic.Int64
	synctest.Test(t, func(t *testing.T) {
		c := open(t, retrying(unreachable, countTries(&tries, answer)))
		if err := calls[call](t.Context(), c, "name"); err == nil {
			t.Error("no error")
		}
	})
	return tries.Load()
}

// retriedStatuses are those that the table of docs/retries.md names.
func retriedStatuses(t *testing.T) map[int]bool {
	t.Helper()
	document, err := os.ReadFile("../../docs/retries.md")
	if err != nil {
		t.Fatal(err)
	}
	retried := map[int]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| (.*) \| yes \|`).FindAllStringSubmatch(string(document), -1) {
		for _, status := range regexp.MustCompile(`\b[45]\d\d\b`).FindAllString(row[1], -1) {
			n, _ := strconv.Atoi(status)
			retried[n] = true
		}
	}
	return retried
}

func tableOfStatuses(t *testing.T) {
	retried := retriedStatuses(t)
	if len(retried) != 6 || !retried[503] {
		t.Fatalf("the table names %v", retried)
	}
	for status := 400; status < 600; status++ {
		if http.StatusText(status) == "" {
			continue
		}
		want := int64(1)
		if retried[status] {
			want += azure.DefaultRetries
		}
		for _, call := range []string{"Get", "Transact", "Send"} {
			if got := triesOf(t, call, answers(status, nil, "")); got != want {
				t.Errorf("%s is sent %d times if each answer is %d, want %d", call, got, status, want)
			}
		}
	}
}

func busyInside(t *testing.T) {
	for status, want := range map[string]int64{
		"500 Internal Server Error": 4, "503 Service Unavailable": 4, "429 Too Many Requests": 4,
		"409 Conflict": 1, "404 Not Found": 1, "412 Precondition Failed": 1, "501 Not Implemented": 1,
	} {
		body := changesetOpen + part(status, `{"odata.error":{"code":"ServerBusy","message":{"lang":"en-US","value":"0:The server is busy."}}}`) +
			changesetEnd + batchEnd
		header := http.Header{"Content-Type": {"multipart/mixed; boundary=" + batchBoundary}}
		if got := triesOf(t, "Transact", answers(http.StatusAccepted, header, body)); got != want {
			t.Errorf("a transaction is sent %d times if each answer has %s inside, want %d", got, status, want)
		}
	}
}

func foreignCertificate(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = nil
	server.StartTLS()
	defer server.Close()
	var tries atomic.Int64
	account := strings.ReplaceAll(unreachable, "http://127.0.0.1:1", server.URL)
	c := open(t, retrying(account, countTries(&tries, (*policy.Request).Next)))
	want(t, calls["Get"](t.Context(), c, "name"), domain.ErrUnavailable)
	if got := tries.Load(); got != 1 {
		t.Errorf("sent %d times", got)
	}
}

func noRetries(t *testing.T) {
	var tries atomic.Int64
	none := azure.Retry(0, time.Second, time.Second)
	cfg := retrying(unreachable, countTries(&tries, answers(http.StatusServiceUnavailable, nil, "")))
	cfg.Retry = &none
	want(t, calls["Get"](t.Context(), open(t, cfg), "name"), domain.ErrUnavailable)
	if got := tries.Load(); got != 1 {
		t.Errorf("sent %d times", got)
	}
}

// pauses measures by a clock that stands still while anything runs.
func pauses(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			var at []time.Time
			c := open(t, retrying(unreachable, fault(func(req *policy.Request) (*http.Response, error) {
				at = append(at, time.Now())
				return answers(http.StatusServiceUnavailable, nil, "")(req)
			})))
			want(t, calls["Get"](t.Context(), c, "name"), domain.ErrUnavailable)
			for i, factor := range []time.Duration{1, 3, 7} {
				base := factor * azure.DefaultRetryMin
				if got := at[i+1].Sub(at[i]); got < base*8/10 || got > base*13/10 {
					t.Errorf("pause %d is %s, want 0.8 to 1.3 of %s", i+1, got, base)
				}
			}
		})
	}
}

// busy starts a server that answers 503 with Retry-After a number of times, and then that
// there is no such row.
func busy(t *testing.T, times int64, after string, tries *atomic.Int64) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if tries.Add(1) <= times {
			w.Header().Set("Retry-After", after)
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("X-Ms-Error-Code", "ResourceNotFound")
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(server.Close)
	return strings.ReplaceAll(unreachable, "http://127.0.0.1:1", server.URL)
}

func retryAfter(t *testing.T) {
	var tries atomic.Int64
	c, began := open(t, retrying(busy(t, 1, "1", &tries))), time.Now()
	want(t, calls["Get"](t.Context(), c, "name"), domain.ErrNotFound)
	if took := time.Since(began); took < time.Second || tries.Load() != 2 {
		t.Errorf("sent %d times in %s", tries.Load(), took)
	}
}

func retryAfterTooLong(t *testing.T) {
	var tries atomic.Int64
	c := open(t, retrying(busy(t, 9, "3", &tries)))
	want(t, calls["Get"](t.Context(), c, "name"), domain.ErrUnavailable)
	if got := tries.Load(); got != 1 {
		t.Errorf("sent %d times", got)
	}
}

func lostRequest(t *testing.T) {
	var tries atomic.Int64
	lost := fault(func(req *policy.Request) (*http.Response, error) {
		if tries.Add(1) < 4 {
			return nil, errors.New("never sent")
		}
		return req.Next()
	})
	sound, faulty := pair(t, lost)
	table := newName()
	if err := sound.CreateTable(t.Context(), table); err != nil {
		t.Fatal(err)
	}
	transact(t, faulty, table, driver.Insert("r"))
	get(t, sound, table, "r")
}
