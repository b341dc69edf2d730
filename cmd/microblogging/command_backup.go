package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"microblogging/storage/bolt"
	"microblogging/storage/snapshot"
)

type backupCommand struct {
	storageFlags  `embed:""`
	Admin         string `placeholder:"URL" help:"Take the backup from a server that is running: the address of its --admin-listen, such as http://127.0.0.1:9090, on this machine. Without it, the store is read, and the server must be stopped."`
	DeletionsOnly bool   `help:"Save only the record of deletions, for restore --deletions. It is small and quick, and the only kind that --storage azure has."`
	File          string `arg:"" help:"The file to write. A backup of that name is replaced once the new one is whole; any other file is left alone."`
}

// Run writes one snapshot to a file.
func (c backupCommand) Run(ctx context.Context, console *console) error {
	content := snapshot.Whole
	if c.DeletionsOnly {
		content = snapshot.Deletions
	}
	if c.Admin == "" && c.Storage != "bolt" && content == snapshot.Whole {
		return cannotRunError{errNoSnapshot}
	}
	summary, err := writeBackup(c.File, content, func(w io.Writer) error {
		switch {
		case c.Admin != "":
			return download(ctx, c.Admin, w, content, serverPatience)
		case c.Storage == "bolt":
			_, err := bolt.Backup(ctx, c.Data, w, content)
			if errors.Is(err, bolt.ErrInUse) {
				err = fmt.Errorf("%w; give the address of its --admin-listen with --admin, or stop it", err)
			}
			return err
		default:
			return c.useBackend(ctx, bolt.Options{}, func(b *backend) error {
				_, err := b.backup(ctx, w, content)
				return err
			})
		}
	})
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted, and %s was not written: %w", c.File, err)
	case err != nil:
		return err
	}
	_, err = fmt.Fprintf(console.stdout, "%s: %d rows, %s\n", c.File, summary.Rows, inBytes(summary.Bytes))
	return err
}

// serverPatience is how long a server may take until its answer begins, and for each piece of
// it.
const serverPatience = 30 * time.Second

// download gets a backup from the admin listener of a server.
func download(ctx context.Context, admin string, to io.Writer, content snapshot.Content, patience time.Duration) error {
	at, err := url.Parse(admin)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
		return fmt.Errorf("--admin must be a URL such as http://127.0.0.1:9090, not %q", admin)
	}
	at = at.JoinPath(backupPath)
	at.RawQuery = url.Values{"content": {string(content)}}.Encode()
	asked := ctx
	ctx, cancel := context.WithCancel(asked)
	defer cancel()
	waiting := time.AfterFunc(patience, cancel)
	defer waiting.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return err
	}
	err = receive(request, pausing{to, waiting, patience})
	if ctx.Err() != nil && asked.Err() == nil && err != nil {
		return fmt.Errorf("--admin: %s sent nothing for %s", at, patience)
	}
	return err
}

// receive asks for a file and writes what is answered.
func receive(request *http.Request, to io.Writer) error {
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		return fmt.Errorf("--admin: %w", err)
	}
	defer response.Body.Close() // all of it was read, or an error is known
	if response.StatusCode != http.StatusOK {
		why, _ := io.ReadAll(io.LimitReader(response.Body, 500)) // the status says enough
		return fmt.Errorf("--admin: %s answered %s: %s", request.URL, response.Status, strings.TrimSpace(string(why)))
	}
	_, err = io.Copy(to, response.Body)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the server ended the backup before its end: %w", err)
	}
	return err
}

// A pausing writer stops a timer while it writes, and starts it anew.
type pausing struct {
	to    io.Writer
	timer *time.Timer
	after time.Duration
}

func (w pausing) Write(b []byte) (int, error) {
	w.timer.Stop()
	defer w.timer.Reset(w.after)
	return w.to.Write(b)
}
