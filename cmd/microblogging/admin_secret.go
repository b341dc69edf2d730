package main

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	"microblogging/storage/bolt"
)

// bearer is the scheme of the header Authorization.
const bearer = "Bearer "

// An adminSecret keeps other users of the machine from acting over the admin listener. Each start makes another one.
// So a program that listens at the address while the server is down, and is sent the secret, learns nothing of use.
type adminSecret struct {
	file, text string
	log        *slog.Logger

	writing sync.Mutex
}

// newAdminSecret makes the secret of a process, and writes it to the data directory. If that fails, as on a full disk,
// the log has the reason, and the next request tries again.
func newAdminSecret(ctx context.Context, data string, log *slog.Logger) *adminSecret {
	if absolute, err := filepath.Abs(data); err == nil { // for a client in another directory
		data = absolute
	}
	s := &adminSecret{file: filepath.Join(data, secretName), text: rand.Text(), log: log}
	s.write(ctx)
	return s
}

func (s *adminSecret) write(ctx context.Context) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := bolt.WriteBeside(filepath.Dir(s.file), secretName, s.text); err != nil {
		s.log.ErrorContext(ctx, "could not write the secret for commands with --admin", "file", s.file, "error", err)
	}
}

// ask lets requests of programs on this machine pass that have the secret.
func (s *adminSecret) ask(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from, err := netip.ParseAddrPort(r.RemoteAddr)
		if err != nil || !from.Addr().Unmap().IsLoopback() || !isThisMachine((&url.URL{Host: r.Host}).Hostname()) {
			http.Error(w, "only for programs on the same machine, at a loopback address", http.StatusForbidden)
			return
		}
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte(bearer+s.text)) != 1 {
			// It may have been removed with the file of the store, which a backup can save then.
			if _, err := os.Stat(s.file); errors.Is(err, fs.ErrNotExist) {
				s.write(r.Context())
			}
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, fmt.Sprintf("the secret of this server is in %s: give the directory with --data", s.file), http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
