package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/drivertest"
)

// BenchmarkImport imports feeds of different sizes into a durable store, with all that
// belongs to it. live-MB is the most heap that was live at any sample, above the
// start.
func BenchmarkImport(b *testing.B) {
	for _, entries := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("entries=%d", entries), func(b *testing.B) {
			name := benchFeed(b, entries)
			var requests atomic.Int64
			var base, most uint64
			for b.Loop() {
				b.StopTimer()
				db, err := bolt.Open(b.TempDir(), bolt.Options{})
				ok(b, err)
				faults := drivertest.NewFaults(drivertest.Far(db), func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
					if requests.Add(1)%300 == 20 {
						most = max(most, liveHeap())
					}
					return send(ctx)
				})
				to := benchImporter(b, storage.New(faults, storage.Options{}))
				requests.Store(0)
				base, most = liveHeap(), 0
				b.StartTimer()
				importBench(b, name, to)
				b.StopTimer()
				if to.counts[added] != entries {
					b.Fatalf("%+v", to.counts)
				}
				ok(b, db.Close())
				b.StartTimer()
			}
			b.ReportMetric(float64(entries*b.N)/b.Elapsed().Seconds(), "posts/s")
			b.ReportMetric(float64(requests.Load())*1000/float64(entries), "requests/1000posts")
			b.ReportMetric(float64(int64(most)-int64(base))/(1<<20), "live-MB")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// liveHeap collects the garbage first.
func liveHeap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// benchFeed writes an RSS file, whose entries have 400 bytes of HTML.
func benchFeed(b *testing.B, entries int) string {
	b.Helper()
	name := filepath.Join(b.TempDir(), "feed.rss")
	file, err := os.Create(name)
	ok(b, err)
	w := bufio.NewWriter(file)
	text := strings.Repeat("lorem ipsum dolor sit amet ", 14)
	fmt.Fprint(w, `<rss version="2.0"><channel><title>Bench</title>`)
	for i := range entries {
		fmt.Fprintf(w, "<item><guid>%d</guid><link>https://feed.example/%d</link><title>Entry %d</title><pubDate>Mon, 02 Jan 2023 %02d:%02d:%02d GMT</pubDate>"+
			"<description>&lt;p&gt;%s&lt;/p&gt;</description></item>\n", i, i, i, i/3600%24, i/60%60, i%60, text)
	}
	fmt.Fprint(w, "</channel></rss>")
	ok(b, w.Flush())
	ok(b, file.Close())
	return name
}

func benchImporter(b *testing.B, store *storage.Parts) *importer {
	b.Helper()
	ok(b, store.Operator.Prepare(b.Context()))
	channel, err := domain.NewChannel("bench", domain.About{}, "ada")
	if err == nil {
		channel, _, err = store.Channels.Create(b.Context(), channel, domain.PostersOpen, "", 0)
	}
	ok(b, err)
	to := newImporter(store, channel, "ada")
	to.earlier = nil // as for a channel that the command has made
	return to
}

func importBench(b *testing.B, name string, to *importer) {
	b.Helper()
	file, err := readImportFile(name)
	ok(b, err)
	ok(b, importTo(b.Context(), &console{stderr: io.Discard}, file, to))
}
