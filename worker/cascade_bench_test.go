package worker

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"golang.org/x/sync/errgroup"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/azure"
	"microblogging/storage/azuritetest"
	"microblogging/storage/driver"
)

// rowsPerPost is what a sweep removes for each post: the post, its idempotency
// key, and its row in the index by rating.
const rowsPerPost = 3

// BenchmarkCascadeOnAzurite compares the cascade with a bare loop over the SDK
// that deletes the same rows in transactions of 100. Each runs on an Azurite of
// its own that holds nothing else, because Azurite slows down with every row.
// ratio is the time of the bare loop divided by the time of the cascade.
func BenchmarkCascadeOnAzurite(b *testing.B) {
	const posts = 3_300
	var whole, bare time.Duration
	for b.Loop() {
		whole += onFreshAzurite(b, posts, func(store *storage.Parts, _ *aztables.Client, message domain.Message) {
			cascadeOnce(b, store, message)
		})
		bare += onFreshAzurite(b, posts, func(_ *storage.Parts, table *aztables.Client, message domain.Message) {
			bareLoop(b, table, string(message.Channel))
		})
	}
	rows := float64(posts * rowsPerPost * b.N)
	b.ReportMetric(rows/whole.Seconds(), "rows/s")
	b.ReportMetric(rows/bare.Seconds(), "bare-rows/s")
	b.ReportMetric(bare.Seconds()/whole.Seconds(), "ratio")
	b.ReportMetric(0, "ns/op")
}

func onFreshAzurite(b *testing.B, posts int, work func(*storage.Parts, *aztables.Client, domain.Message)) time.Duration {
	b.Helper()
	server := azuritetest.Start(b)
	defer server.Stop(b)
	account := server.Account()
	client, err := azure.Open(azure.Config{ConnectionString: account})
	ok(b, err)
	defer client.Close()
	service, err := aztables.NewServiceClientFromConnectionString(account, nil)
	ok(b, err)
	store := storage.New(client, storage.Options{})
	message := fillChannel(b, store, posts)
	began := time.Now()
	work(store, service.NewClient("Blogs"), message)
	return time.Since(began)
}

// bareLoop deletes a partition without any care for concurrency: it reads the
// keys and deletes a hundred rows at a time.
func bareLoop(b *testing.B, table *aztables.Client, partition string) {
	b.Helper()
	filter, columns := fmt.Sprintf("PartitionKey eq '%s'", partition), "PartitionKey,RowKey"
	pager := table.NewListEntitiesPager(&aztables.ListEntitiesOptions{Filter: &filter, Select: &columns})
	var batch []aztables.TransactionAction
	flush := func() {
		if len(batch) == 0 {
			return
		}
		if _, err := table.SubmitTransaction(b.Context(), batch, nil); err != nil {
			b.Fatal(err)
		}
		batch = batch[:0]
	}
	for pager.More() {
		page, err := pager.NextPage(b.Context())
		ok(b, err)
		for _, entity := range page.Entities {
			batch = append(batch, aztables.TransactionAction{ActionType: aztables.TransactionTypeDelete, Entity: entity})
			if len(batch) == driver.MaxOperations {
				flush()
			}
		}
	}
	flush()
}

// fillChannel makes a channel with posts and returns a message that asks for its
// deletion.
func fillChannel(b *testing.B, store *storage.Parts, posts int) domain.Message {
	b.Helper()
	ctx := b.Context()
	ok(b, store.Operator.Prepare(ctx))
	channel, err := domain.NewChannel("bench", domain.About{}, owner)
	if err == nil {
		channel, _, err = store.Channels.Create(ctx, channel, domain.PostersOpen, "", 0)
	}
	ok(b, err)
	writers, ctx := errgroup.WithContext(ctx)
	writers.SetLimit(64)
	for i := range posts {
		writers.Go(func() error {
			_, _, err := store.Posts.Create(ctx, storage.NewPost{
				Channel: channel, By: visitor, Key: fmt.Sprint(i), Draft: domain.Draft{Text: "benchmark"},
			})
			return err
		})
	}
	ok(b, writers.Wait())
	return domain.Message{
		Kind: domain.MessageChannel, Channel: channel.Key(), Incarnation: channel.Incarnation,
		Name: channel.Name, RequestedBy: owner, RequestedOn: domain.Now(),
	}
}

// cascadeOnce runs the deletion to its end.
func cascadeOnce(b *testing.B, store *storage.Parts, message domain.Message) {
	b.Helper()
	options := testOptions
	options.Log = slog.New(slog.DiscardHandler)
	job := New(store.Steps, options).newJob(driver.Message{Text: message.Encode(), Deliveries: 1}, nil)
	ok(b, job.do(b.Context()))
}
