package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue/v2"

	"microblogging/storage/azure"
	"microblogging/storage/azuritetest"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
)

func TestLoadCommand(t *testing.T) {
	for sentence, test := range map[string]func(*testing.T){
		"what it cannot do is refused before anything is done":                 loadRefuses,
		"the site's store is left alone, also while a server has it open":      loadLeavesSite,
		"an interruption ends it with what was measured, and no store is left": loadInterrupted,
		"the report compares 1, 2, 4 and 8 channels":                           loadReports,
		"on Azure it leaves no table and no queue":                             loadOnAzure,
		"on an account that makes no queues it leaves no table":                loadLeavesNoTable,
		"throttled, retried and failed are told apart":                         loadThrottled,
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel() // they mostly wait
			test(t)
		})
	}
}

func loadRefuses(t *testing.T) {
	dir := t.TempDir()
	data, earlier := filepath.Join(dir, "data"), filepath.Join(dir, "earlier.html")
	ok(t, os.WriteFile(earlier, []byte("earlier"), 0o600))
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"a mix of what there is not":      {[]string{"--mix", "post=1,like=2"}, "like"},
		"a rate that is no number":        {[]string{"--rate=NaN"}, "--rate"},
		"a report in no directory":        {[]string{"--report", filepath.Join(dir, "none", "r.html")}, "none"},
		"an account that does not answer": {[]string{"--storage", "azure", "--azure-connection-string", unreachable, "--report", filepath.Join(dir, "r.html")}, "unavailable"},
		"no account":                      {[]string{"--storage", "azure", "--report", earlier}, "AZURE_STORAGE_CONNECTION_STRING"},
		"a file as data directory":        {[]string{"--data", earlier, "--report", earlier}, earlier},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := program(t, append([]string{"load", "--data", data}, c.args...)...)
			if code != exitCannotRun || !strings.Contains(errs, c.says) || out != "" {
				t.Errorf("exits with %d, prints %q and says %q, want 2, nothing and something of %q", code, out, errs, c.says)
			}
		})
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("there is %v (%v), want the earlier report alone", entries, err)
	}
	if text, err := os.ReadFile(earlier); err != nil || string(text) != "earlier" {
		t.Errorf("the earlier report is %q (%v)", text, err)
	}
}

// A loadAnswer is the object of load --json.
type loadAnswer struct {
	Channels   int
	Duration   float64
	Operations []struct {
		Name               string
		Requests, Entities int64
		Throttled, Failed  int64
		P50, P95, P99, Max float64
	}
	Targets map[string]int
}

// loaded runs a short load, which must succeed, and returns what it printed.
func loaded(t *testing.T, args ...string) loadAnswer {
	t.Helper()
	code, out, errs := program(t, append([]string{"load", "--json", "--duration", "300ms", "--workers", "4"}, args...)...)
	if code != exitOK {
		t.Fatalf("exits with %d and says %q", code, errs)
	}
	return answered(t, out)
}

func answered(t *testing.T, out string) loadAnswer {
	t.Helper()
	var answer loadAnswer
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	return answer
}

// sound requires that every operation of the mix was made and none failed.
func (a loadAnswer) sound(t *testing.T, channels int, names ...string) {
	t.Helper()
	if a.Channels != channels || a.Duration < 0.3 || a.Duration > 60 || len(a.Operations) != len(names) ||
		a.Targets["partition"] != 2000 || a.Targets["partition2011"] != 500 || a.Targets["account"] != 20_000 {
		t.Errorf("%+v", a)
	}
	for i, o := range a.Operations {
		if o.Name != names[i] || o.Requests == 0 || o.Entities < o.Requests || o.Failed != 0 ||
			o.P50 <= 0 || o.P50 > o.P95 || o.P95 > o.P99 || o.P99 > o.Max || o.Max > a.Duration {
			t.Errorf("%+v", o)
		}
	}
}

func loadLeavesSite(t *testing.T) {
	data := emptyStore(t)
	db, err := bolt.Open(data, bolt.Options{})
	ok(t, err)
	defer func() { ok(t, db.Close()) }()
	path := filepath.Join(data, "microblogging.db")
	before, err := os.ReadFile(path)
	ok(t, err)
	loaded(t, "--data", data, "--mix", "post=1,vote=1,read=2").sound(t, 1, "post", "read", "vote")
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the site's store has changed (%v)", err)
	}
	if entries, err := os.ReadDir(data); err != nil || len(entries) != 1 {
		t.Errorf("the data directory holds %v (%v), want the site's store alone", entries, err)
	}
}

// whenThere calls do as soon as a file is there, and returns when it has.
func whenThere(t *testing.T, pattern string, do func()) {
	t.Helper()
	for began := time.Now(); time.Since(began) < time.Minute; runtime.Gosched() {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			do()
			return
		}
	}
	t.Errorf("%s never came", pattern)
}

