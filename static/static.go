// Package static serves the style sheet, the script and the icon, which are
// embedded in the binary.
//
// A browser may keep a file for a year, because its URL holds a hash of its
// content: another content has another URL. While a new version is rolled out,
// a page from a new process may ask an old process for a file that only the new
// one has. It is then given the old process's file, for that once: a cache must
// not keep it under a name that is not its own.
package static

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// Files are the assets, by their plain names: app.css, app.js and favicon.svg.
//
//go:embed app.css app.js favicon.svg
var Files embed.FS

// Prefix is the path that all URLs of assets start with.
const Prefix = "/static/"

// hashDigits of a SHA-256 tell the versions of a handful of files apart.
const hashDigits = 12

// Assets knows the embedded files and their hashes. It does not change, and is
// safe for concurrent use.
type Assets struct {
	byName map[string]asset
}

type asset struct {
	content []byte
	hash    string
}

// New reads the files and hashes them.
func New(files fs.FS) (*Assets, error) {
	names, err := fs.Glob(files, "*")
	if err != nil {
		return nil, err
	}
	a := &Assets{byName: make(map[string]asset, len(names))}
	for _, name := range names {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read asset: %w", err)
		}
		sum := sha256.Sum256(content)
		a.byName[name] = asset{content: content, hash: hex.EncodeToString(sum[:])[:hashDigits]}
	}
	return a, nil
}

// URL is the versioned path of a file: /static/app.0123456789ab.css. It is
// empty if there is no such file, which a test of the pages would see.
func (a *Assets) URL(name string) string {
	file, ok := a.byName[name]
	if !ok {
		return ""
	}
	extension := path.Ext(name)
	return Prefix + strings.TrimSuffix(name, extension) + "." + file.hash + extension
}

// ServeHTTP answers GET and HEAD for what URL makes. A known file under the hash
// of another version is served too, but not to be cached.
func (a *Assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, hash := splitVersion(strings.TrimPrefix(r.URL.Path, Prefix))
	file, ok := a.byName[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "no-cache")
	if hash == file.hash {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	w.Header().Set("ETag", `"`+file.hash+`"`)
	// The time is left out: an embedded file has none, and the ETag says more.
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(file.content))
}

// splitVersion takes app.0123456789ab.css apart into app.css and the hash. A
// name without a version has an empty hash.
func splitVersion(versioned string) (name, hash string) {
	extension := path.Ext(versioned)
	stem := strings.TrimSuffix(versioned, extension)
	dot := strings.LastIndexByte(stem, '.')
	if dot < 0 {
		return versioned, ""
	}
	return stem[:dot] + extension, stem[dot+1:]
}
