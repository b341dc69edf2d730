package main

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/url"
	"time"

	"microblogging/domain"
	"microblogging/worker"
)

// commands is the command line. The help texts are the operator's manual; each
// flag can also be set by the environment variable that --help shows beside it.
type commands struct {
	Serve   serveCommand   `cmd:"" default:"withargs" help:"Run the web role and the worker role in one process (the default)."`
	Web     webCommand     `cmd:"" help:"Run the web role alone."`
	Worker  workerCommand  `cmd:"" help:"Run the worker role alone."`
	Import  importCommand  `cmd:"" help:"Import posts from RSS, Atom or JSON Feed files."`
	Requeue requeueCommand `cmd:"" help:"Put poisoned deletions back on the queue."`
	Check   checkCommand   `cmd:"" help:"Read every table and report each breach of an invariant."`
	Version versionCommand `cmd:"" help:"Show the version, Go's, and those of the storage libraries."`
}

// storageFlags say where the tables and queues are.
type storageFlags struct {
	Storage string `enum:"bolt,azure" default:"bolt" help:"Where to store: bolt, a file in the data directory, or azure."`
	Data    string `default:"./data" help:"The data directory of the embedded store. One process can have it at a time."`

	AzureConnectionString string `env:"AZURE_STORAGE_CONNECTION_STRING,MICROBLOGGING_AZURE_CONNECTION_STRING" placeholder:"STRING" help:"With --storage azure: the account. UseDevelopmentStorage=true means Azurite on its usual ports."`
	AzureTableEndpoint    string `env:"AZURE_STORAGE_TABLE_ENDPOINT,MICROBLOGGING_AZURE_TABLE_ENDPOINT" placeholder:"URL" help:"With --storage azure and the default Azure credential: the account's tables."`
	AzureQueueEndpoint    string `env:"AZURE_STORAGE_QUEUE_ENDPOINT,MICROBLOGGING_AZURE_QUEUE_ENDPOINT" placeholder:"URL" help:"With --storage azure and the default Azure credential: the account's queues."`
}

// logFlags say what is logged, on standard error.
type logFlags struct {
	LogFormat string `enum:"text,json" default:"text" help:"How to log: text or json."`
	LogLevel  string `enum:"debug,info,warn,error" default:"info" help:"What to log: debug, info, warn or error."`
}

func (f logFlags) logger(w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.LogLevel)); err != nil {
		level = slog.LevelInfo // the enum lets no other word pass
	}
	options := &slog.HandlerOptions{Level: level}
	if f.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// webFlags are the settings of the web role.
type webFlags struct {
	Listen              string    `default:"127.0.0.1:8080" help:"Where to accept requests. Port 0 picks a free one."`
	Sample              bool      `help:"If the store is empty, fill it with a few channels and print a sign-in link that works once."`
	BaseURL             string    `name:"base-url" placeholder:"URL" help:"The address that users see. With https, cookies are bound to it."`
	WriteRate           float64   `default:"20" help:"How many writes a second one user may make in the long run; 0 for no limit. All users of one address together may make ten times as many. Each process counts for itself."`
	WriteBurst          int       `default:"1000" help:"How many writes one user may make at once, after a pause."`
	MaxChannelsPerOwner int       `default:"100" help:"How many channels one user may own that were created in the browser or by the API; 0 for no limit. Imported channels do not count."`
	TrustProxy          proxyFlag `help:"Believe the X-Forwarded-For and X-Forwarded-Proto of a proxy. Set it only behind a proxy that sets both. With a value such as --trust-proxy=10.0.0.0/8,fd00::/8, believe only the proxies in these networks, also if there are several in a row."`
}

// Validate is called by kong.
func (f webFlags) Validate() error {
	switch {
	case f.WriteRate < 0 || math.IsNaN(f.WriteRate) || f.WriteRate > maxWriteRate:
		return fmt.Errorf("--write-rate must be 0 to %d, not %g", maxWriteRate, f.WriteRate)
	case f.MaxChannelsPerOwner < 0 || f.MaxChannelsPerOwner > domain.MaxChannelsPerOwner:
		return fmt.Errorf("--max-channels-per-owner must be 0 to %d, not %d", domain.MaxChannelsPerOwner, f.MaxChannelsPerOwner)
	case f.WriteBurst < 1 || f.WriteBurst > maxWriteBurst:
		return fmt.Errorf("--write-burst must be 1 to %d, not %d", maxWriteBurst, f.WriteBurst)
	}
	return nil
}

const (
	maxWriteRate  = 1_000_000
	maxWriteBurst = 1_000_000
)

// baseURL is nil if none is set.
func (f webFlags) baseURL() (*url.URL, error) {
	if f.BaseURL == "" {
		return nil, nil
	}
	u, err := url.Parse(f.BaseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.Path != "" && u.Path != "/" {
		return nil, fmt.Errorf("--base-url must be http://HOST or https://HOST, not %q", f.BaseURL)
	}
	u.Path = ""
	return u, nil
}

// leaseFlags are the setting that worker and check share.
type leaseFlags struct {
	Lease time.Duration `default:"30s" help:"How long a worker may be silent before its message is handed to another; in whole seconds. A deletion without progress for three of these counts as stalled."`
}

const maxLease = 12 * time.Hour

// Validate is called by kong.
func (f leaseFlags) Validate() error {
	if f.Lease < time.Second || f.Lease > maxLease || f.Lease%time.Second != 0 {
		return fmt.Errorf("--lease must be whole seconds from 1s to %s, not %s", maxLease, f.Lease)
	}
	return nil
}

// workerFlags are the settings of the worker role.
type workerFlags struct {
	leaseFlags `embed:""`
	Reconcile  time.Duration `default:"1m" help:"How often to look for deletions whose message was lost."`
	// Sweep is what --reconcile was called before. It keeps working, with a warning.
	Sweep       *time.Duration `hidden:"" help:"The old name of --reconcile."`
	Concurrency int            `default:"4" help:"How many messages to handle at once."`
	MaxAttempts int            `default:"5" help:"How many attempts may fail without getting further before a message is poison."`
}

// Validate is called by kong.
func (f workerFlags) Validate() error {
	switch {
	case f.interval() <= 0:
		return fmt.Errorf("--reconcile must be longer than nothing, not %s", f.interval())
	case f.Concurrency < 1 || f.Concurrency > 256:
		return fmt.Errorf("--concurrency must be 1 to 256, not %d", f.Concurrency)
	case f.MaxAttempts < 1:
		return fmt.Errorf("--max-attempts must be at least 1, not %d", f.MaxAttempts)
	}
	return f.leaseFlags.Validate()
}

// interval is the time between two reconciling passes, by whichever name it was
// set.
func (f workerFlags) interval() time.Duration {
	if f.Sweep != nil {
		return *f.Sweep
	}
	return f.Reconcile
}

func (f workerFlags) options(log *slog.Logger) worker.Options {
	if f.Sweep != nil {
		log.Warn("--sweep (MICROBLOGGING_SWEEP) is now --reconcile (MICROBLOGGING_RECONCILE); the old name will go")
	}
	return worker.Options{
		Lease:       f.Lease,
		Reconcile:   f.interval(),
		Concurrency: f.Concurrency,
		MaxAttempts: f.MaxAttempts,
		Log:         log,
	}
}