func loadInterrupted(t *testing.T) {
	dir := t.TempDir()
	data, report := filepath.Join(dir, "data"), filepath.Join(dir, "r.html")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan int, 1)
	var out, errs bytes.Buffer
	go func() {
		args := []string{"load", "--json", "--data", data, "--duration", "1h", "--report", report}
		ended <- run(ctx, args, &console{stdout: &out, stderr: &errs})
	}()
	whenThere(t, filepath.Join(data, "load-*", "microblogging.db"), cancel)
	if code := <-ended; code != exitOK {
		t.Errorf("exits with %d and says %q", code, &errs)
	}
	if answer := answered(t, out.String()); answer.Channels != 1 || len(answer.Operations) != 4 {
		t.Errorf("%+v", answer)
	}
	if text, err := os.ReadFile(report); err != nil || strings.Count(string(text), "<caption>") != 1 {
		t.Errorf("the report is not of one run (%v)", err)
	}
	if left, err := os.ReadDir(data); err != nil || len(left) > 0 {
		t.Errorf("there is %v (%v)", left, err)
	}
}

func loadReports(t *testing.T) {
	dir := t.TempDir()
	report := filepath.Join(dir, "r.html")
	ok(t, os.WriteFile(report, bytes.Repeat([]byte("earlier"), 100_000), 0o600))
	code, out, errs := program(t, "load", "--data", filepath.Join(dir, "data"), "--duration", "100ms", "--channels", "2", "--report", report)
	if code != exitOK || !strings.HasPrefix(out, "channels: 2, ") || strings.Count(out, "operation") != 4 {
		t.Errorf("exits with %d, prints\n%s and says %q", code, out, errs)
	}
	text, err := os.ReadFile(report)
	if err != nil || bytes.Contains(text, []byte("earlier")) {
		t.Errorf("the report has something of the earlier one (%v)", err)
	}
	for _, says := range []string{"<caption>channels: 1<", "<caption>channels: 2<", "<caption>channels: 4<", "<caption>channels: 8<", "</html>"} {
		if bytes.Count(text, []byte(says)) != 1 {
			t.Errorf("the report has not one %s", says)
		}
	}
}

// loadOnAzure also finds that what belongs to others stays.
func loadOnAzure(t *testing.T) {
	account := azuritetest.Shared(t).Account()
	client, err := azure.Open(azure.Config{ConnectionString: account})
	ok(t, err)
	defer client.Close()
	ok(t, driver.NewTable(client, "Channels").Create(t.Context()))
	loaded(t, "--storage", "azure", "--azure-connection-string", account, "--channels", "2", "--mix", "vote=1", "--retries", "10").sound(t, 2, "vote")
	transport := &http.Transport{} // that of the SDK cannot be closed
	defer transport.CloseIdleConnections()
	options := azcore.ClientOptions{Transport: &http.Client{Transport: transport}}
	service, err := aztables.NewServiceClientFromConnectionString(account, &aztables.ClientOptions{ClientOptions: options})
	ok(t, err)
	page, err := service.NewListTablesPager(nil).NextPage(t.Context())
	if err != nil || len(page.Tables) != 1 || *page.Tables[0].Name != "Channels" {
		t.Errorf("the account has %d tables (%v), want one", len(page.Tables), err)
	}
	queues, err := azqueue.NewServiceClientFromConnectionString(account, &azqueue.ClientOptions{ClientOptions: options})
	ok(t, err)
	if page, err := queues.NewListQueuesPager(nil).NextPage(t.Context()); err != nil || len(page.Queues) != 0 {
		t.Errorf("the account has %d queues (%v), want none", len(page.Queues), err)
	}
}

func loadLeavesNoTable(t *testing.T) {
	var made, dropped atomic.Int64
	account := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/Tables"):
			made.Add(1)
			w.WriteHeader(http.StatusNoContent)
		case r.Method == http.MethodDelete && strings.Contains(r.URL.Path, "/Tables("):
			dropped.Add(1)
			w.WriteHeader(http.StatusNoContent)
		case r.Method == http.MethodGet:
			code := "QueueNotFound"
			if strings.Contains(r.URL.Path, "MicroBloggingLoad") {
				code = "TableNotFound"
			}
			w.Header().Set("X-Ms-Error-Code", code)
			w.WriteHeader(http.StatusNotFound)
		default:
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	defer account.Close()
	code, out, errs := program(t, "load", "--storage", "azure", "--azure-connection-string", strings.ReplaceAll(unreachable, "http://127.0.0.1:1", account.URL))
	if code != exitCannotRun || out != "" || made.Load() == 0 || dropped.Load() != made.Load() {
		t.Errorf("exits with %d, prints %q and says %q; made %d tables and dropped %d", code, out, errs, made.Load(), dropped.Load())
	}
}

// loadThrottled puts a service in front of Azurite that is too busy for each third try to
// read or write rows.
func loadThrottled(t *testing.T) {
	account := azuritetest.Shared(t).Account()
	_, tables, _ := strings.Cut(account, "TableEndpoint=")
	tables, _, _ = strings.Cut(tables, ";")
	target, err := url.Parse(tables)
	ok(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = target.Scheme, target.Host }}
	var tries atomic.Int64
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "Channels") && tries.Add(1)%3 == 0 {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer busy.Close()
	through := strings.Replace(account, target.Host, strings.TrimPrefix(busy.URL, "http://"), 1)
	arguments := []string{"--storage", "azure", "--azure-connection-string", through, "--mix", "read=1",
		"--retries", "10", "--retry-min", "1ms", "--retry-max", "2ms"}
	if o := loaded(t, arguments...).Operations[0]; o.Throttled == 0 || o.Failed != 0 {
		t.Errorf("%+v, want some throttled and none failed", o)
	}
}
