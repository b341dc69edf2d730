package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"microblogging/cmd/microblogging/telemetry"
	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/azure"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/version"
)

// A backend is an open store.
type backend struct {
	*storage.Parts
	// under is the backend under the Parts.
	under driver.Backend
	// name is the store's, for the log.
	name string
	// local reports whether the store is the embedded one. If it does not answer at
	// once, waiting does not help.
	local bool
	// health fails if the process must open the store again to go on. Nil never fails.
	health func() error
	// embedded is the store if it is the embedded one, for metrics. It is nil for another store.
	embedded telemetry.Embedded
	// told is told what happens to the store, and what the roles do. It may be nil.
	told *telemetry.Telemetry
	// backup writes the file of the open store. It is nil for a store that is not local.
	backup func(context.Context, io.Writer) error
	// verify reads the file of the open store, and fails if it is damaged. It is nil for a store that is not local.
	verify func(context.Context) error
	// site is the address that users see, if this process has the web role and was told it.
	site *url.URL
	// address is where this process listens for users. Without the web role it is empty.
	address string
	// data is the directory of the embedded store.
	data string
	// draining is closed when the process is told to stop.
	draining <-chan struct{}
	close    func() error
}

// open opens the store that the flags name, with these options if it is the embedded one. It
// does not contact a store on the network yet. A panic in a library is logged; without a log,
// to standard error.
func (f storageFlags) open(opts bolt.Options, told *telemetry.Telemetry, o storage.Options) (*backend, error) {
	if f.Storage == "azure" {
		config, err := f.azureConfig(opts.Log)
		if err != nil {
			return nil, err
		}
		return openAzure(config, told, o)
	}
	if told != nil {
		opts.Committed = told.Committed
	}
	db, err := bolt.Open(f.Data, opts)
	if err != nil {
		return nil, cannotRunError{inUseHint(err)}
	}
	return &backend{
		Parts: newParts(db, told, o), under: db, told: told,
		name: "bolt " + f.Data, local: true, health: db.Health, embedded: db, backup: db.Backup, verify: db.Verify, data: f.Data, close: db.Close,
	}, nil
}

// ofThisVersion returns options of the embedded store that refuse a store of another version before anything
// is written to it.
func ofThisVersion(log *slog.Logger) bolt.Options {
	ctx := context.Background() // no reader of the file waits
	return bolt.Options{
		Log:    log,
		Accept: func(db driver.Backend) error { _, err := version.Accept(ctx, db); return err },
		Empty:  func(db driver.Backend) (bool, error) { return version.Empty(ctx, db) },
	}
}

func newParts(under driver.Backend, told *telemetry.Telemetry, o storage.Options) *storage.Parts {
	o.Around = append(o.Around, told.Store()...)
	return storage.New(under, o)
}

// inUseHint adds what to do if another process has the store open.
func inUseHint(err error) error {
	if errors.Is(err, bolt.ErrInUse) {
		err = fmt.Errorf("%w, perhaps one that you started before: stop it first (several processes need --storage azure)", err)
	}
	return err
}

func openAzure(config azure.Config, told *telemetry.Telemetry, o storage.Options) (*backend, error) {
	if told != nil {
		config.Tried = told.Tried
	}
	client, err := azure.Open(config)
	if err != nil {
		return nil, cannotRunError{err}
	}
	return &backend{
		Parts: newParts(client, told, o), under: client, told: told, name: "azure " + client.URL(),
		close: func() error { client.Close(); return nil },
	}, nil
}

// azureConfig returns the account that the flags name.
func (f storageFlags) azureConfig(log *slog.Logger) (azure.Config, error) {
	connection, err := f.connectionString()
	if err != nil {
		return azure.Config{}, err
	}
	retry := azure.Retry(f.Retries, f.RetryMin, f.RetryMax)
	config := azure.Config{ConnectionString: connection, Retry: &retry, Log: log}
	if connection != "" { // it goes before the endpoints, which may be in the environment for another program
		return config, nil
	}
	if f.AzureTableEndpoint == "" || f.AzureQueueEndpoint == "" {
		return azure.Config{}, cannotRunError{errors.New("--storage azure needs AZURE_STORAGE_CONNECTION_STRING " +
			"or AZURE_STORAGE_CONNECTION_STRING_FILE, or AZURE_STORAGE_TABLE_ENDPOINT and AZURE_STORAGE_QUEUE_ENDPOINT")}
	}
	config.TableEndpoint, config.QueueEndpoint = f.AzureTableEndpoint, f.AzureQueueEndpoint
	credential, err := azidentity.NewDefaultAzureCredential(nil)
	if err != nil {
		return azure.Config{}, cannotRunError{fmt.Errorf("finding an Azure credential: %w", err)}
	}
	config.Credential = credential
	return config, nil
}

