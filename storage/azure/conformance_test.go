package azure_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/azure"
	"microblogging/storage/azuritetest"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/schema"
	"microblogging/worker"
)

const (
	// maxRequests and maxTime bound what a run costs. Nothing is sent after either, but to remove the tables.
	maxRequests = 100_000
	maxTime     = 5 * time.Minute
	// priceOfRequests is what 10,000 requests cost in US dollars. docs/performance.md says where it is from.
	priceOfRequests = 0.00036
)

var errBounds = fmt.Errorf("the run has reached %d requests or %s", maxRequests, maxTime)

// TestConformance runs the drivers' suite, a deletion and a load on the account that the
// environment names if MICROBLOGGING_TEST_ACCOUNT is set, as make conformance does, and else on
// Azurite. It makes tables and queues of a random prefix, and removes them.
func TestConformance(t *testing.T) {
	a := newTrial(t)
	t.Run("the drivers' suite passes", func(t *testing.T) {
		drivertest.Tables(t, func(*testing.T) driver.Backend { return a })
		drivertest.Queues(t, func(*testing.T) driver.Backend { return a })
	})
	t.Run("answers are those of Azurite, or are reported", a.compareAnswers)
	t.Run("a deletion whose worker is killed completes, and leaves nothing", a.killedDeletion)
	t.Run("posts and pages go on under load", a.load)
	fmt.Fprintf(&a.report, "cost: %d requests, %d of them tries again, %d refused as too many, in %.0f s: about $%.4f at the price of table requests; those of queues may cost more\n",
		a.requests.Load(), a.again.Load(), a.throttled.Load(), time.Since(a.began).Seconds(), float64(a.requests.Load())*priceOfRequests/10_000)
	fmt.Print(a.report.String())
}

// A trial is an account behind a prefix of its own. It is a driver.Backend.
type trial struct {
	*azure.Client
	raw    *aztables.ServiceClient
	prefix string
	began  time.Time
	report strings.Builder
	// requests, again and throttled count tries of requests.
	requests, again, throttled atomic.Int64

	mu             sync.Mutex
	tables, queues map[string]bool
}

func newTrial(t *testing.T) *trial {
	t.Helper()
	a := &trial{prefix: "conf" + strings.ToLower(rand.Text()[:8]), began: time.Now(), tables: map[string]bool{}, queues: map[string]bool{}}
	config, name, err := azure.Config{}, "the account of the environment", error(nil)
	if os.Getenv("MICROBLOGGING_TEST_ACCOUNT") == "" {
		config, name = patient(azuritetest.Shared(t).Account()), "Azurite"
	} else if config.ConnectionString = os.Getenv("AZURE_STORAGE_CONNECTION_STRING"); config.ConnectionString == "" {
		config.TableEndpoint, config.QueueEndpoint = os.Getenv("AZURE_STORAGE_TABLE_ENDPOINT"), os.Getenv("AZURE_STORAGE_QUEUE_ENDPOINT")
		if config.TableEndpoint == "" || config.QueueEndpoint == "" {
			t.Fatal("set AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_TABLE_ENDPOINT and AZURE_STORAGE_QUEUE_ENDPOINT")
		}
		config.Credential, err = azidentity.NewDefaultAzureCredential(nil)
		ok(t, err)
	}
	config.Tried = func(try azure.Try) {
		a.requests.Add(1)
		if try.Number > 1 {
			a.again.Add(1)
		}
		if try.Throttled() {
			a.throttled.Add(1)
		}
	}
	a.Client = open(t, config)
	client := &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	t.Cleanup(client.CloseIdleConnections)
	options := &aztables.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: client}}
	if config.Credential != nil {
		a.raw, err = aztables.NewServiceClient(config.TableEndpoint, config.Credential, options)
	} else {
		a.raw, err = aztables.NewServiceClientFromConnectionString(config.ConnectionString, options)
	}
	ok(t, err)
	fmt.Fprintf(&a.report, "conformance of %s, in tables and queues that begin with %s\n", name, a.prefix)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		err := a.Drop(ctx, slices.Collect(maps.Keys(a.tables)), slices.Collect(maps.Keys(a.queues)))
		if err != nil {
			t.Errorf("tables and queues that begin with %s are left: %v", a.prefix, err)
		}
		for left := a.raw.NewListTablesPager(nil); left.More(); {
			page, err := left.NextPage(ctx)
			ok(t, err)
			for _, table := range page.Tables {
				if strings.HasPrefix(*table.Name, a.prefix) {
					t.Errorf("the table %s is left", *table.Name)
				}
			}
		}
	})
	return a
}

