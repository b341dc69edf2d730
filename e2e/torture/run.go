package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"microblogging/storage/azuritetest"
)

// Options are the settings of a run.
type Options struct {
	// Time is how long the load and the faults last.
	Time time.Duration
	Seed uint64
	// Faults are the kinds of faults that happen, of allKinds.
	Faults []string
	// Binary is the program.
	Binary string
	// Dir keeps the embedded store and the logs. It must be empty.
	Dir string
	// Tell is called once a minute with what has happened so far.
	Tell func(Report)

	tally *tally
}

// Run runs the program under load and faults. What the program did wrong is in
// the report; the error says why there could be no run.
func Run(ctx context.Context, o Options) (Report, error) {
	o.tally = &tally{n: map[string]int64{}}
	azurite, err := azuritetest.Launch()
	if err != nil {
		return Report{}, err
	}
	defer azurite.Kill()
	onAzurite, err := azuriteSite(&o, azurite.Account())
	if err != nil {
		return Report{}, err
	}
	f := &faults{
		seed: o.Seed, sites: []*site{onAzurite, boltSite(&o)},
		kinds: o.Faults, outageMax: min(outageMax, o.Time/5), tally: o.tally,
	}
	for _, s := range f.sites {
		defer s.close()
		if err := s.start(ctx); err != nil {
			return Report{}, err
		}
	}
	f.hurt(ctx, o)
	for _, s := range f.sites {
		s.drain(ctx)
		s.judge(ctx)
		s.end(ctx)
		if err := s.readLogs(); err != nil {
			return Report{}, err
		}
	}
	return f.report(), ctx.Err()
}

// hurt lets the users act and the faults happen until the time is over.
func (f *faults) hurt(ctx context.Context, o Options) {
	load, cancel := context.WithTimeout(ctx, o.Time)
	defer cancel()
	var running sync.WaitGroup
	for _, s := range f.sites {
		for _, u := range s.users {
			running.Go(func() { u.run(ctx, load) })
		}
		if s.shared() {
			running.Go(func() { s.watch(ctx, load) })
		}
	}
	running.Go(func() {
		for pause(load, time.Minute); load.Err() == nil; pause(load, time.Minute) {
			o.Tell(f.report())
		}
	})
	f.run(ctx, load)
	running.Wait()
}

// inDir runs something in a directory of its own. After an error, the logs in it
// are kept.
func inDir(run func(dir string) error) error {
	dir, err := os.MkdirTemp("", "microblogging-torture-")
	if err != nil {
		return err
	}
	failed := run(dir)
	logs, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if failed == nil || len(logs) == 0 {
		return errors.Join(failed, err, os.RemoveAll(dir))
	}
	return fmt.Errorf("%w; the logs are in %s", failed, dir)
}