// mustExist refuses a data directory without a store, so that a name that was mistyped is
// not taken for a store where all is well.
func (f storageFlags) mustExist() error {
	if f.Storage != "bolt" {
		return nil
	}
	there, err := bolt.Exists(f.Data)
	if err == nil && !there {
		err = fmt.Errorf("%w in %s", bolt.ErrNoStore, f.Data)
	}
	if err != nil {
		return cannotRunError{err}
	}
	return nil
}

// use opens the store, calls work, and closes the store. It is for commands that need the store from
// the start. Only one that creates may find no store, and makes it.
func (f storageFlags) use(ctx context.Context, creates bool, o storage.Options, work func(*backend) error) (err error) {
	if !creates {
		if err := f.mustExist(); err != nil {
			return err
		}
	}
	b, err := f.open(ofThisVersion(nil), nil, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if creates {
		err = b.Operator.Prepare(ctx)
	} else {
		err = b.Health.Ready(ctx)
	}
	if err != nil {
		return cannotRunError{err}
	}
	return work(b)
}

const (
	// preparePause is how long a role waits before it prepares its store again.
	preparePause = time.Second
	// configurationTime is how long a role tries to start with a wrong configuration: a role that
	// was assigned in Azure takes a while.
	configurationTime = time.Minute
	// versionEvery is how often a role reads the version of its store while it runs.
	versionEvery = time.Minute
)

// A starter prepares the store of a role, and holds the calls of the role back until then. So no row
// is written before all tables exist.
type starter struct {
	log *slog.Logger
	// tried is closed once it has tried.
	tried chan struct{}
	// failed is how the last attempt ended. It is nil before the first.
	failed atomic.Pointer[error]
}

func newStarter(log *slog.Logger) *starter { return &starter{log: log, tried: make(chan struct{})} }

// prepare prepares the store. A store on the network is tried again while it does not answer: a role
// may start before its store does, and must run on while the store is unreachable. If the
// configuration is wrong for longer than configurationTime, a part of the store is missing, or the store has
// another version, the role cannot run.
func (s *starter) prepare(ctx context.Context, b *backend) error {
	store := storage.New(b.under, storage.Options{})
	tried := sync.OnceFunc(func() { close(s.tried) })
	var wrong time.Time
	for ctx.Err() == nil {
		err := store.Operator.Prepare(ctx)
		s.failed.Store(&err)
		tried()
		misconfigured := errors.Is(err, domain.ErrConfiguration)
		switch {
		case err == nil || ctx.Err() != nil:
			return nil
		case b.local, !errors.Is(err, domain.ErrUnavailable), misconfigured && !wrong.IsZero() && time.Since(wrong) >= configurationTime:
			return cannotRunError{err}
		case misconfigured && wrong.IsZero():
			wrong = time.Now()
			s.log.ErrorContext(ctx, "the store refuses this configuration, trying again", "for", configurationTime, "error", err)
		case !misconfigured:
			wrong = time.Time{}
			s.log.WarnContext(ctx, "store not ready, trying again", "error", err)
		}
		select {
		case <-time.After(preparePause):
		case <-ctx.Done():
		}
	}
	return nil
}

// watch reads the version of the store now and then until ctx ends. It fails once the store has another
// version: a newer program has changed it, or a copy is being written there. From then on each call of the role
// fails. A store that does not answer, or has lost the table with its version, is tried again.
func (s *starter) watch(ctx context.Context, b *backend) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(versionEvery):
		}
		err := version.Check(ctx, b.under)
		if errors.Is(err, version.ErrRefused) {
			s.failed.Store(&err)
			return cannotRunError{err}
		}
		if err != nil && ctx.Err() == nil {
			level := slog.LevelWarn
			if errors.Is(err, domain.ErrConfiguration) { // its table was lost, or as in around
				level = slog.LevelError
			}
			s.log.Log(ctx, level, "could not read the version of the store", "error", err)
		}
	}
}

// around is a driver.Around. A call that only an operator can make succeed is an error in the log,
// whichever code makes it, even if that code ignores the error.
func (s *starter) around(ctx context.Context, _ *driver.Call, next func(context.Context) error) error {
	select {
	case <-s.tried:
	case <-ctx.Done():
		return ctx.Err()
	}
	if failed := *s.failed.Load(); failed != nil {
		return failed
	}
	err := next(ctx)
	if errors.Is(err, domain.ErrConfiguration) {
		s.log.ErrorContext(ctx, "the store refuses this configuration", "error", err)
	}
	return err
}
