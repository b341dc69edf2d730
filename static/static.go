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
// them. A file is named by what it is for: app.css, app.js, favicon.svg. It is served
// as it was written, and its text is compressed once, at the start.
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
	"fmt"
	"io/fs"
	"maps"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"microblogging/coding"
)

//go:embed *.css *.js *.svg *.webmanifest *.txt *.png *.ico
var files embed.FS

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

// An asset is a file. Its text is also there compressed, by gzip.
type asset struct {
	hash    string
	content []byte
	gzipped []byte
}

// Embedded hashes and compresses the files of this program.
func Embedded() (*Assets, error) {
	a := &Assets{byName: map[string]asset{}}
	names, err := fs.Glob(files, "*.*")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		content, err := files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read asset %s: %w", name, err)
		}
		a.byName[name] = newAsset(name, content)
	}
	return a, nil
}

func newAsset(name string, content []byte) asset {
	sum := sha256.Sum256(content)
	file := asset{hash: hex.EncodeToString(sum[:])[:hashDigits], content: content}
	if !strings.HasSuffix(name, ".png") { // which is compressed: gzip saves a few bytes at most
		file.gzipped = coding.GzipKept(content)
	}
	return file
}

// Content is the content of a file, or nil if there is no such file. Do not change it.
func (a *Assets) Content(name string) []byte { return a.byName[name].content }

// With returns the same files but for one, which has another content.
func (a *Assets) With(name string, content []byte) *Assets {
	with := &Assets{byName: maps.Clone(a.byName)}
	with.byName[name] = newAsset(name, content)
	return with
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

// Has reports whether ServeHTTP has a file for this path.
func (a *Assets) Has(path string) bool {
	name, _ := splitVersion(strings.TrimPrefix(path, Prefix))
	_, ok := a.byName[name]
	return ok
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
	content, h, tag := file.content, w.Header(), file.hash
	h.Set("Cache-Control", cached)
	if file.gzipped != nil {
		h.Set("Vary", "Accept-Encoding")
		if coding.AcceptsGzip(r) {
			content = file.gzipped
			tag += "-gzip"
			h.Set("Content-Encoding", "gzip")
			// ServeContent would leave it out. It is right: the content is encoded already.
			h.Set("Content-Length", strconv.Itoa(len(content)))
		}
	}
	h.Set("ETag", `"`+tag+`"`)
	h.Set("Content-Type", contentType(name))
	// An embedded file has no time, so the ETag alone tells versions apart.
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}

// contentType is the type of a file. Package mime does not know all of them on every
// machine.
func contentType(name string) string {
	switch extension := path.Ext(name); extension {
	case ".webmanifest":
		return "application/manifest+json"
	case ".ico":
		return "image/x-icon"
	default:
		return mime.TypeByExtension(extension)
	}
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
