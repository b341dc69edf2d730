package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/js"
)

// worth is how many bytes a compressed form must save: less would not be noticed.
const worth = 64

// pressed returns what is served of the sources, by name: each file as app.css, and as
// app.css.br and app.css.gz where those are shorter.
func pressed(sources fs.FS) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, pattern := range []string{"*.css", "*.js", "*.svg", "*.webmanifest", "*.txt"} {
		names, err := fs.Glob(sources, pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			written, err := fs.ReadFile(sources, name)
			if err != nil {
				return nil, err
			}
			forms, err := formsOf(name, written)
			if err != nil {
				return nil, err
			}
			maps.Copy(files, forms)
		}
	}
	return files, nil
}

// formsOf returns the forms of one file.
func formsOf(name string, written []byte) (map[string][]byte, error) {
	short, err := minified(name, written)
	if err != nil {
		return nil, err
	}
	forms := map[string][]byte{name: short}
	for extension, compress := range map[string]func(io.Writer) (io.WriteCloser, error){
		".br": func(w io.Writer) (io.WriteCloser, error) {
			return brotli.NewWriterLevel(w, brotli.BestCompression), nil
		},
		".gz": func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, gzip.BestCompression) },
	} {
		var compressed bytes.Buffer
		w, err := compress(&compressed)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(short); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		if compressed.Len()+worth <= len(short) {
			forms[name+extension] = compressed.Bytes()
		}
	}
	return forms, nil
}

// minified returns the content without comments and spaces.
func minified(name string, content []byte) ([]byte, error) {
	m := minify.New()
	m.AddFunc(".css", css.Minify)
	m.AddFunc(".js", js.Minify)
	short, err := m.Bytes(path.Ext(name), content)
	switch {
	case errors.Is(err, minify.ErrNotExist):
		return content, nil
	case err != nil:
		return nil, fmt.Errorf("minify %s: %w", name, err)
	}
	return short, nil
}
