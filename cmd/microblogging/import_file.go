package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"microblogging/cmd/microblogging/feed"
)

// maxImportFile bounds the bytes of a file, because a feed is read whole.
const maxImportFile = 64 << 20

// An importFile is a feed that was read. Its Source is never empty.
type importFile struct {
	name string
	feed.Feed
}

// readImportFile reads a file, which may be a pipe. A file that is not a feed is an error.
func readImportFile(name string) (importFile, error) {
	file, err := os.Open(name)
	if err != nil {
		return importFile{}, cannotRunError{err}
	}
	document, err := io.ReadAll(io.LimitReader(file, maxImportFile+1))
	if err = errors.Join(err, file.Close()); err != nil {
		return importFile{}, cannotRunError{err}
	}
	if len(document) > maxImportFile {
		return importFile{}, cannotRunError{fmt.Errorf("%s is larger than %d MiB, which is too large for a feed", name, maxImportFile>>20)}
	}
	read, err := feed.Parse(document)
	if err != nil {
		return importFile{}, fmt.Errorf("%s: %w", name, err)
	}
	if read.Source == "" { // it says nothing about itself
		read.Source = "name:" + filepath.Base(name)
	}
	return importFile{name, read}, nil
}
