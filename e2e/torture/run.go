package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"microblogging/storage/azuritetest"
)

// Options are the settings of a run.
type Options struct {
	// Time is how long there are load and faults.
	Time time.Duration
	Seed uint64
	// Binary is the program.
	Binary string
	// Dir keeps the embedded store and the logs. It must be empty.
	Dir string
}

// Run runs the program under load and faults. The error is why that could not be
// done; what the program did wrong is in the report.
func Run(ctx context.Context, o Options) (Report, error) {
	azurite, err := azuritetest.Launch()
	if err != nil {
		return Report{}, err
	}
	defer azurite.Kill()
	onAzurite, err := azuriteSite(&o, azurite.Account())
	if err != nil {
		return Report{}, err
	}
	sites := []*site{onAzurite, boltSite(&o)}
	for _, s := range sites {
		defer s.close()
		if err := s.start(ctx); err != nil {
			return Report{}, err
		}
	}
	f := &faults{seed: o.Seed, sites: sites}
	hurt(ctx, o.Time, f)
	report := Report{
		Seed: o.Seed, Kills: f.kills.Load(), Stops: f.stops.Load(), Cuts: f.cuts.Load(),
		Naps: f.naps.Load(), Stalls: f.stalls.Load(),
	}
	for _, s := range sites {
		s.drain(ctx)
		s.judge(ctx)
		s.end(ctx)
		if err := report.add(s); err != nil {
			return report, err
		}
	}
	return report, ctx.Err()
}

// hurt lets the users live and the faults happen for some time.
func hurt(ctx context.Context, time time.Duration, f *faults) {
	load, cancel := context.WithTimeout(ctx, time)
	defer cancel()
	var running sync.WaitGroup
	for _, s := range f.sites {
		for _, u := range s.users {
			running.Go(func() { u.live(ctx, load) })
		}
		if s.shared() {
			running.Go(func() { s.watch(ctx, load) })
		}
	}
	f.run(ctx, load)
	running.Wait()
}

// Build builds the program into a directory.
func Build(ctx context.Context, dir string, flags ...string) (binary string, err error) {
	binary = filepath.Join(dir, "microblogging")
	args := append([]string{"build", "-buildvcs=false", "-o", binary}, flags...)
	build := exec.CommandContext(ctx, "go", append(args, "microblogging/cmd/microblogging")...)
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, output)
	}
	return binary, nil
}

// inDir runs in a directory of its own, which stays if anything was wrong.
func inDir(run func(dir string) error) (err error) {
	dir, err := os.MkdirTemp("", "microblogging-torture-")
	if err != nil {
		return err
	}
	if err := run(dir); err != nil {
		return errors.Join(err, fmt.Errorf("the logs are in %s", dir))
	}
	return os.RemoveAll(dir)
}
