// Package static serves the style sheet, the scripts and the icons. They are
// embedded in the binary.
//
// # The problem
//
// A browser should keep these files for a long time, and still use the new ones at
// once after a deployment. The page and its files may come from different
// processes, and from different versions of the program during the deployment.
//
// # The model
//
// The URL of a file holds a hash of its content, so a new content has a new URL,
// and browsers may keep the file for a year. [Assets] makes these URLs and serves
// them. A file is named by what it is for: app.css, app.js, favicon.svg.
//
// # What survives failure
//
// A page from a new process may ask an old process for a file that only the new
// one has. The old process then sends its own file of that plain name, and forbids
// to cache it. The page is in an old style once, and correct at the next request.
package static

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/js"
)

// Files has the assets by their plain names, as they were written: the style sheet,
// the icons, app.js for all pages, and a script for each thing that only some pages do.
//
//go:embed *.css *.js *.svg *.png *.ico *.webmanifest *.txt
var Files embed.FS

// Prefix is the start of the URLs of all assets.
const Prefix = "/static/"

// hashDigits is how many hex digits of the SHA-256 are in a URL: enough to tell the
// versions of a few files apart.
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

// New reads, minifies and hashes the files. It returns an error if a file cannot be
// read or parsed.
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
		if content, err = minified(name, content); err != nil {
			return nil, err
		}
		sum := sha256.Sum256(content)
		a.byName[name] = asset{content: content, hash: hex.EncodeToString(sum[:])[:hashDigits]}
	}
	return a, nil
}

// minified is the content without comments and spaces. Only style sheets and
// scripts have enough of them to matter.
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

// URL is the versioned path of a file, such as /static/app.0123456789ab.css. It is
// empty if there is no such file; tests of the pages would notice.
func (a *Assets) URL(name string) string {
	file, ok := a.byName[name]
	if !ok {
		return ""
	}
	extension := path.Ext(name)
	return Prefix + strings.TrimSuffix(name, extension) + "." + file.hash + extension
}

// ServeHTTP answers GET and HEAD for the paths that URL makes. It also serves a
// known file under another hash, but then a cache must not keep it.
func (a *Assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, hash := splitVersion(strings.TrimPrefix(r.URL.Path, Prefix))
	cached := "no-cache"
	if hash != "" && hash == a.byName[name].hash {
		cached = "public, max-age=31536000, immutable"
	}
	a.send(w, r, name, cached)
}

// ServeFile answers GET and HEAD with the file of a plain name, for an address that
// others have fixed, such as /favicon.ico. A cache may keep it for a day.
func (a *Assets) ServeFile(w http.ResponseWriter, r *http.Request, name string) {
	a.send(w, r, name, "public, max-age=86400")
}

func (a *Assets) send(w http.ResponseWriter, r *http.Request, name, cached string) {
	file, ok := a.byName[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", cached)
	h.Set("ETag", `"`+file.hash+`"`)
	if kind := contentType(path.Ext(name)); kind != "" {
		h.Set("Content-Type", kind)
	}
	// An embedded file has no time, so the ETag alone tells versions apart.
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(file.content))
}

// contentType is the type of files whose extension package mime does not know on every
// machine. For others it is empty.
func contentType(extension string) string {
	switch extension {
	case ".webmanifest":
		return "application/manifest+json"
	case ".ico":
		return "image/x-icon"
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	return ""
}

// splitVersion splits app.0123456789ab.css into app.css and the hash. The hash of a
// name without a version is empty.
func splitVersion(versioned string) (name, hash string) {
	extension := path.Ext(versioned)
	stem := strings.TrimSuffix(versioned, extension)
	dot := strings.LastIndexByte(stem, '.')
	if dot < 0 {
		return versioned, ""
	}
	return stem[:dot] + extension, stem[dot+1:]
}