// Do makes a call on the table or queue with the prefix. An existing one is never touched.
func (a *trial) Do(ctx context.Context, call *driver.Call) error {
	if a.requests.Load() >= maxRequests || time.Since(a.began) > maxTime {
		return errBounds
	}
	prefixed := *call
	prefixed.Target = a.prefix + call.Target
	a.mu.Lock()
	switch call.Method {
	case driver.CallCreateTable:
		a.tables[prefixed.Target] = true
	case driver.CallCreateQueue:
		a.queues[prefixed.Target] = true
	}
	a.mu.Unlock()
	err := a.Client.Do(ctx, &prefixed)
	call.Result = prefixed.Result
	return err
}

// compareAnswers makes requests that the driver does not make, or whose answers it depends on, and compares
// them with what Azurite answers. Another answer is no failure on Azure; on Azurite, this test is out of date.
func (a *trial) compareAnswers(t *testing.T) {
	table, name := a.raw.NewClient(a.prefix+"answers"), a.prefix+"answers"
	a.tables[name] = true
	_, err := table.CreateTable(t.Context(), nil)
	ok(t, err)
	row := func(partition, row string) []byte {
		return fmt.Appendf(nil, `{"PartitionKey":%q,"RowKey":%q}`, partition, row)
	}
	add := func(row []byte) error { _, err := table.AddEntity(t.Context(), row, nil); return err }
	batch := func(kind aztables.TransactionType, rows ...[]byte) error {
		var actions []aztables.TransactionAction
		for _, row := range rows {
			actions = append(actions, aztables.TransactionAction{ActionType: kind, Entity: row, IfMatch: to.Ptr(azcore.ETagAny)})
		}
		_, err := table.SubmitTransaction(t.Context(), actions, nil)
		return err
	}
	ok(t, add(row("p", "there")))
	many := make([][]byte, 101)
	for i := range many {
		many[i] = row("many", fmt.Sprintf("%03d", i))
	}
	differ := 0
	for _, question := range []struct {
		asks, azurite string
		answer        func() error
	}{
		{"an insert of a row that is there", "409 EntityAlreadyExists", func() error { return add(row("p", "there")) }},
		{"a read of a row that is not there", "404 ResourceNotFound", func() error { _, err := table.GetEntity(t.Context(), "p", "absent", nil); return err }},
		{"an update under a version that is not the row's", "412 UpdateConditionNotSatisfied", func() error {
			_, err := table.UpdateEntity(t.Context(), row("p", "there"), &aztables.UpdateEntityOptions{UpdateMode: aztables.UpdateModeMerge, IfMatch: to.Ptr(azcore.ETag(`W/"datetime'2001-01-01T00%3A00%3A00.0000000Z'"`))})
			return err
		}},
		{"a transaction of 101 rows", "no answer that can be read", func() error { return batch(aztables.TransactionTypeAdd, many...) }},
		{"a transaction with one row twice", "202 InvalidDuplicateRow", func() error { return batch(aztables.TransactionTypeAdd, row("p", "twice"), row("p", "twice")) }},
		{"a transaction on two partitions", "done", func() error { return batch(aztables.TransactionTypeAdd, row("p1", "a"), row("p2", "a")) }},
		{"a merge of a row that is not there", "202 ResourceNotFound", func() error { return batch(aztables.TransactionTypeUpdateMerge, row("p", "absent")) }},
		{"a row key with a slash", "400 InvalidInput", func() error { return add(row("p", "a/b")) }},
		{"a property of 33,000 characters", "400 PropertyValueTooLarge", func() error {
			return add(fmt.Appendf(nil, `{"PartitionKey":"p","RowKey":"long","Text":%q}`, strings.Repeat("x", 33_000)))
		}},
		{"a table that was removed a moment ago, made again", "done", func() error {
			_, err := table.Delete(t.Context(), nil)
			if err == nil {
				_, err = table.CreateTable(t.Context(), nil)
			}
			return err
		}},
	} {
		if got := said(question.answer()); got != question.azurite {
			differ++
			fmt.Fprintf(&a.report, "differs from Azurite: %s: %s, and Azurite answers %s\n", question.asks, got, question.azurite)
		}
	}
	if differ == 0 {
		fmt.Fprintln(&a.report, "no answer differs from Azurite's")
	} else if os.Getenv("MICROBLOGGING_TEST_ACCOUNT") == "" {
		t.Errorf("Azurite answers otherwise than this test says:\n%s", a.report.String())
	}
}

