//go:build unix

package web_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"microblogging/logline"
	"microblogging/web"
)

// BenchmarkAccessLog serves the first page of a channel over TCP, by turns with a log that
// goes to a file and without one, to 16 clients at once. The goal is that the log costs under
// 3 %. The cost of a page is what the processors worked for it, its client included.
func BenchmarkAccessLog(b *testing.B) {
	store := crowdedStore(b, 100)
	token := benchSession(b, store)
	file, err := os.Create(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = file.Close() })
	serve := func(log *slog.Logger) string {
		handler, err := web.New(store, web.Options{Logger: log, PageCache: 64 << 20})
		if err != nil {
			b.Fatal(err)
		}
		return benchServe(b, handler)
	}
	lines := logline.NewBuffer(file)
	defer func() { _ = lines.Flush() }()
	with, without := serve(benchLog(lines)), serve(nil)
	for who, header := range map[string]string{"stranger": "", "signed-in": "Cookie: session=" + token + "\r\n"} {
		b.Run(who, func(b *testing.B) {
			var ratios, pages []float64
			for b.Loop() {
				for range ratioRounds {
					on, off := 0.0, 0.0
					for _, way := range []struct {
						address string
						cost    *float64
					}{{with, &on}, {without, &off}, {without, &off}, {with, &on}} { // neither gains by being first
						_, cost := pageRate(b, way.address, header)
						*way.cost += cost / 2
					}
					ratios, pages = append(ratios, on/off), append(pages, off/float64(time.Microsecond))
				}
			}
			b.ReportMetric(100*(median(ratios)-1), "%-of-a-page")
			b.ReportMetric(median(pages), "µs/page")
			b.ReportMetric(0, "ns/op")
		})
	}
}
