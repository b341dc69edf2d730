package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"microblogging/e2e/program"
)

type cli struct {
	Time   time.Duration `help:"How long the load and the faults last." default:"60s"`
	Seed   uint64        `help:"Decides what users do, and which faults happen." default:"1"`
	Faults []string      `help:"Which kinds of faults happen: ${enum}." enum:"${faults}" default:"${faults}"`
	Race   bool          `help:"Build the program with the race detector."`
}

var (
	errViolated    = errors.New("the program violated its guarantees")
	errInterrupted = errors.New("interrupted, and nothing was judged")
)

func (c *cli) Run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return inDir(func(dir string) error {
		err := c.torture(ctx, dir)
		if ctx.Err() != nil {
			return errInterrupted
		}
		return err
	})
}

func (c *cli) torture(ctx context.Context, dir string) error {
	binary, err := program.Build(ctx, dir, c.Race)
	if err != nil {
		return err
	}
	began := time.Now()
	report, err := Run(ctx, Options{
		Time: c.Time, Seed: c.Seed, Faults: c.Faults, Binary: binary, Dir: dir,
		Tell: func(r Report) { fmt.Fprintf(os.Stderr, "%s: %s\n", time.Since(began).Round(time.Second), r) },
	})
	if err != nil {
		return err
	}
	for _, v := range report.Violations {
		fmt.Println(v)
	}
	err = verdict(report, c.Time)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(report)
	return err
}

// verdict returns an error if there were violations, or too little happened.
func verdict(r Report, length time.Duration) error {
	if len(r.Violations) > 0 {
		return errViolated
	}
	if short := r.shortfall(length); short != "" {
		return errors.New(short)
	}
	return nil
}

func main() {
	var c cli
	ctx := kong.Parse(&c, kong.Name("torture"), kong.Vars{"faults": strings.Join(allKinds, ",")},
		kong.Description("Run the program under load, hurt its processes, and check what is left."))
	ctx.FatalIfErrorf(ctx.Run())
}
