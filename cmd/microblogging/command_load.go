package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"microblogging/cmd/microblogging/load"
)

type loadCommand struct {
	storageFlags `embed:""`
	Channels     int           `default:"1" help:"How many channels share the load. Each is a partition, and a store limits what a partition can do."`
	Fill         int           `default:"1000" help:"How many posts of 1 KiB the channels hold together before the load begins. A page of a channel with fewer than 20 costs less."`
	Mix          load.Mix      `default:"post=10,read=70,feed=10,vote=10" help:"How often each operation is made, relative to the others: post (make a post), read (a channel with its newest 20 posts), feed (the newest 20 posts of what a user subscribes to) and vote. They cost the store what they cost it on the site when nothing is in memory. One that is not named is not made."`
	Workers      int           `default:"32" help:"How many operations are under way at once, at most."`
	Rate         float64       `default:"0" help:"How many operations are due in a second, whether or not the store keeps up (an open loop). The latency of one counts from when it was due, so that waiting counts. 0 for a closed loop: each worker begins an operation when its last one has ended."`
	Duration     time.Duration `default:"30s" help:"How long the load lasts, after the channels were filled. Ctrl-C ends it with what was measured until then."`
	JSON         bool          `name:"json" help:"Print one JSON object instead of a table. Durations are in seconds, the others are counts."`
	Report       string        `type:"path" placeholder:"FILE.html" help:"Write a report with plots that compare 1, 2, 4 and 8 channels. The load is made again with each of these numbers, so that it takes about four times as long. What is printed is about --channels, and comes first."`
}

const (
	maxLoadChannels = 256
	maxLoadWorkers  = 1024
	maxLoadRate     = 1_000_000
	maxLoadFill     = 1_000_000
	minLoadDuration = 100 * time.Millisecond
	maxLoadDuration = 24 * time.Hour
	// removeWithin is how long the removal of the load's own tables may take.
	removeWithin = time.Minute
)

// Help is called by kong.
func (c loadCommand) Help() string {
	return `Fills channels with posts, puts them under load with the operations of the site, and prints
for each operation how many there were in a second, how long they took, and how many the store
throttled (503 or 429), the client tried again, and failed in the end.

The load never touches the site's data. With --storage bolt it uses a file of its own, in the
directory "load" below --data: so it measures the same disk, and a server that runs may go on,
but gets slower. It takes about 3 KB for each post and 1.5 KB for each vote. With --storage azure it uses
tables and queues of its own, whose names begin with MicroBloggingLoad and microblogging-load; they
are in the same account, so they share its limits with the site, and Azure charges for each request.
All of it is removed at the end, also after Ctrl-C. What a load leaves that was killed is removed by
the next.`
}

// Validate is called by kong.
func (c loadCommand) Validate() error {
	most := slices.Max(c.runs())
	switch {
	case c.Channels < 1 || c.Channels > maxLoadChannels:
		return fmt.Errorf("--channels must be 1 to %d, not %d", maxLoadChannels, c.Channels)
	case c.Workers < 1 || c.Workers > maxLoadWorkers:
		return fmt.Errorf("--workers must be 1 to %d, not %d", maxLoadWorkers, c.Workers)
	case !(c.Rate >= 0 && c.Rate <= maxLoadRate):
		return fmt.Errorf("--rate must be 0 to %d, not %g", maxLoadRate, c.Rate)
	case c.Duration < minLoadDuration || c.Duration > maxLoadDuration:
		return fmt.Errorf("--duration must be %s to %s, not %s", minLoadDuration, maxLoadDuration, c.Duration)
	case c.Fill < 0 || c.Fill > maxLoadFill:
		return fmt.Errorf("--fill must be 0 to %d, not %d", maxLoadFill, c.Fill)
	case c.Mix.Has(load.Vote) && c.Fill < most:
		return fmt.Errorf("--fill must be at least %d, so that each channel has a post to vote on, not %d", most, c.Fill)
	}
	return nil
}

// runs are the numbers of channels to make the load with, in their order.
func (c loadCommand) runs() []int {
	runs := []int{c.Channels}
	if c.Report == "" {
		return runs
	}
	for _, channels := range []int{1, 2, 4, 8} {
		if channels != c.Channels {
			runs = append(runs, channels)
		}
	}
	return runs
}

func (c loadCommand) plan(channels int) load.Plan {
	return load.Plan{Channels: channels, Fill: c.Fill, Mix: c.Mix, Workers: c.Workers, Rate: c.Rate, Duration: c.Duration}
}

// Run makes the load and prints what was measured. A report that cannot be written is
// found out before anything is done.
func (c loadCommand) Run(ctx context.Context, console *console) (err error) {
	report, err := openLoadReport(c.Report)
	if err != nil {
		return cannotRunError{err}
	}
	defer func() { err = errors.Join(err, report.close()) }()
	place, err := c.place(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, place.finish(ctx, console)) }()
	began := time.Now()
	results, failed := c.results(ctx, console, place)
	if len(results) == 0 {
		return cannotRunError{failed}
	}
	printed := c.print(console.stdout, results)
	written := report.write(load.Report{Store: place.name, Machine: thisMachine(), Began: began, Results: results})
	return errors.Join(failed, printed, written, noneSucceeded(results))
}

// results makes one run after another, until one fails or is interrupted.
func (c loadCommand) results(ctx context.Context, console *console, place *loadPlace) ([]load.Result, error) {
	var results []load.Result
	for _, channels := range c.runs() {
		ground, err := place.open(ctx)
		if err != nil {
			return results, err
		}
		progress := newLoadProgress(console.stderr, c.plan(channels))
		result, err := load.Run(ctx, ground, c.plan(channels), progress.watch)
		progress.end()
		err = errors.Join(err, removeLoad(ctx, console, ground.Remove))
		if result.Elapsed > 0 || result.Interrupted && len(results) == 0 {
			results = append(results, result)
		}
		if err != nil || result.Interrupted {
			return results, err
		}
	}
	return results, nil
}

// removeLoad removes what a load has made, also if it was interrupted. A second interruption
// ends the removal too.
func removeLoad(ctx context.Context, console *console, remove func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeWithin)
	defer cancel()
	go func() {
		select {
		case <-console.again:
			cancel()
		case <-ctx.Done():
		}
	}()
	return remove(ctx)
}

func (c loadCommand) print(w io.Writer, results []load.Result) error {
	if c.JSON {
		return load.WriteJSON(w, results[0])
	}
	for _, result := range results {
		if err := load.WriteTable(w, result); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return load.WriteComparison(w, results)
}

// noneSucceeded is an error if there were requests and all failed.
func noneSucceeded(results []load.Result) error {
	var requests, failed int64
	for _, result := range results {
		requests += result.All.Requests
		failed += result.All.Failed
	}
	if requests > 0 && requests == failed {
		return errors.New("no request succeeded")
	}
	return nil
}

func thisMachine() string {
	return fmt.Sprintf("%d processors, %s/%s, %s, microblogging %s",
		runtime.GOMAXPROCS(0), runtime.GOOS, runtime.GOARCH, runtime.Version(), buildVersion())
}
