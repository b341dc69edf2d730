package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"microblogging/storage"
	"microblogging/storage/azure"
	"microblogging/storage/azuritetest"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
)

// pricePer10000 is what 10,000 transactions of Azure Table Storage cost in US dollars, as it was quoted in
// 2026. It was not read from Azure's price list.
const pricePer10000 = 0.00036

func price(calls float64) float64 { return calls / 10_000 * pricePer10000 }

// A store is an empty store that counts its calls.
type store struct {
	name    string
	backend driver.Backend
	calls   atomic.Int64
	close   func()
}

func (s *store) site() *storage.Parts { return storage.New(s.backend, storage.Options{}) }

func (s *store) count(ctx context.Context, _ *driver.Call, next func(context.Context) error) error {
	s.calls.Add(1)
	return next(ctx)
}

// open opens an empty store.
func open(name string) (*store, error) {
	s := &store{name: name}
	var err error
	switch name {
	case "bolt":
		err = s.openBolt(bolt.Options{})
	case "azurite":
		server, launched := azuritetest.Launch("")
		if launched != nil {
			return nil, launched
		}
		if err = s.openAzure(server.Account(), ""); err == nil {
			s.close = server.Kill
		}
	case "azure":
		account := os.Getenv("AZURE_STORAGE_CONNECTION_STRING")
		if account == "" {
			return nil, errors.New("AZURE_STORAGE_CONNECTION_STRING is not set")
		}
		err = s.openAzure(account, "m"+strings.ToLower(rand.Text()[:10]))
	default:
		return nil, errors.New("the stores are bolt, azurite and azure")
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (s *store) openBolt(options bolt.Options) error {
	dir, err := os.MkdirTemp("", "measure-")
	if err != nil {
		return err
	}
	db, err := bolt.Open(dir, options)
	if err != nil {
		return err
	}
	s.backend = driver.Wrap(db, s.count)
	s.close = func() {
		_ = db.Close() // nothing of it is needed any more
		_ = os.RemoveAll(dir)
	}
	return nil
}

// openAzure opens an account, whose tables and queues get a prefix. Those with a prefix are removed at the end.
func (s *store) openAzure(account, prefix string) error {
	client, err := azure.Open(azure.Config{ConnectionString: account})
	if err != nil {
		return err
	}
	var tables, queues []string
	s.backend = driver.Wrap(client, s.count, func(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
		name := c.Target
		defer func() { c.Target = name }()
		c.Target = prefix + name
		switch c.Method {
		case driver.CallCreateTable:
			tables = append(tables, c.Target)
		case driver.CallCreateQueue:
			queues = append(queues, c.Target)
		}
		return next(ctx)
	})
	s.close = func() {
		if err := client.Drop(context.Background(), tables, queues); err != nil {
			fmt.Fprintf(os.Stderr, "measure: remove the tables and queues that begin with %s: %v\n", prefix, err)
		}
	}
	return nil
}