// said returns the status and the code of an answer.
func said(err error) string {
	var answer *azcore.ResponseError
	switch {
	case err == nil:
		return "done"
	case errors.As(err, &answer):
		return fmt.Sprint(answer.StatusCode, " ", cmp.Or(answer.ErrorCode, inner(answer)))
	}
	return "no answer that can be read"
}

// inner returns the code of the operation of a transaction that failed.
func inner(answer *azcore.ResponseError) string {
	if answer.RawResponse == nil || answer.StatusCode != http.StatusAccepted {
		return ""
	}
	body, _ := runtime.Payload(answer.RawResponse) // it was read before
	_, after, _ := strings.Cut(string(body), `"code":"`)
	code, _, _ := strings.Cut(after, `"`)
	return code
}

// killedDeletion deletes a channel. The first worker makes no call any more once it has removed rows, as if it
// was killed, so its message is not given back.
func (a *trial) killedDeletion(t *testing.T) {
	parts := storage.New(a, storage.Options{HashPassword: cheap})
	ok(t, parts.Operator.Prepare(t.Context()))
	channel := a.channel(t, parts, "Doomed")
	const posts = 200
	var made []storage.NewPost
	for i := range posts {
		made = append(made, storage.NewPost{Channel: channel, By: "ada", Key: fmt.Sprint(i), Draft: domain.Draft{Text: "post"}})
	}
	for group := range slices.Chunk(made, 20) {
		for _, result := range parts.Posts.CreateAll(t.Context(), channel, group) {
			ok(t, result.Err)
		}
	}
	_, err := parts.Deletions.Request(t.Context(), channel.Key(), "ada", domain.OneOf(channel.Incarnation))
	ok(t, err)
	began := time.Now()
	var transactions, dead atomic.Int64
	dying := storage.New(drivertest.NewFaults(a, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method == driver.CallTransact && transactions.Add(1) > 4 {
			dead.Store(1)
		}
		if dead.Load() == 1 {
			return domain.ErrUnavailable
		}
		return send(ctx)
	}), storage.Options{HashPassword: cheap})
	if err := worker.New(dying.Steps, workerOptions()).Handle(t.Context(), take(t, parts)); err == nil {
		t.Error("the first worker did all")
	}
	ok(t, worker.New(parts.Steps, workerOptions()).Handle(t.Context(), take(t, parts)))
	d, err := parts.Deletions.Get(t.Context(), channel.Ref(), "ada")
	ok(t, err)
	rows, err := driver.NewTable(a, schema.TableBlogs).Scan(t.Context(), driver.Scan{Paging: driver.Paging{Limit: 10}})
	if err != nil || d.State != domain.DeletionDone || len(rows.Rows) > 0 {
		t.Errorf("the deletion is %q, %d rows are left: %v", d.State, len(rows.Rows), err)
	}
	fmt.Fprintf(&a.report, "deletion: %d posts, worker killed after 4 transactions, done after %.1f s in %d deliveries\n", posts, time.Since(began).Seconds(), d.LastDelivery)
}

