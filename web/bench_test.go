package web_test

import (
	"net/http"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
)

// A sink takes a response at the least cost, so that a benchmark measures the server.
type sink struct {
	header http.Header
	status int
	size   int
}

func (s *sink) Header() http.Header { return s.header }

// SetWriteDeadline is there as in a connection.
func (s *sink) SetWriteDeadline(time.Time) error { return nil }

func (s *sink) WriteHeader(status int) { s.status = status }

func (s *sink) Write(p []byte) (int, error) { s.size += len(p); return len(p), nil }

func benchSession(b *testing.B, store *storage.Store) string {
	b.Helper()
	if _, err := store.SignUp(b.Context(), "ada", password); err != nil {
		b.Fatal(err)
	}
	token, _, err := store.SignIn(b.Context(), storage.Attempt{Name: "ada", Password: password})
	if err != nil {
		b.Fatal(err)
	}
	return token
}

func benchStore(b *testing.B, options bolt.Options) *storage.Store {
	b.Helper()
	db, err := bolt.Open(b.TempDir(), options)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	store := storage.New(db, storage.Options{})
	if err := store.Prepare(b.Context()); err != nil {
		b.Fatal(err)
	}
	return store
}

func benchChannel(b *testing.B, store *storage.Store, name string) domain.Channel {
	b.Helper()
	channel, err := domain.NewChannel(name, "Pistons and valves", "ada")
	if err == nil {
		channel, err = store.CreateChannel(b.Context(), channel)
	}
	if err != nil {
		b.Fatal(err)
	}
	return channel
}
