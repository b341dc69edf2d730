package web_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
)

// BenchmarkExport exports a channel of so many posts. heap-MB is the most that was in use after a
// collection, beyond what was before: it must not grow with the posts.
func BenchmarkExport(b *testing.B) {
	for _, posts := range []int{1_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(posts), func(b *testing.B) {
			s, token, engines := engines(b, "ada")
			ok(b, s.store.Operator.ListChannel(b.Context(), engines))
			for made := 0; made < posts; made += 1_000 {
				batch := make([]storage.NewPost, 1_000)
				for i := range batch {
					batch[i] = storage.NewPost{Channel: engines, By: "ada", Key: fmt.Sprint(made + i), Draft: domain.Draft{Text: "A post of some length, as people write."}}
				}
				for _, r := range s.store.Posts.CreateAll(b.Context(), engines, batch) {
					ok(b, r.Err)
				}
			}
			site := httptest.NewServer(s.handler)
			defer site.Close()
			var before runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			for b.Loop() {
				request, err := http.NewRequestWithContext(b.Context(), "GET", site.URL+"/api/v1/account/export", nil)
				ok(b, err)
				request.Header.Set("Authorization", "Bearer "+token)
				answer, err := http.DefaultClient.Do(request)
				ok(b, err)
				var most uint64
				size := 0
				for part := make([]byte, 1<<20); ; {
					n, err := io.ReadFull(answer.Body, part)
					size += n
					var now runtime.MemStats
					runtime.GC()
					runtime.ReadMemStats(&now)
					most = max(most, now.HeapAlloc)
					if err != nil {
						break
					}
				}
				ok(b, answer.Body.Close())
				b.ReportMetric(float64(int64(most)-int64(before.HeapAlloc))/1e6, "heap-MB")
				b.ReportMetric(float64(size)/1e6, "zip-MB")
			}
		})
	}
}
