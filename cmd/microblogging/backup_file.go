package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"microblogging/storage/snapshot"
)

// writeBackup writes the file of a backup with some content. It writes under another name, reads what it has
// written, and gives it the name once it is whole and on the disk. So whoever finds a file
// of that name has a whole one, whatever was killed. A backup that had the name before is
// replaced at that moment. The name is taken from no other file.
func writeBackup(name string, content snapshot.Content, write func(io.Writer) error) (summary snapshot.Summary, err error) {
	if err := replaceable(name); err != nil {
		return summary, cannotRunError{err}
	}
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".partial-*")
	if err != nil {
		return summary, cannotRunError{err}
	}
	counted := &countingWriter{to: file}
	if err = write(counted); err == nil {
		summary, err = verifyBackup(name, content, file)
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		err = errors.Join(err, removeIfThere(file.Name()))
		if counted.n == 0 {
			err = cannotRunError{err} // it had not begun
		}
		return snapshot.Summary{}, err
	}
	return summary, syncFolder(filepath.Dir(name))
}

// replaceable refuses a name that another file than a backup has.
func replaceable(name string) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is there already and is no file", name)
	}
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	ours := snapshot.Begins(file)
	if err := file.Close(); err != nil {
		return err
	}
	if !ours {
		return fmt.Errorf("%s is there already and is not a backup, so it is left alone", name)
	}
	return nil
}

// verifyBackup reads a file from its beginning to its end.
func verifyBackup(name string, content snapshot.Content, file io.ReadSeeker) (snapshot.Summary, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return snapshot.Summary{}, err
	}
	summary, err := snapshot.Verify(file)
	if err != nil {
		return summary, fmt.Errorf("%s was not written: what came is no whole backup: %w", name, err)
	}
	if summary.Content != content {
		return summary, fmt.Errorf("%s was not written: what came holds %q, and %q was asked for", name, summary.Content, content)
	}
	return summary, nil
}

func removeIfThere(name string) error {
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncFolder makes the name of a new file durable.
func syncFolder(name string) error {
	if runtime.GOOS == "windows" { // here a folder cannot be synced
		return nil
	}
	folder, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

type countingWriter struct {
	to io.Writer
	n  int64
}

func (w *countingWriter) Write(b []byte) (int, error) {
	n, err := w.to.Write(b)
	w.n += int64(n)
	return n, err
}
