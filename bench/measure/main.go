// Command measure shows what the store costs, and what it grows with: a partition load test, the four
// kinds of query, the deletion of a channel, and the calls of each page. It prints tables, and writes one
// HTML page with plots.
//
//	go run ./bench/measure [--quick] [--storage bolt,azurite,azure] [--report FILE.html]
//
// On azure it uses AZURE_STORAGE_CONNECTION_STRING, makes tables and queues whose names begin with a random
// word, and removes them at the end. It costs a few cents there. Its authors have not run it on Azure.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

// A result is one table of figures, and what is drawn of it.
type result struct {
	Name, About string
	Columns     []string
	Rows        [][]string
	Plots       []plot
}

// A plot has a logarithmic horizontal axis. bench/plot draws it.
type plot struct {
	Title, X, Y string
	LogY        bool
	Lines       []line
}

type line struct {
	Name   string
	Points []point
}

type point struct{ X, Y float64 }

// draw adds a point to the line of this name.
func (p *plot) draw(name string, x, y float64) {
	i := slices.IndexFunc(p.Lines, func(l line) bool { return l.Name == name })
	if i < 0 {
		i, p.Lines = len(p.Lines), append(p.Lines, line{Name: name})
	}
	p.Lines[i].Points = append(p.Lines[i].Points, point{x, y})
}

func (r *result) row(cells ...any) {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = fmt.Sprint(cell)
		if f, ok := cell.(float64); ok && f < 100 {
			texts[i] = fmt.Sprintf("%.3g", f)
		} else if ok {
			texts[i] = fmt.Sprintf("%.0f", f)
		}
	}
	r.Rows = append(r.Rows, texts)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("measure", flag.ContinueOnError)
	quick := flags.Bool("quick", false, "small numbers: a look at what it does, in less than a minute")
	names := flags.String("storage", "bolt", "the stores, with commas: bolt, azurite, azure")
	report := flags.String("report", "", "also write an HTML page with plots to this `file`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	size := whole
	if *quick {
		size = short
	}
	return measure(ctx, size, *names, *report)
}

// A scale says how much is measured.
type scale struct {
	// lasts is how long each number of partitions is under load.
	lasts time.Duration
	// rows, posts and channels are the sizes of tables, of deleted channels and of sites.
	rows, posts, channels []int
}

var (
	whole = scale{5 * time.Second, []int{1_000, 10_000, 100_000}, []int{10, 100, 1_000, 10_000}, []int{1, 10, 1_000, 100_000}}
	short = scale{time.Second / 2, []int{1_000, 10_000}, []int{10, 100, 1_000}, []int{1, 10, 1_000}}
)

func measure(ctx context.Context, size scale, names, report string) error {
	var stores []*store
	defer func() {
		for _, s := range stores {
			s.close()
		}
	}()
	for name := range strings.SplitSeq(names, ",") {
		s, err := open(name)
		if err == nil {
			stores = append(stores, s) // to be closed, whatever it has made before it fails
			err = s.site().Operator.Prepare(ctx)
		}
		if err != nil {
			return fmt.Errorf("opening %s: %w", name, err)
		}
	}
	var results []result
	for _, measure := range []func(context.Context, []*store, scale) (result, error){measurePartitions, measureQueries, measureDeletions, measurePages} {
		r, err := measure(ctx, stores, size)
		if err != nil {
			return err
		}
		r.print()
		results = append(results, r)
	}
	if report == "" {
		return nil
	}
	return write(ctx, report, results)
}

func (r *result) print() {
	fmt.Printf("\n%s\n%s\n\n", r.Name, r.About)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range append([][]string{r.Columns}, r.Rows...) {
		fmt.Fprintln(w, strings.Join(row, "\t")+"\t")
	}
	_ = w.Flush() // standard output: what fails there was seen by the reader
}

// write has bench/plot draw the results.
func write(ctx context.Context, file string, results []result) error {
	data, err := json.Marshal(map[string]any{"Title": "What the store of MicroBlogging costs", "Results": results})
	if err != nil {
		return err
	}
	draw := exec.CommandContext(ctx, "go", "run", "-C", "bench/plot", ".")
	draw.Stdin, draw.Stderr = bytes.NewReader(data), os.Stderr
	page, err := draw.Output()
	if err != nil {
		return fmt.Errorf("drawing, in the root of the repository: %w", err)
	}
	return os.WriteFile(file, page, 0o644)
}
