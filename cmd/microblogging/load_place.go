package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"microblogging/cmd/microblogging/load"
	"microblogging/storage/azure"
)

// A loadPlace gives each run of a load an empty store of its own.
type loadPlace struct {
	// name says in a few words where it is.
	name string
	open func(context.Context) (load.Ground, error)
	// finish is called at the end. It removes what other loads have left behind.
	finish func(context.Context, *console) error
}

// place opens the store, and refuses it if no load can be made there.
func (c loadCommand) place(ctx context.Context) (*loadPlace, error) {
	retry, err := c.retryFlags.options()
	switch {
	case err != nil:
		return nil, cannotRunError{err}
	case c.Storage == "azure":
		return c.azurePlace(ctx, retry)
	}
	return c.boltPlace()
}

// boltPlace removes at once what a load has left that was killed: a process that has died
// holds no lock.
func (c loadCommand) boltPlace() (*loadPlace, error) {
	dir := filepath.Join(c.Data, loadFolder)
	if err := removeLoadStore(dir); err != nil {
		return nil, cannotRunError{err}
	}
	_, err := os.Stat(c.Data)
	fresh := errors.Is(err, fs.ErrNotExist)
	return &loadPlace{
		name: "the embedded store, in " + dir,
		open: func(context.Context) (load.Ground, error) {
			db, err := openLoadStore(dir)
			if err != nil {
				return load.Ground{}, err
			}
			return load.Ground{Backend: db, Remove: func(context.Context) error {
				return errors.Join(db.Close(), removeLoadStore(dir))
			}}, nil
		},
		finish: func(context.Context, *console) error {
			if fresh {
				return removeIfEmpty(c.Data)
			}
			return nil
		},
	}, nil
}

// azurePlace is an account, whose client tells the load each try of each request. What the
// account holds of other loads is looked at twice, at the beginning and at the end, and
// removed if it was not in use between.
func (c loadCommand) azurePlace(ctx context.Context, retry *policy.RetryOptions) (*loadPlace, error) {
	config, err := c.azureConfig(nil, retry)
	if err != nil {
		return nil, err
	}
	config.Tried = func(ctx context.Context, try azure.Try) { load.Tried(ctx, try.Number > 1, try.Throttled()) }
	client, err := azure.Open(config)
	if err != nil {
		return nil, cannotRunError{err}
	}
	leftovers, err := load.FindLeftovers(ctx, client)
	if err != nil {
		client.Close()
		return nil, cannotRunError{err}
	}
	return &loadPlace{
		name: accountName(config),
		open: func(ctx context.Context) (load.Ground, error) { return load.OpenNamespace(ctx, client) },
		finish: func(ctx context.Context, console *console) error {
			defer client.Close()
			return removeLeftovers(ctx, console, leftovers)
		},
	}, nil
}

// removeLeftovers waits until it can tell which tables of other loads are not in use, and
// removes those. An interruption ends the wait, and then nothing is removed.
func removeLeftovers(ctx context.Context, console *console, leftovers load.Leftovers) error {
	if wait := leftovers.Wait(); wait > 0 {
		if ctx.Err() == nil {
			fmt.Fprintf(console.stderr, "There are tables of another load. Waiting %s to see whether it is still running.\n", wait.Round(time.Second))
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil
		}
	}
	return removeLoad(ctx, console, func(ctx context.Context) error {
		removed, err := leftovers.Remove(ctx)
		if removed > 0 {
			fmt.Fprintf(console.stderr, "Removed the tables that earlier loads have left behind (loads: %d).\n", removed)
		}
		return err
	})
}

// emulatorAccount is the account that each Azurite has.
const emulatorAccount = "devstoreaccount1"

// accountName names the account without its key.
func accountName(config azure.Config) string {
	endpoint := config.TableEndpoint
	for part := range strings.SplitSeq(config.ConnectionString, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name = strings.ToLower(name); {
		case name == "usedevelopmentstorage", name == "accountname" && value == emulatorAccount:
			return "Azurite"
		case name == "accountname":
			return "the Azure account " + value
		case name == "tableendpoint":
			endpoint = value
		}
	}
	if u, err := url.Parse(endpoint); err == nil && u.Host != "" {
		return u.Host
	}
	return "an Azure account"
}
