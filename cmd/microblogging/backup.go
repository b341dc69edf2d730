package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"

	"microblogging/storage/bolt"
)

// The file of a backup is packed by gzip, whose header says what it holds and of when it is,
// and whose checksum is its end. So a file that was cut off or altered is found, and gzip -d
// makes a store's file, or lines, of a backup.

// backupComment is the comment of the header.
const backupComment = "MicroBlogging backup: store"

// Why a file is refused.
var (
	errNoBackup = errors.New("it is not a backup")
	errCut      = errors.New("it is cut short")
	errAltered  = errors.New("it is damaged, or was altered")
)

// pack writes the file of a backup. If write fails, the file has no end; nothing is written
// before write writes.
func pack(to io.Writer, write func(io.Writer) error) error {
	packed, err := gzip.NewWriterLevel(to, gzip.BestSpeed)
	if err != nil {
		return err
	}
	packed.Comment, packed.ModTime = backupComment, time.Now()
	if err := write(packed); err != nil {
		return err
	}
	return packed.Close()
}

// unpack begins to read the file of a backup.
func unpack(file io.Reader) (*gzip.Reader, error) {
	packed, err := gzip.NewReader(file)
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || err == nil && packed.Comment != backupComment {
		err = errNoBackup
	}
	return packed, err
}

// whatIsWrong says it of an error of gzip.
func whatIsWrong(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errCut
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt): // after the end, too
		return errAltered
	}
	return err
}

// verify reads a file from its beginning to its end, and goes back to its beginning.
func verify(file io.ReadSeeker) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	packed, err := unpack(file)
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, packed); err != nil {
		return whatIsWrong(err)
	}
	_, err = file.Seek(0, io.SeekStart)
	return err
}

// An unreadError is about rows of a store that cannot be read, so that no backup is made.
type unreadError struct{ error }

// writeBackup writes the file of a backup. It writes under another name, reads what it has
// written, and gives it the name once it is whole and on the disk. So whoever finds a file
// of that name has a whole one, whatever was killed. A backup that had the name before is
// replaced at that moment. The name is taken from no other file.
func writeBackup(name string, write func(io.Writer) error) (size int64, err error) {
	if err := replaceable(name); err != nil {
		return 0, cannotRunError{err}
	}
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".partial-*")
	if err != nil {
		return 0, cannotRunError{err}
	}
	if err = write(file); err == nil {
		if err = verify(file); err != nil {
			err = fmt.Errorf("%s was not written: what came is no whole backup: %w", name, err)
		}
	}
	if err == nil {
		err = file.Sync()
	}
	info, unknown := file.Stat()
	if err = errors.Join(err, unknown, file.Close()); err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(file.Name()))
		if !errors.As(err, &unreadError{}) && unknown == nil && info.Size() == 0 {
			err = cannotRunError{err} // it had not begun
		}
		return 0, err
	}
	return info.Size(), bolt.SyncDir(filepath.Dir(name))
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
	_, ours := unpack(file)
	if err := file.Close(); err != nil {
		return err
	}
	if ours != nil {
		return fmt.Errorf("%s is there already and is not a backup, so it is left alone", name)
	}
	return nil
}
