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
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
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
	t.Run("answers are those that were recorded, or are reported", a.compareAnswers)
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
	// last is what compareAnswers, which makes one call at a time, has heard.
	last listener

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
	config.PerRetry = []policy.Policy{&a.last}
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

// A question is a request that the driver does not make, or makes in a batch.
type question struct {
	asks string
	// azurite is the answer of Azurite. azure is that of the recording seen, or empty if there is none.
	azurite, azure, seen string
	answer               func(context.Context, rawTable) error
}

var questions = []question{
	{"an insert of a row that is there", "409 EntityAlreadyExists", "", "", func(ctx context.Context, r rawTable) error { return r.add(ctx, rowJSON("p", "there")) }},
	{"an update under a version that is not the row's", "412 UpdateConditionNotSatisfied", "412 UpdateConditionNotSatisfied", "go delete by version", func(ctx context.Context, r rawTable) error {
		_, err := r.table.UpdateEntity(ctx, rowJSON("p", "there"), &aztables.UpdateEntityOptions{UpdateMode: aztables.UpdateModeMerge, IfMatch: to.Ptr(azcore.ETag(`W/"datetime'2001-01-01T00%3A00%3A00.0000000Z'"`))})
		return err
	}},
	{"a transaction of 101 rows", "no answer that can be read", "202 InvalidInput", "python 101 operations", func(ctx context.Context, r rawTable) error {
		many := make([][]byte, 101)
		for i := range many {
			many[i] = rowJSON("many", fmt.Sprintf("%03d", i))
		}
		return r.batch(ctx, many...)
	}},
	{"a transaction on two partitions", "done", "202 CommandsInBatchActOnDifferentPartitions", "java two partitions", func(ctx context.Context, r rawTable) error {
		return r.batch(ctx, rowJSON("p1", "a"), rowJSON("p2", "a"))
	}},
	{"a row key with a slash", "400 InvalidInput", "", "", func(ctx context.Context, r rawTable) error { return r.add(ctx, rowJSON("p", "a/b")) }},
	{"a property of 33,000 characters", "400 PropertyValueTooLarge", "", "", func(ctx context.Context, r rawTable) error {
		return r.add(ctx, fmt.Appendf(nil, `{"PartitionKey":"p","RowKey":"long","Text":%q}`, strings.Repeat("x", 33_000)))
	}},
	{"a removal of a table that is not there", "404 ResourceNotFound", "404 ResourceNotFound", "java delete absent table", removeAbsent},
	{"a removal of a table that is not there", "404 ResourceNotFound", "404 ResourceNotFound", "python delete absent table", removeAbsent},
	{"a table that was removed a moment ago, made again", "done", "", "", func(ctx context.Context, r rawTable) error {
		_, err := r.table.Delete(ctx, nil)
		if err == nil {
			_, err = r.table.CreateTable(ctx, nil)
		}
		return err
	}},
}

func removeAbsent(ctx context.Context, r rawTable) error {
	_, err := r.service.DeleteTable(ctx, r.name+"absent", nil)
	return err
}

// A rawTable asks a table through the SDK alone.
type rawTable struct {
	service *aztables.ServiceClient
	table   *aztables.Client
	name    string
}

func rowJSON(partition, row string) []byte {
	return fmt.Appendf(nil, `{"PartitionKey":%q,"RowKey":%q}`, partition, row)
}

func (r rawTable) add(ctx context.Context, row []byte) error {
	_, err := r.table.AddEntity(ctx, row, nil)
	return err
}

func (r rawTable) batch(ctx context.Context, rows ...[]byte) error {
	var actions []aztables.TransactionAction
	for _, row := range rows {
		actions = append(actions, aztables.TransactionAction{ActionType: aztables.TransactionTypeAdd, Entity: row})
	}
	_, err := r.table.SubmitTransaction(ctx, actions, nil)
	return err
}

// compareAnswers compares answers with those of the recordings, and with Azurite's where there is none. Another
// answer is no failure on Azure; on Azurite, this test or the list in docs/operating.md is out of date.
func (a *trial) compareAnswers(t *testing.T) {
	name := a.prefix + "answers"
	a.tables[name] = true
	r := rawTable{a.raw, a.raw.NewClient(name), name}
	_, err := r.table.CreateTable(t.Context(), nil)
	ok(t, err)
	ok(t, r.add(t.Context(), rowJSON("p", "there")))
	onAzurite, differ := os.Getenv("MICROBLOGGING_TEST_ACCOUNT") == "", 0
	compare := func(kind, got, recorded, azurite string) {
		switch {
		case onAzurite && got != azurite:
			t.Errorf("%s: Azurite answers\n\t%s\nand this test has\n\t%s", kind, got, azurite)
		case !onAzurite && got != cmp.Or(recorded, azurite):
			differ++
			fmt.Fprintf(&a.report, "differs: %s: %s; recorded: %s; Azurite: %s\n", kind, got, cmp.Or(recorded, "nothing"), azurite)
		}
	}
	for _, q := range questions {
		compare(q.asks, said(q.answer(t.Context(), r)), q.azure, q.azurite)
	}
	for _, f := range facts {
		recorded := f.answer.shape()
		compare(f.kind, a.provoke(t, f).shape(), recorded, cmp.Or(azuriteAnswers[f.kind], recorded))
	}
	fmt.Fprintf(&a.report, "%d of %d answers differ from those recorded of Azure, or of Azurite where none is\n", differ, len(questions)+len(facts))
}

// provoke brings the service to answer as in a fact.
func (a *trial) provoke(t *testing.T, f fact) answer {
	t.Helper()
	table, queue := newName()[:12], newName()[:12]
	ok(t, errors.Join(driver.NewTable(a, table).Create(t.Context()), driver.NewQueue(a, queue).Create(t.Context())))
	var s scene
	if f.prepare != nil {
		s = f.prepare(t, a, table, queue)
	}
	call := f.call(s)
	if call.Target = table; call.OfQueue() {
		call.Target = queue
	}
	if f.absent {
		call.Target += "absent"
	}
	_ = a.Do(t.Context(), &call) // the answer itself is compared
	return a.last.answer
}

// A listener keeps the latest answer.
type listener struct{ answer }

func (l *listener) Do(req *policy.Request) (*http.Response, error) {
	reply, err := req.Next()
	if err == nil {
		var body []byte
		body, err = runtime.Payload(reply)
		l.answer = answer{reply.StatusCode, reply.Header, string(body)}
	}
	return reply, err
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
	_, err := parts.Deletions.Request(t.Context(), channel.Key(), domain.By("ada"), domain.OneOf(channel.Incarnation))
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
	d, err := parts.Deletions.Get(t.Context(), channel.Ref(), domain.By("ada"))
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
	channel, _, err = parts.Channels.Create(t.Context(), channel, domain.PostersOpen, "", 0)
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