// take waits for a message.
func take(t *testing.T, parts *storage.Parts) driver.Message {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		messages, err := parts.Operator.Messages().Receive(t.Context(), 1, workerOptions().Lease)
		if ok(t, err); len(messages) > 0 {
			return messages[0]
		}
	}
	t.Fatal("no message within a minute")
	return driver.Message{}
}

func workerOptions() worker.Options {
	return worker.Options{Lease: 3 * time.Second, Reconcile: 5 * time.Second, Concurrency: 4, MaxAttempts: 5, Log: slog.New(slog.DiscardHandler)}
}

func cheap(password string) string { return password }

// channel makes a channel.
func (a *trial) channel(t *testing.T, parts *storage.Parts, name string) domain.Channel {
	t.Helper()
	channel, err := domain.NewChannel(name, domain.About{}, "ada")
	ok(t, err)
	channel, _, err = parts.Channels.Create(t.Context(), channel, "", 0)
	ok(t, err)
	return channel
}

// load posts into eight channels and reads them, from 16 goroutines.
func (a *trial) load(t *testing.T) {
	lasts := 30 * time.Second
	if os.Getenv("MICROBLOGGING_TEST_ACCOUNT") == "" {
		lasts = time.Second
	}
	parts := storage.New(a, storage.Options{HashPassword: cheap})
	ok(t, parts.Operator.Prepare(t.Context()))
	var channels []domain.Channel
	for i := range 8 {
		channels = append(channels, a.channel(t, parts, fmt.Sprintf("Load.%d", i)))
	}
	var mu sync.Mutex
	took, failures := map[string][]time.Duration{}, map[string]int{}
	var run sync.WaitGroup
	began := time.Now()
	for worker := range 16 {
		run.Go(func() {
			// The rest of the requests is for the check.
			for i := 0; time.Since(began) < lasts && a.requests.Load() < maxRequests*3/4; i++ {
				channel, what, sent := channels[(worker+i)%len(channels)], "post", time.Now()
				var err error
				if i%4 == 0 {
					_, _, err = parts.Posts.Create(t.Context(), storage.NewPost{
						Channel: channel, By: "ada", Key: fmt.Sprint(worker, " ", i), Draft: domain.Draft{Text: "post"},
					})
				} else {
					what = "page"
					_, err = parts.Posts.List(t.Context(), channel.Ref(), storage.BlogQuery{Limit: 20})
				}
				mu.Lock()
				took[what] = append(took[what], time.Since(sent))
				if err != nil {
					failures[what+": "+err.Error()]++
				}
				mu.Unlock()
			}
		})
	}
	run.Wait()
	lasted := time.Since(began)
	for _, what := range []string{"post", "page"} {
		all := took[what]
		slices.Sort(all)
		if len(all) == 0 {
			t.Errorf("no %s", what)
			continue
		}
		at := func(share float64) float64 { return all[int(share*float64(len(all)-1))].Seconds() * 1000 }
		fmt.Fprintf(&a.report, "load: %d × %s, %.0f a second, half within %.0f ms, 99 %% within %.0f ms\n",
			len(all), what, float64(len(all))/lasted.Seconds(), at(0.5), at(0.99))
	}
	for what, n := range failures {
		t.Errorf("%d × %s", n, what)
	}
	counts, err := parts.Operator.NewChecker(worker.Patience(3*time.Second), false, func(v domain.Violation) { t.Errorf("%+v", v) }).Run(t.Context())
	ok(t, err)
	fmt.Fprintf(&a.report, "check: no violation in %d rows of %d channels\n", counts.Rows, counts.Channels)
}
