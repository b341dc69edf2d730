package main

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"microblogging/storage/bolt"
)

const (
	// backupPath is where the admin listener gives a backup.
	backupPath = "/backup"
	// backupPatience is how long the reader of a backup may take for one block, which has
	// a few hundred kilobytes at most.
	backupPatience = 30 * time.Second
	// backupBusy is how many seconds the next backup should wait for one under way.
	backupBusy = 10
)

// errNoSnapshot is why a store on the network cannot be backed up.
var errNoSnapshot = errors.New("there is no snapshot of several tables in Azure, and so no backup: " +
	"microblogging copy --from azure --to bolt:DIR makes a copy that can be backed up")

// A backupHandler gives a backup of the open store. What it gives is all there is, with
// the hashes of passwords; so it answers programs on the same machine alone. It gives one
// at a time, since each lets the store grow (bolt.DB.Backup).
type backupHandler struct {
	backend *backend
	log     *slog.Logger
	turn    sync.Mutex
}

// ServeHTTP answers GET /backup. A body without the end of a backup was given up, and the log
// says why.
func (h *backupHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case !isLocal(r):
		http.Error(w, "a backup is given to programs on the same machine alone, at its address", http.StatusForbidden)
		return
	case h.backend.backup == nil:
		http.Error(w, errNoSnapshot.Error(), http.StatusNotImplemented)
		return
	}
	if !h.turn.TryLock() {
		w.Header().Set("Retry-After", strconv.Itoa(backupBusy))
		http.Error(w, "another backup is being taken", http.StatusServiceUnavailable)
		return
	}
	defer h.turn.Unlock()
	w.Header().Set("Content-Type", "application/octet-stream")
	to := &patientWriter{to: w, control: http.NewResponseController(w)}
	err := pack(to, func(w io.Writer) error { return h.backend.backup(r.Context(), w) })
	switch {
	case err == nil:
		h.log.InfoContext(r.Context(), "backup given", "bytes", to.n)
		return
	case to.n > 0:
	case errors.Is(err, bolt.ErrDamaged):
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		http.Error(w, "the store cannot be read; the log of the server says why", http.StatusServiceUnavailable)
	}
	h.log.WarnContext(r.Context(), "backup given up", "error", err)
}

// isLocal tells whether a program on this machine asks, and asks for this machine: a page
// of another site can only ask for a name of its own.
func isLocal(r *http.Request) bool {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && from.Addr().Unmap().IsLoopback() && namesThisMachine(r.Host)
}

// A patientWriter gives its reader some time for each write, whatever the server's own
// limit for a whole response is. It counts the bytes.
type patientWriter struct {
	to      io.Writer
	control *http.ResponseController
	n       int64
}

func (w *patientWriter) Write(b []byte) (int, error) {
	if err := w.control.SetWriteDeadline(time.Now().Add(backupPatience)); err != nil {
		return 0, err
	}
	n, err := w.to.Write(b)
	w.n += int64(n)
	if err == nil {
		err = w.control.Flush()
	}
	return n, err
}
