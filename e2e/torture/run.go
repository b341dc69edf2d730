package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"microblogging/e2e/program"
	"microblogging/storage/azuritetest"
)

// A run is one of the program under load and faults.
type run struct {
	Options
	// binary is the program, and dir keeps the embedded store and the logs.
	binary, dir string
	tally       *tally
}

// torture builds the program, runs it, and writes what happened. An error says what the program
// did wrong, that too little happened, or why there could be no run. After one, the logs are
// kept.
func torture(ctx context.Context, o Options, out io.Writer) error {
	dir, err := os.MkdirTemp("", "microblogging-torture-")
	if err != nil {
		return err
	}
	r := run{Options: o, dir: dir, tally: &tally{n: map[string]int64{}}}
	var flags []string
	if slices.Contains(o.Faults, "clock") || slices.Contains(o.Faults, "hang") {
		flags, err = overlay(dir)
	}
	if err == nil {
		r.binary, err = program.Build(ctx, dir, o.Race, flags...)
	}
	if err == nil {
		err = r.run(ctx, out)
	}
	if ctx.Err() != nil {
		err = errInterrupted
	}
	if err != nil {
		return fmt.Errorf("%w; the logs are in %s", err, dir)
	}
	return os.RemoveAll(dir)
}

func (o run) run(ctx context.Context, out io.Writer) error {
	azurite, err := azuritetest.Launch(filepath.Join(o.dir, "azurite"))
	if err != nil {
		return err
	}
	defer azurite.Kill()
	onAzurite, err := azuriteSite(&o, azurite)
	if err != nil {
		return err
	}
	f := &faults{
		seed: o.Seed, sites: []*site{onAzurite, boltSite(&o)},
		kinds: o.Faults, outageMax: min(outageMax, o.Time/5), tally: o.tally,
	}
	for _, s := range f.sites {
		defer s.close()
		if err := s.start(ctx); err != nil {
			return err
		}
	}
	f.hurt(ctx, o.Time, out)
	for _, s := range f.sites {
		s.drain(ctx)
		s.judge(ctx)
		s.end(ctx)
		if err := s.readLogs(); err != nil {
			return err
		}
	}
	report := f.report()
	for _, v := range report.Violations {
		fmt.Fprintln(out, v)
	}
	fmt.Fprintln(out, report)
	short := report.shortfall(o.Time)
	switch {
	case len(report.Violations) > 0:
		return errViolated
	case short != "":
		return errors.New(short)
	}
	return nil
}

// hurt lets the users act and the faults happen until the time is over. It
// writes once a minute what has happened so far.
func (f *faults) hurt(ctx context.Context, length time.Duration, out io.Writer) {
	load, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	var running sync.WaitGroup
	for _, s := range f.sites {
		for _, u := range s.users {
			running.Go(func() {
				for load.Err() == nil { // it finishes a request that it has begun
					u.visit(ctx, load)
				}
			})
		}
		if s.shared() {
			running.Go(func() { s.watch(ctx, load) })
		}
	}
	running.Go(func() {
		for pause(load, time.Minute); load.Err() == nil; pause(load, time.Minute) {
			fmt.Fprintln(out, f.report())
		}
	})
	f.run(ctx, load)
	running.Wait()
}
