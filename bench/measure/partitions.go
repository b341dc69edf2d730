package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"microblogging/storage/driver"
)

const (
	writers = 32
	// rowText is about a post.
	rowText = 400
)

// measurePartitions has writers insert rows, one transaction each, into more and more partitions.
func measurePartitions(ctx context.Context, stores []*store, size scale) (result, error) {
	throughput := plot{Title: "Throughput", X: "partitions", Y: "rows a second"}
	slowest := plot{Title: "The slowest hundredth (p99)", X: "partitions", Y: "milliseconds", LogY: true}
	r := result{
		Name: "Partitions",
		About: fmt.Sprintf("%d writers insert rows of %d characters, one a transaction. Azure moves partitions to different servers, "+
			"and aims at 2,000 rows a second for each and 20,000 for an account. The embedded store has one writer, so its "+
			"partitions change nothing. Azurite is one process: what it gains says nothing about Azure.", writers, rowText),
		Columns: []string{"store", "partitions", "rows/s", "p50 ms", "p99 ms", "failed"},
	}
	for _, s := range stores {
		table := driver.NewTable(s.backend, "Partitions")
		if err := table.Create(ctx); err != nil {
			return r, err
		}
		for partitions := 1; partitions <= writers; partitions *= 2 {
			took, failed, elapsed := load(ctx, table, partitions, size.lasts)
			if len(took) == 0 {
				return r, fmt.Errorf("%s: no row was inserted", s.name)
			}
			p99 := ms(took[len(took)*99/100])
			rate := float64(len(took)) / elapsed.Seconds()
			r.row(s.name, partitions, rate, ms(took[len(took)/2]), p99, failed)
			throughput.draw(s.name, float64(partitions), rate)
			slowest.draw(s.name, float64(partitions), p99)
		}
	}
	r.Plots = []plot{throughput, slowest}
	return r, ctx.Err()
}

// load inserts rows for so long, and returns how long each took, in order.
func load(ctx context.Context, table *driver.Table, partitions int, lasts time.Duration) (took []time.Duration, failed int, elapsed time.Duration) {
	var lock sync.Mutex
	var group sync.WaitGroup
	text := strings.Repeat("x", rowText)
	began := time.Now()
	for writer := range writers {
		group.Go(func() {
			for n := 0; time.Since(began) < lasts && ctx.Err() == nil; n++ {
				start := time.Now()
				err := table.Transact(ctx, fmt.Sprintf("of-%d-%d", partitions, writer%partitions),
					driver.Insert(fmt.Sprintf("%d-%d", writer, n), driver.String("Text", text)))
				lock.Lock()
				if err != nil {
					failed++
				} else {
					took = append(took, time.Since(start))
				}
				lock.Unlock()
			}
		})
	}
	group.Wait()
	elapsed = time.Since(began)
	slices.Sort(took)
	return took, failed, elapsed
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
