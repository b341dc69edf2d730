package telemetry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/azure"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/worker"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMetrics(t *testing.T) {
	t.Run("have names, units and help as Prometheus wants them", namesAsPrometheusWants)
	t.Run("count what the hooks tell", countEverything)
}

func TestGauges(t *testing.T) {
	t.Run("tell what waits in the store", tellWhatWaits)
	t.Run("read the store no more often than they must, however many ask", readSeldom)
	t.Run("leave out what could not be read, in bounded time", leaveOutUnread)
	t.Run("that are not waited for are one line of the log, at level debug", logAbortedOnce)
}

// scrape returns what Prometheus gets.
func scrape(t *testing.T, m *Telemetry) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Metrics().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	if w.Code != 200 {
		t.Errorf("answers %d", w.Code)
	}
	return w.Body.String()
}

// wantLines checks that Prometheus gets these lines.
func wantLines(t *testing.T, m *Telemetry, lines ...string) {
	t.Helper()
	got := scrape(t, m)
	for _, line := range lines {
		if !strings.Contains("\n"+got, "\n"+line+"\n") {
			name, _, _ := strings.Cut(line, "{")
			t.Errorf("no line %s\nbut %q", line, regexp.MustCompile(`(?m)^`+name+`.*$`).FindAllString(got, -1))
		}
	}
}

// counting returns a telemetry that has counted nothing yet.
func counting(log *slog.Logger) *Telemetry {
	return New(Options{Version: "test", Role: "serve", Log: log})
}

// call makes a call that ends with this error.
func call(t *testing.T, m *Telemetry, c driver.Call, err error) {
	t.Helper()
	if got := m.around(t.Context(), &c, func(context.Context) error { return err }); got != err {
		t.Errorf("the caller gets %v, want %v", got, err)
	}
}

func namesAsPrometheusWants(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("Debian's package prometheus is not installed, so that promtool cannot check the names")
	}
	check := exec.CommandContext(t.Context(), promtool, "check", "metrics")
	check.Stdin = strings.NewReader(scrape(t, counted(t)))
	if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}

// counted returns a telemetry in which something was counted everywhere.
func counted(t *testing.T) *Telemetry {
	t.Helper()
	m := counting(slog.New(slog.DiscardHandler))
	m.Read(t.Context(), &fakeStore{}, &fakeFile{backup: time.Now()}, late)
	point := driver.Call{Method: driver.CallGet, Target: "Users"}
	for _, err := range []error{
		nil, nil, domain.ErrNotFound, domain.ErrUnavailable, context.DeadlineExceeded, domain.ErrExists, domain.ErrConflict,
		domain.ErrLeaseLost, fmt.Errorf("%w: %w", domain.ErrUnavailable, context.Canceled), errors.New("else"),
	} {
		call(t, m, point, err)
	}
	call(t, m, driver.Call{Method: driver.CallReceive, Target: "deletions", Result: driver.Result{Messages: make([]driver.Message, 4)}}, nil)
	late := driver.Call{Method: driver.CallTransact, Target: "Blogs", Operations: []driver.Operation{driver.Merge("gate!open!x", driver.Exists)}}
	call(t, m, late, &driver.OperationError{Err: domain.ErrNotFound})
	call(t, m, late, nil)
	for status, of := range map[int][2]string{200: {"GET", "/channels/:name"}, 503: {"GET", "/channels/:name"}, 405: {"INVENTED", ""}} {
		m.Request(httptest.NewRequest(of[0], "/", nil), of[1])(status)
	}
	m.Cached("page", true)
	m.Stored(5000)
	m.OverQuota("account-day")
	_ = m.Request(httptest.NewRequest("GET", "/", nil), "/") // it is under way
	for i, end := range []worker.End{
		{Outcome: "lease lost", Kind: domain.MessageChannel, LeaseLost: true}, {Outcome: "done", Kind: domain.MessageChannel}, {Outcome: "permanent", Poisoned: true},
	} {
		handling := m.Deliver(driver.Message{Deliveries: int64(1 + i%2)})
		handling.Removed(99)
		handling.Removed(1)
		handling.Step(domain.StepSweep, time.Second)
		handling.End(end)
	}
	m.Pass(storage.Reconciled{Requeued: 2}, nil)
	m.Tried(azure.Try{Number: 1, Status: 503})
	m.Tried(azure.Try{Number: 2})
	m.Tried(azure.Try{Number: 3, Status: 200})
	m.Committed(bolt.Commit{Changes: 7, Took: time.Second})
	m.Committed(bolt.Commit{Changes: 1, Err: errors.New("the disk is full")})
	return m
}

