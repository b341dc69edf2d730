package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"time"

	"microblogging/storage/bolt"
)

type backupCommand struct {
	Admin        string `placeholder:"URL" help:"Take the backup from a server that is running: the address of its --admin-listen, such as http://127.0.0.1:8082, on this machine. Without it, the store is read, and the server must be stopped."`
	File         string `arg:"" help:"The file to write. A backup of that name is replaced once the new one is whole; any other file is left alone."`
	storageFlags `embed:""`
}

// Run writes one snapshot to a file.
func (c backupCommand) Run(ctx context.Context, console *console) error {
	if c.Admin == "" && c.Storage != "bolt" {
		return cannotRunError{errNoSnapshot}
	}
	size, err := writeBackup(c.File, func(w io.Writer) error {
		if c.Admin != "" {
			return download(ctx, c.Admin, w, backupTime)
		}
		err := pack(w, func(w io.Writer) error { return bolt.Backup(ctx, c.Data, ofThisVersion(nil), w) })
		if errors.Is(err, bolt.ErrInUse) {
			err = fmt.Errorf("%w; give the address of its --admin-listen with --admin, or stop it", bolt.ErrInUse)
		}
		return err
	})
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted, and %s was not written: %w", c.File, err)
	case err != nil:
		return err
	}
	if c.Admin != "" {
		err = confirm(ctx, c.Admin)
	} else {
		err = bolt.NoteBackup(c.Data, time.Now())
	}
	warnOfAge(console, err)
	_, err = fmt.Fprintf(console.stdout, "%s: %s\n", c.File, inBytes(size))
	return err
}

// warnOfAge says that the time of a backup, which is good all the same, could not be noted.
func warnOfAge(console *console, err error) {
	if err != nil {
		fmt.Fprintf(console.stderr, "the age of the last backup in the metrics stays as it was: %v\n", err)
	}
}

// download gets a backup from the admin listener of a server, in some time.
func download(ctx context.Context, admin string, to io.Writer, most time.Duration) error {
	at, err := url.Parse(admin)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
		return fmt.Errorf("--admin must be a URL such as http://127.0.0.1:8082, not %q", admin)
	}
	at = at.JoinPath(backupPath)
	ctx, cancel := context.WithTimeoutCause(ctx, most, fmt.Errorf("--admin: %s sent no whole backup within %s", at, most))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return err
	}
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		return cmp.Or(context.Cause(ctx), fmt.Errorf("--admin: %w", err))
	}
	defer response.Body.Close() // all of it was read, or an error is known
	switch response.StatusCode {
	case http.StatusOK:
		_, err := io.Copy(to, response.Body)
		if _, unwritten := errors.AsType[*fs.PathError](err); err == nil || unwritten {
			return err
		}
		return cmp.Or(context.Cause(ctx), fmt.Errorf("the server closed the connection before the backup was whole: %w", err))
	case http.StatusInternalServerError:
		err = bolt.ErrDamaged
	default:
		err = errors.New(response.Status)
	}
	if !strings.HasPrefix(response.Header.Get("Content-Type"), "text/plain") { // a page of the site, for one
		return fmt.Errorf("--admin: %s answers: %w; give the address of --admin-listen", at, err)
	}
	why, _ := io.ReadAll(io.LimitReader(response.Body, 8<<10)) // the status says enough
	return fmt.Errorf("--admin: %s answers: %w: %s", at, err, strings.TrimSpace(string(why)))
}

// confirmTime bounds how long the server may take to note that a backup is complete.
const confirmTime = 10 * time.Second

// confirm tells the server that the file is whole and on the disk.
func confirm(ctx context.Context, admin string) error {
	at, err := url.JoinPath(admin, backupPath)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, confirmTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, at, nil)
	if err != nil {
		return err
	}
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close() // the status says enough
	if response.StatusCode != http.StatusNoContent {
		return fmt.Errorf("%s answers: %s", at, response.Status)
	}
	return nil
}
