package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"microblogging/cmd/microblogging/telemetry"
	"microblogging/storage"
	"microblogging/storage/azure"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
)

// A backend is an open store.
type backend struct {
	*storage.Store
	// under is the backend under the Store.
	under driver.Backend
	// local tells that the store is the embedded one. If it does not answer at
	// once, waiting does not help.
	local bool
	// health fails if the process must open the store again to go on. Nil never fails.
	health func() error
	// space tells how much of the embedded store is free. It is nil for another store.
	space func() (bolt.Space, error)
	// told is told what happens to the store, and what the roles do. It may be nil.
	told *telemetry.Telemetry
	// backup writes the file of the open store. It is nil for a store that is not local.
	backup func(context.Context, io.Writer) error
	// draining is closed when the process is told to stop.
	draining <-chan struct{}
	close    func() error
}

// open opens the store that the flags name, with these options if it is the embedded one. It
// does not contact a store on the network yet. A panic in a library is logged; without a log,
// to standard error. For the times of undo, deletions can be undone.
func (f storageFlags) open(opts bolt.Options, told *telemetry.Telemetry, undo undoTimes) (*backend, error) {
	if f.Storage == "azure" {
		config, err := f.azureConfig(opts.Log)
		if err != nil {
			return nil, err
		}
		return openAzure(config, told, undo)
	}
	if told != nil {
		opts.Committed = told.Committed
	}
	db, err := bolt.Open(f.Data, opts)
	if err != nil {
		return nil, cannotRunError{inUseHint(err)}
	}
	return &backend{
		Store: storage.New(db, undo.options(told)), under: db, told: told,
		local: true, health: db.Health, space: db.Space, backup: db.Backup, close: db.Close,
	}, nil
}

// undoTimes are how long the deletions of channels and of accounts can be undone.
type undoTimes struct{ channel, account time.Duration }

func (u undoTimes) options(told *telemetry.Telemetry) storage.Options {
	return storage.Options{Around: told.Store(), Undo: u.channel, UndoAccount: u.account}
}

// inUseHint adds what to do if another process has the store open.
func inUseHint(err error) error {
	if errors.Is(err, bolt.ErrInUse) {
		err = fmt.Errorf("%w; stop that process, or use --storage azure for several processes", err)
	}
	return err
}

func openAzure(config azure.Config, told *telemetry.Telemetry, undo undoTimes) (*backend, error) {
	if told != nil {
		config.Tried = told.Tried
	}
	client, err := azure.Open(config)
	if err != nil {
		return nil, cannotRunError{err}
	}
	return &backend{
		Store: storage.New(client, undo.options(told)), under: client, told: told,
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

// use opens and prepares the store, calls work, and closes the store. It is for commands that
// need the store from the start.
func (f storageFlags) use(ctx context.Context, opts bolt.Options, work func(*backend) error) (err error) {
	b, err := f.open(opts, nil, undoTimes{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.Prepare(ctx); err != nil {
		return cannotRunError{err}
	}
	return work(b)
}

// preparePause is how long prepareLater waits between two tries.
const preparePause = time.Second

// prepareLater prepares a store on the network as soon as it answers. A role may start
// before the store does, and must run on while the store is unreachable.
func (b *backend) prepareLater(ctx context.Context, log *slog.Logger) {
	for err := b.Prepare(ctx); err != nil && ctx.Err() == nil; err = b.Prepare(ctx) {
		log.WarnContext(ctx, "store not ready, trying again", "error", err)
		select {
		case <-time.After(preparePause):
		case <-ctx.Done():
		}
	}
}