func countEverything(t *testing.T) {
	wantLines(t, counted(t),
		`microblogging_build_info{goversion="`+runtime.Version()+`",role="serve",version="test"} 1`,
		`microblogging_text_stored_bytes_total 5000`,
		`microblogging_quota_refusals_total{quota="account-day"} 1`,
		`microblogging_quota_refusals_total{quota="account"} 0`,
		`microblogging_store_calls_total{kind="point",outcome="ok",target="Users"} 2`,
		`microblogging_store_calls_total{kind="point",outcome="not_found",target="Users"} 1`,
		`microblogging_store_calls_total{kind="point",outcome="unavailable",target="Users"} 2`,
		`microblogging_store_calls_total{kind="point",outcome="exists",target="Users"} 1`,
		`microblogging_store_calls_total{kind="point",outcome="conflict",target="Users"} 1`,
		`microblogging_store_calls_total{kind="point",outcome="lease_lost",target="Users"} 1`,
		`microblogging_store_calls_total{kind="point",outcome="canceled",target="Users"} 1`,
		`microblogging_store_calls_total{kind="point",outcome="error",target="Users"} 1`,
		`microblogging_store_call_duration_seconds_count{kind="point",target="Users"} 10`,
		`microblogging_store_returned_total{target="deletions"} 4`,
		`microblogging_store_written_total{target="Blogs"} 1`,
		`microblogging_gate_refusals_total{gate="open"} 1`,
		`microblogging_gate_refusals_total{gate="shut"} 0`,
		`microblogging_http_requests_total{method="GET",route="/channels/:name",status="200"} 1`,
		`microblogging_http_requests_total{method="GET",route="/channels/:name",status="503"} 1`,
		`microblogging_http_requests_total{method="other",route="none",status="405"} 1`,
		`microblogging_http_request_duration_seconds_count{method="GET",route="/channels/:name"} 2`,
		`microblogging_http_requests_in_flight 1`,
		`microblogging_page_cache_lookups_total{cache="page",result="hit"} 1`,
		`microblogging_page_cache_lookups_total{cache="view",result="miss"} 0`,
		`microblogging_worker_deliveries_total{kind="channel",outcome="done"} 1`,
		`microblogging_worker_deliveries_total{kind="channel",outcome="lease_lost"} 1`,
		`microblogging_worker_deliveries_total{kind="undecodable",outcome="permanent"} 1`,
		`microblogging_worker_deliveries_in_progress 0`,
		`microblogging_worker_redeliveries_total 1`,
		`microblogging_worker_lost_leases_total 1`,
		`microblogging_worker_poisoned_total 1`,
		`microblogging_worker_rows_removed_total 300`,
		`microblogging_worker_step_duration_seconds_count{step="sweep"} 3`,
		`microblogging_worker_step_duration_seconds_sum{step="sweep"} 3`,
		`microblogging_worker_reconciling_passes_total{outcome="ok"} 1`,
		`microblogging_worker_reconciled_total{what="requeued"} 2`,
		`microblogging_azure_tries_total{status="503"} 1`,
		`microblogging_azure_tries_total{status="none"} 1`,
		`microblogging_azure_tries_total{status="200"} 1`,
		`microblogging_azure_retries_total 2`,
		`microblogging_azure_throttled_total 1`,
		`microblogging_bolt_commits_total{outcome="ok"} 1`,
		`microblogging_bolt_commits_total{outcome="failed"} 1`,
		`microblogging_bolt_commit_changes_sum 7`,
		`microblogging_bolt_commit_duration_seconds_sum 1`)
}

// fakeStore answers as a test decides.
type fakeStore struct {
	backlog storage.Backlog
	err     error
	hangs   bool
	reads   int
}

func (f *fakeStore) Backlog(ctx context.Context) (storage.Backlog, error) {
	f.reads++
	if f.hangs {
		<-ctx.Done()
		return storage.Backlog{}, ctx.Err()
	}
	return f.backlog, f.err
}

// late is the clock of a store that is an hour ahead of this process.
func late() (store, here time.Time, known bool) {
	here = time.Now()
	return here.Add(time.Hour), here, true
}

// A fakeFile is of an embedded store. If it is broken, all that can be told is that.
type fakeFile struct {
	backup time.Time
	broken error
}

func (f *fakeFile) Writable() error { return f.broken }

func (f *fakeFile) Space() (bolt.Space, error) {
	return bolt.Space{Bytes: 4096, Free: 1024}, f.broken
}

