package main

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"microblogging/storage/driver"
)

const (
	// queryPartitions is over how many partitions the rows of the queries are spread.
	queryPartitions = 10
	rangeRows       = 20
	queryRounds     = 5
)

// measureQueries asks for one row, for a page of a partition, for a partition and for a table.
func measureQueries(ctx context.Context, stores []*store, of scale) (result, error) {
	r := result{
		Name: "Queries",
		About: fmt.Sprintf("A point query reads one row by its key, a range query the newest %d rows of a partition, a partition scan "+
			"all rows of one of %d partitions, a table scan all rows. The median of %d. The first two do not grow with the table. "+
			"On Azure each also waits for the network, and a scan of several partitions may have to ask several servers.",
			rangeRows, queryPartitions, queryRounds),
		Columns: []string{"store", "rows", "query", "ms", "rows read", "calls"},
	}
	for _, s := range stores {
		times := plot{Title: "Time of a query on " + s.name, X: "rows in the table", Y: "milliseconds", LogY: true}
		for _, size := range of.rows {
			table := driver.NewTable(s.backend, fmt.Sprintf("Queries%d", size))
			if err := fill(ctx, table, size); err != nil {
				return r, err
			}
			for _, q := range queries(table, size) {
				took, rows, calls, err := ask(ctx, s, q.ask)
				if err != nil {
					return r, fmt.Errorf("%s: %s query: %w", s.name, q.name, err)
				}
				r.row(s.name, size, q.name, ms(took), rows, calls)
				times.draw(q.name, float64(size), max(ms(took), 0.001)) // the axis is logarithmic
			}
		}
		r.Plots = append(r.Plots, times)
	}
	return r, nil
}

type query struct {
	name string
	ask  func(context.Context) (rows int, err error)
}

func queries(table *driver.Table, size int) []query {
	middle := driver.Range{Partition: partitionName(queryPartitions / 2), From: "", To: "~"}
	count := func(rows iter.Seq2[driver.Entity, error]) (n int, err error) {
		for _, err := range rows {
			if err != nil {
				return n, err
			}
			n++
		}
		return n, nil
	}
	return []query{
		{"point", func(ctx context.Context) (int, error) {
			_, err := table.Get(ctx, middle.Partition, rowName(size/queryPartitions/2))
			return 1, err
		}},
		{"range", func(ctx context.Context) (int, error) {
			rows, err := table.First(ctx, rangeRows, middle)
			return len(rows), err
		}},
		{"partition scan", func(ctx context.Context) (int, error) { return count(table.Within(ctx, middle)) }},
		{"table scan", func(ctx context.Context) (int, error) { return count(table.All(ctx, driver.Scan{To: "~"})) }},
	}
}

// ask returns the median time of a query, and the rows and calls of one.
func ask(ctx context.Context, s *store, query func(context.Context) (int, error)) (took time.Duration, rows int, calls int64, err error) {
	var each []time.Duration
	for range queryRounds {
		before, began := s.calls.Load(), time.Now()
		if rows, err = query(ctx); err != nil {
			return 0, 0, 0, err
		}
		each, calls = append(each, time.Since(began)), s.calls.Load()-before
	}
	slices.Sort(each)
	return each[len(each)/2], rows, calls, nil
}

func partitionName(n int) string { return fmt.Sprintf("channel-%d", n) }
func rowName(n int) string       { return fmt.Sprintf("blog-%08d", n) }

// fill makes a table with so many rows.
func fill(ctx context.Context, table *driver.Table, size int) error {
	if err := table.Create(ctx); err != nil {
		return err
	}
	text := strings.Repeat("x", rowText)
	group, ctx := errgroup.WithContext(ctx)
	for partition := range queryPartitions {
		group.Go(func() error {
			for first := 0; first < size/queryPartitions; first += driver.MaxOperations {
				ops := make([]driver.Operation, driver.MaxOperations)
				for i := range ops {
					ops[i] = driver.Insert(rowName(first+i), driver.String("Text", text))
				}
				if err := table.Transact(ctx, partitionName(partition), ops...); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}
