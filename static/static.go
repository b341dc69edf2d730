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
// them. A file is named by what it is for: app.css, app.js, favicon.svg. What is
// embedded is not what was written: command press leaves out comments and spaces, and
// compresses, and its results are committed in served/.
//
// # What survives failure
//
// A page from a new process may ask an old process for a file that only the new
// one has. The old process then sends its own file of that plain name, and forbids
// to cache it. The page is in an old style once, and correct at the next request.
package static

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"microblogging/coding"
)

//go:generate go run ./press

// text and images are the files as they are served: the style sheets, the scripts and the
// rest of the text, also compressed, and the icons.
var (
	//go:embed served
	text embed.FS
	//go:embed *.png *.ico
	images embed.FS
)

// Prefix is the start of the URLs of all assets.
const Prefix = "/static/"

// hashDigits is how many hex digits of the SHA-256 are in a URL: enough to tell the
// versions of a few files apart.
const hashDigits = 12

// codings are the content codings of files, the best first, by what their names end in.
var codings = []struct {
	extension string
	coding    coding.Coding
}{
	{".br", coding.Brotli},
	{".gz", coding.Gzip},
}

// Assets knows the embedded files and their hashes. It does not change, and is
// safe for concurrent use.
type Assets struct {
	byName map[string]asset
}

// An asset is a file in its forms: as it is, and in some content codings.
type asset struct {
	hash  string
	forms []form
}

type form struct {
	coding coding.Coding
	files  fs.FS
	path   string
	size   int64
}

// Embedded returns the assets of this program.
func Embedded() (*Assets, error) {
	served, err := fs.Sub(text, "served")
	if err != nil {
		return nil, err
	}
	return New(served, images)
}

// New hashes the files in the folders. A file whose name ends in .br or .gz is a form of the
// file of that name without it.
func New(folders ...fs.FS) (*Assets, error) {
	a := &Assets{byName: map[string]asset{}}
	for _, files := range folders {
		names, err := fs.Glob(files, "*.*")
		if err != nil {
			return nil, err
		}
		slices.Sort(names) // so that each file comes before its other forms
		for _, name := range names {
			if err := a.add(files, name); err != nil {
				return nil, fmt.Errorf("read asset %s: %w", name, err)
			}
		}
	}
	return a, nil
}

// add opens a file once, so that nothing but a read can fail later.
func (a *Assets) add(files fs.FS, path string) error {
	f := form{files: files, path: path}
	name := path
	for _, c := range codings {
		if plain, ok := strings.CutSuffix(path, c.extension); ok {
			name, f.coding = plain, c.coding
		}
	}
	content, err := f.open()
	if err != nil {
		return err
	}
	defer content.Close()
	file := a.byName[name]
	if f.coding == coding.Identity {
		hash := sha256.New()
		if f.size, err = io.Copy(hash, content); err != nil {
			return err
		}
		file.hash = hex.EncodeToString(hash.Sum(nil))[:hashDigits]
	} else {
		if f.size, err = content.Seek(0, io.SeekEnd); err != nil {
			return err
		}
	}
	file.forms = append(file.forms, f)
	a.byName[name] = file
	return nil
}

// open opens the file, which need not be copied to memory for that.
func (f form) open() (io.ReadSeekCloser, error) {
	file, err := f.files.Open(f.path)
	if err != nil {
		return nil, err
	}
	content, ok := file.(io.ReadSeekCloser)
	if !ok {
		return nil, fmt.Errorf("%T cannot seek", file)
	}
	return content, nil
}

// formFor returns the form that the client accepts best.
func (a asset) formFor(h http.Header) form {
	var offers []coding.Coding
	for _, c := range codings {
		if slices.ContainsFunc(a.forms, func(f form) bool { return f.coding == c.coding }) {
			offers = append(offers, c.coding)
		}
	}
	best := coding.AcceptedOf(h, offers...)
	return a.forms[slices.IndexFunc(a.forms, func(f form) bool { return f.coding == best })]
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
	form := file.formFor(r.Header)
	content, err := form.open()
	if err != nil {
		panic(err) // the file is in the program, and was opened at its start
	}
	defer content.Close()
	h, tag := w.Header(), file.hash
	h.Set("Cache-Control", cached)
	if len(file.forms) > 1 {
		h.Set("Vary", "Accept-Encoding")
	}
	if form.coding != coding.Identity {
		tag += "-" + string(form.coding)
		h.Set("Content-Encoding", string(form.coding))
		// ServeContent would leave it out. It is right: the content is encoded already.
		h.Set("Content-Length", strconv.FormatInt(form.size, 10))
	}
	h.Set("ETag", `"`+tag+`"`)
	if kind := contentType(path.Ext(name)); kind != "" {
		h.Set("Content-Type", kind)
	}
	// An embedded file has no time, so the ETag alone tells versions apart.
	http.ServeContent(w, r, name, time.Time{}, content)
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