func (f *fakeFile) Disk() (bolt.Disk, error) {
	if f.broken != nil {
		return bolt.Disk{}, f.broken
	}
	return bolt.Disk{Bytes: 8192, Free: 2048}, nil
}

func (f *fakeFile) LastBackup() (time.Time, error) { return f.backup, f.broken }

func tellWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := counting(slog.New(slog.DiscardHandler))
		store := &fakeStore{backlog: storage.Backlog{Open: 3, Oldest: time.Now().Add(-time.Hour), Messages: 4, Poisoned: 1, Undated: 2}}
		file := &fakeFile{backup: time.Now().Add(-26 * time.Hour)}
		m.Read(t.Context(), store, file, late)
		wantLines(t, m,
			`microblogging_store_up 1`,
			`microblogging_deletions_open 3`,
			`microblogging_deletions_oldest_age_seconds 3600`,
			`microblogging_queue_messages{queue="deletions"} 4`,
			`microblogging_poisoned_messages 1`,
			`microblogging_clock_ahead_seconds -3600`,
			`microblogging_deletions_undated 2`,
			`microblogging_bolt_writable 1`,
			`microblogging_bolt_file_bytes 4096`,
			`microblogging_bolt_free_bytes 1024`,
			`microblogging_bolt_disk_bytes 8192`,
			`microblogging_bolt_disk_free_bytes 2048`,
			`microblogging_bolt_backup_age_seconds 93600`)
		file.broken, file.backup = errors.New("input/output error"), time.Now().Add(-100*26*time.Hour)
		wantLines(t, m, `microblogging_bolt_writable 0`, `microblogging_bolt_backup_age_seconds 9.36e+06`)
		if got := scrape(t, m); strings.Count(got, "\nmicroblogging_bolt_writable ") != 1 || regexp.MustCompile(`\nmicroblogging_bolt_(file|free|disk)`).MatchString(got) {
			t.Errorf("tells what it cannot read: %s", got)
		}
		store.backlog = storage.Backlog{}
		time.Sleep(readAge)
		wantLines(t, m, `microblogging_deletions_open 0`, `microblogging_deletions_oldest_age_seconds 0`)
	})
}

func readSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := counting(slog.New(slog.DiscardHandler))
		store := &fakeStore{}
		m.Read(t.Context(), store, nil, nil)
		for range 60 {
			scrape(t, m)
			time.Sleep(time.Second)
		}
		if store.reads != 4 {
			t.Errorf("read %d times in a minute", store.reads)
		}
	})
}

func leaveOutUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		m := counting(slog.New(slog.NewTextHandler(&log, nil)))
		store := &fakeStore{hangs: true}
		m.Read(t.Context(), store, nil, func() (store, here time.Time, known bool) { return })
		began := time.Now()
		got := scrape(t, m)
		if took := time.Since(began); took != readTime {
			t.Errorf("took %s", took)
		}
		if strings.Contains(got, "microblogging_deletions_open") || strings.Contains(got, "microblogging_clock") || !strings.Contains(got, "microblogging_store_up 0") ||
			!strings.Contains(got, "go_goroutines") {
			t.Errorf("got %s", got)
		}
		if !strings.Contains(log.String(), "could not read the store") {
			t.Errorf("logged %s", &log)
		}
		store.hangs = false
		time.Sleep(readAge)
		wantLines(t, m, `microblogging_store_up 1`, `microblogging_deletions_open 0`)
	})
}

// An abortedStore is read by a scrape whose client leaves meanwhile.
type abortedStore struct{ leave func() }

func (s abortedStore) Backlog(context.Context) (storage.Backlog, error) {
	s.leave()
	time.Sleep(time.Second)
	return storage.Backlog{}, nil
}

func logAbortedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		m := counting(logger)
		ctx, leave := context.WithCancel(t.Context())
		m.Read(t.Context(), abortedStore{leave}, nil, nil)
		m.Metrics().ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/metrics", nil))
		time.Sleep(time.Minute) // the answer is written, and nothing takes it
		if lines := log.String(); strings.Count(lines, "\n") != 1 || !strings.Contains(lines, "level=DEBUG") {
			t.Errorf("logged %s", lines)
		}
		scrapeLog{logger}.Println("error gathering metrics:", errors.New("two of one name"))
		if lines := log.String(); !strings.Contains(lines, `level=WARN msg="could not tell a metric" error="error gathering metrics: two of one name"`) {
			t.Errorf("of another error, logged %s", lines)
		}
	})
}
