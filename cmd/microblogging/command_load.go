package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"microblogging/cmd/microblogging/load"
	"microblogging/storage/azure"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
)

type loadCommand struct {
	storageFlags `embed:""`
	Channels     int           `default:"1" within:"1 256" help:"How many channels share the load. Each is a partition, and a store limits what a partition can do."`
	Mix          load.Mix      `default:"post=10,read=70,feed=10,vote=10" help:"How often each operation is made, relative to the others: post (make a post), read (a channel with its newest 20 posts), feed (the newest 20 posts of what a user subscribes to) and vote. They cost the store what they cost it on the site when nothing is in memory. One that is not named is not made."`
	Workers      int           `default:"32" within:"1 1024" help:"How many operations are under way at once, at most."`
	Rate         float64       `default:"0" within:"0 1000000000" help:"How many operations are due in a second, whether or not the store keeps up (an open loop). The latency of one counts from when it was due, so that waiting counts. 0 for a closed loop: each worker begins an operation when its last one has ended."`
	Duration     time.Duration `default:"30s" within:"100ms 8760h" help:"How long the load lasts, after the channels were filled. Ctrl-C ends it with what was measured until then."`
	JSON         bool          `name:"json" help:"Print one JSON object instead of a table. Durations are in seconds, the others are counts."`
	Report       string        `type:"path" placeholder:"FILE.html" help:"Write a report that compares 1, 2, 4 and 8 channels. The load is made again with each of these numbers, so that it takes about four times as long. What is printed is about --channels, and comes first."`
}

const (
	// minFill is how many posts the channels hold together before the load begins, at least, and
	// pagePosts how many each does: a page of fewer than 20 costs less.
	minFill   = 1000
	pagePosts = 20
	// fillTime is how long a run may take besides its duration. It then ends.
	fillTime = time.Hour
	// removeTime is how long the removal of the load's own tables may take, also after an
	// interruption.
	removeTime = time.Minute
)

// Help is called by kong.
func (c loadCommand) Help() string {
	return `Fills channels with posts, puts them under load with the operations of the site, and prints
for each operation how many there were in a second, how long they took, how many tries the store
throttled (503 or 429), and how many failed in the end.

The load never touches the site's data. With --storage bolt it uses a file of its own, in a
directory below --data: so it measures the same disk, and a server that runs may go on, but gets
slower. It takes about 3 KB for each post and 1.5 KB for each vote. With --storage azure it uses
tables and queues of its own, whose names begin with MicroBloggingLoad and microblogging-load; they
are in the same account, so they share its limits with the site, and Azure charges for each request.
All of it is removed at the end, also after Ctrl-C. What a load leaves that was killed stays, under
the names that it has printed.`
}

// Run makes the load, and prints what was measured of each number of channels, or as JSON of the
// first. A report replaces an earlier one at the end.
func (c loadCommand) Run(ctx context.Context, console *console) error {
	report := load.Report{Store: c.Storage, Began: time.Now()}
	if _, err := os.Stat(filepath.Dir(c.Report)); err != nil { // before the work is done
		return cannotRunError{fmt.Errorf("--report: %w", err)}
	}
	runs := []int{c.Channels}
	if c.Report != "" {
		runs = append(runs, slices.DeleteFunc([]int{1, 2, 4, 8}, func(n int) bool { return n == c.Channels })...)
	}
	var failed error
	for i, channels := range runs {
		result, err := c.run(ctx, console, channels)
		if err != nil {
			return err
		}
		switch {
		case !c.JSON:
			err = load.WriteTable(console.stdout, result)
		case i == 0:
			err = json.NewEncoder(console.stdout).Encode(result)
		}
		if result.All.Failed > 0 && result.All.Failed == result.All.Requests {
			err = errors.Join(err, fmt.Errorf("no request succeeded with %d channels", channels))
		}
		failed = errors.Join(failed, err)
		report.Results = append(report.Results, result)
		if ctx.Err() != nil {
			break
		}
	}
	if c.Report == "" {
		return failed
	}
	slices.SortFunc(report.Results, func(a, b load.Result) int { return a.Channels - b.Channels })
	page, err := report.HTML()
	if err == nil {
		err = os.WriteFile(c.Report, page, 0o600)
	}
	return errors.Join(failed, err)
}

// run makes the load over so many channels, in a store of its own, and removes that.
func (c loadCommand) run(ctx context.Context, console *console, channels int) (result load.Result, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.Duration+fillTime)
	defer cancel()
	backend, remove, err := c.open(ctx, console)
	if err != nil {
		return result, cannotRunError{err}
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTime)
		defer cancel()
		err = errors.Join(err, remove(ctx))
	}()
	fmt.Fprintf(console.stderr, "channels: %d, for %s\n", channels, c.Duration)
	result, err = load.Run(ctx, backend, load.Plan{
		Channels: channels, Fill: max(minFill/channels, pagePosts), Mix: c.Mix, Workers: c.Workers, Rate: c.Rate, Duration: c.Duration,
	})
	if err != nil {
		err = cannotRunError{err}
	}
	return result, err
}

// open makes an empty store for one run, and says how it is called: whoever kills the run can
// remove it by that.
func (c loadCommand) open(ctx context.Context, console *console) (driver.Backend, func(context.Context) error, error) {
	if c.Storage == "azure" {
		config, err := c.azureConfig(nil)
		if err != nil {
			return nil, nil, err
		}
		config.Tried = func(ctx context.Context, try azure.Try) {
			if try.Throttled() {
				load.Throttled(ctx)
			}
		}
		client, err := azure.Open(config)
		if err != nil {
			return nil, nil, err
		}
		n := load.NewNamespace(client)
		fmt.Fprintln(console.stderr, "using", n)
		remove := func(ctx context.Context) error { defer client.Close(); return n.Remove(ctx) }
		return n.Backend(), remove, nil
	}
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp(c.Data, "load-*")
	if err != nil {
		return nil, nil, err
	}
	fmt.Fprintln(console.stderr, "using the directory", dir)
	db, err := bolt.Open(dir, bolt.Options{})
	return db, func(context.Context) error { return errors.Join(db.Close(), os.RemoveAll(dir)) }, err
}
