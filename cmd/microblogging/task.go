package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"microblogging/storage"
	"microblogging/storage/bolt"
)

// A task is what a command does with an open store. A process that opens the store for it does it, or with --admin the
// server that has the store open. Then its fields are sent as JSON, and what it writes comes back.
type task interface {
	// command is how it is called on the command line.
	command() string
	do(ctx context.Context, b *backend, console *console) error
}

// tasks are all that a server does for a client with its secret.
func tasks() []task {
	return []task{&checkTask{}, &requeueTask{}, &createTask{}, &inviteTask{}, &resetTask{}, &closeUserTask{}, &closeChannelTask{}}
}

// A closing is a task that begins a deletion, which can be undone for these times. A server has its own.
type closing interface {
	times() (channel, account time.Duration)
}

// operatorFlags are what commands share that act on a store which a server may have open.
type operatorFlags struct {
	Admin        string `placeholder:"URL" help:"Act on a server that has the embedded store open: the address at which it listens for an operator, such as http://127.0.0.1:8082, on this machine. Give its data directory with --data: a file there has the secret that the server asks for. Without this flag, the command opens the store, and the server must be stopped."`
	storageFlags `embed:""`
}

// run does the task here, on a store that is there unless the task makes one, or lets a server do it.
func (f operatorFlags) run(ctx context.Context, console *console, t task) error {
	if f.Admin != "" {
		return f.ask(ctx, console, t)
	}
	_, creates := t.(createTask)
	var options storage.Options
	if closes, ok := t.(closing); ok {
		options.Undo, options.UndoAccount = closes.times()
	}
	return orAdmin(f.use(ctx, creates, options, func(b *backend) error { return t.do(ctx, b, console) }))
}

// orAdmin says what to do if a server has the store open.
func orAdmin(err error) error {
	if errors.Is(err, bolt.ErrInUse) {
		err = cannotRunError{fmt.Errorf("%w; give the address of its --admin-listen with --admin, or stop it", bolt.ErrInUse)}
	}
	return err
}

const (
	// commandPath is where the admin listener takes a commandRequest.
	commandPath = "/command"
	// commandType is the type of its answer: a commandAnswer a line.
	commandType = "application/jsonl"
)

// A commandRequest names a task, and has its fields.
type commandRequest struct {
	Command   string
	Arguments json.RawMessage
}

// A commandAnswer is one line of the answer: what the task has written, or last of all its exit status.
type commandAnswer struct {
	Stdout []byte `json:",omitempty"`
	Stderr []byte `json:",omitempty"`
	Exit   *int   `json:",omitempty"`
}

const (
	// adminTime bounds how long a server works for a client, for both: the store grows during a backup, also if one of
	// the two hangs.
	adminTime = time.Hour
	// beginTime bounds how long a server may take to begin to answer, if it begins before its work.
	beginTime = 10 * time.Second
)

// ask lets a server do the task, and prints what it writes. The error is an exitStatus, unless the server did not
// say how the task ended.
func (f operatorFlags) ask(ctx context.Context, console *console, t task) error {
	arguments, err := json.Marshal(t)
	if err != nil {
		return err
	}
	body, err := json.Marshal(commandRequest{t.command(), arguments})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, adminTime, fmt.Errorf("--admin: %s did not end within %s", f.Admin, adminTime))
	defer cancel()
	response, err := f.request(ctx, http.MethodPost, commandPath, body, commandType, beginTime)
	if err != nil {
		return cannotRunError{err}
	}
	defer response.Body.Close() // all of it was read, or an error is known
	lines := json.NewDecoder(response.Body)
	for {
		var answer commandAnswer
		if err := lines.Decode(&answer); err != nil {
			return cmp.Or(context.Cause(ctx), fmt.Errorf("the server closed the connection before the command ended, which may be done in part: %w", err))
		}
		_, err := console.stdout.Write(answer.Stdout)
		_, failed := console.stderr.Write(answer.Stderr)
		if err := errors.Join(err, failed); err != nil {
			return err
		}
		if answer.Exit != nil {
			return exitStatus(*answer.Exit)
		}
	}
}

// secretName is the file of the data directory that has the secret of the server.
const secretName = "admin-secret"

// request sends a request to the admin listener, and returns an answer of the type that the caller wants. It must
// begin in time, unless that is zero.
func (f operatorFlags) request(ctx context.Context, method, path string, body []byte, wants string, begins time.Duration) (*http.Response, error) {
	at, err := url.Parse(f.Admin)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || !isThisMachine(at.Hostname()) {
		return nil, fmt.Errorf("--admin must be the URL of a listener on this machine, such as http://127.0.0.1:8082, not %q", f.Admin)
	}
	at = at.JoinPath(path)
	request, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	// Without it, the server says in which directory it is.
	secret, err := os.ReadFile(filepath.Join(f.Data, secretName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	request.Header.Set("Authorization", bearer+strings.TrimSpace(string(secret)))
	response, err := (&http.Transport{DisableCompression: true, DisableKeepAlives: true, ResponseHeaderTimeout: begins}).RoundTrip(request)
	if err != nil {
		return nil, cmp.Or(context.Cause(ctx), fmt.Errorf("--admin: %w", err))
	}
	kind := response.Header.Get("Content-Type")
	if response.StatusCode < http.StatusBadRequest && kind == wants {
		return response, nil
	}
	defer response.Body.Close() // the status says enough
	err = errors.New(response.Status)
	if response.StatusCode == http.StatusInternalServerError {
		err = bolt.ErrDamaged
	}
	if !strings.HasPrefix(kind, "text/plain") { // a page of the site, for one
		return nil, fmt.Errorf("--admin: %s answers: %w; give the address of --admin-listen", at, err)
	}
	why, _ := io.ReadAll(io.LimitReader(response.Body, 8<<10))
	return nil, fmt.Errorf("--admin: %s answers: %w: %s", at, err, strings.TrimSpace(string(why)))
}

// isThisMachine reports whether a host is localhost or a loopback address.
func isThisMachine(host string) bool {
	address, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && address.Unmap().IsLoopback()
}
