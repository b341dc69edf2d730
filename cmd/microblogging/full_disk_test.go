package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"
	"golang.org/x/sync/errgroup"
)

// TestRoot of e2e fills disks, and starts roles on them.
func TestFullDisk(t *testing.T) {
	t.Run("a role that waits for room is healthy and not ready, and then answers at the same addresses", waitingRoleAnswers)
	t.Run("a role does not wait for a part of its store that is missing", roleDoesNotWait)
}

func roleDoesNotWait(t *testing.T) {
	s := openSite(t, t.TempDir())
	s.create("Garden", 1)
	s.close()
	db, err := bbolt.Open(filepath.Join(s.data, "microblogging.db"), 0o600, &bbolt.Options{Timeout: time.Second, NoFreelistSync: true})
	ok(t, err)
	ok(t, db.Update(func(tx *bbolt.Tx) error {
		table := []byte("table Subscriptions")
		return errors.Join(tx.DeleteBucket(table), tx.Bucket([]byte("microblogging")).Delete(table))
	}), db.Close())
	refused(t, exitCannotRun, "a part of the store is missing: Subscriptions", "serve", "--listen", "127.0.0.1:0", "--data", s.data)
}

func waitingRoleAnswers(t *testing.T) {
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	web, err := listen("--listen", "127.0.0.1:0")
	ok(t, err)
	at, log, address := listeners{web: web}, slog.New(slog.DiscardHandler), publicAddress(web.Addr())
	defer at.close()
	for range 2 {
		stop := at.answerNotReady(t.Context(), log)
		get(t, http.DefaultClient, address+"/healthz", http.StatusOK)
		for _, path := range []string{"/readyz", "/metrics", "/"} {
			if body := get(t, http.DefaultClient, address+path, http.StatusServiceUnavailable); strings.Contains(body, "<") {
				t.Errorf("%s answers %s", path, body)
			}
		}
		stop()
	}
	ctx, cancel := context.WithCancel(t.Context())
	var run errgroup.Group
	serveHTTP(ctx, newServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the role") }), log), web, drainTime, log, &run)
	if body := get(t, http.DefaultClient, address+"/", http.StatusOK); body != "the role" {
		t.Errorf("answers %s", body)
	}
	cancel()
	ok(t, run.Wait())
}
