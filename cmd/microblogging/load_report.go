package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"microblogging/cmd/microblogging/load"
)

// A loadReport is the file of a report, or nil if none is wanted. It is opened before the
// load begins. An earlier report in it stays as it is until this one is written.
type loadReport struct {
	file *os.File
	// fresh tells that the file was not there before, and written that it has a report.
	fresh, written bool
}

func openLoadReport(path string) (*loadReport, error) {
	if path == "" {
		return nil, nil
	}
	_, err := os.Stat(path)
	fresh := errors.Is(err, fs.ErrNotExist)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("--report: %w", err)
	}
	return &loadReport{file: file, fresh: fresh}, nil
}

func (r *loadReport) write(report load.Report) error {
	if r == nil {
		return nil
	}
	if info, err := r.file.Stat(); err == nil && info.Mode().IsRegular() {
		if err := r.file.Truncate(0); err != nil {
			return fmt.Errorf("--report: %w", err)
		}
	}
	r.written = true
	if err := load.WriteReport(r.file, report); err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	return nil
}

// close removes a file that got no report.
func (r *loadReport) close() error {
	if r == nil {
		return nil
	}
	err := r.file.Close()
	if r.fresh && !r.written {
		err = errors.Join(err, os.Remove(r.file.Name()))
	}
	return err
}
