package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

// Options are the settings of a run.
type Options struct {
	Time   time.Duration `help:"How long the load and the faults last." default:"60s"`
	Seed   uint64        `help:"Decides what users do, and which faults happen." default:"1"`
	Faults []string      `help:"Which kinds of faults happen: ${enum}." enum:"${faults}" default:"${faults}"`
	Race   bool          `help:"Build the program with the race detector."`
}

var (
	errViolated    = errors.New("the program violated its guarantees")
	errInterrupted = errors.New("interrupted, and nothing was judged")
)

func main() {
	var o Options
	parsed := kong.Parse(&o, kong.Name("torture"), kong.Vars{"faults": strings.Join(allKinds, ",")},
		kong.Description("Run the program under load, hurt its processes, and check what is left."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := torture(ctx, o, os.Stdout)
	stop()
	parsed.FatalIfErrorf(err)
}
