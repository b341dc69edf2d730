package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/a-h/templ"

	"microblogging/coding"
)

const (
	htmlType = "text/html; charset=UTF-8"
	jsonType = "application/json"
	// freshness is how long a cache may use an answer without asking. A new release
	// shows after it.
	freshness = "public, max-age=60"
	// vary is what an answer depends on besides its address.
	vary = "Accept-Encoding"
)

// An answer is a whole response, which is the same for everyone.
type answer struct {
	mediaType string
	body      []byte
	etag      string
	// gzipped compresses the body when it is first asked for. It is nil for an answer that is
	// not sent.
	gzipped func() []byte
	// fleeting tells that another try may have another result, so it is not kept.
	fleeting bool
}

// in returns the body as the request accepts it, and whether that is compressed.
func (a answer) in(r *http.Request) (body []byte, compressed bool) {
	if coding.AcceptsGzip(r.Header) {
		if gzipped := a.gzipped(); gzipped != nil {
			return gzipped, true
		}
	}
	return a.body, false
}

// newAnswer makes an answer whose tag changes with its content and with the program. The tag
// is weak, so that it is the same in each coding.
func (l *Lab) newAnswer(mediaType string, body []byte) answer {
	hash := sha256.New()
	hash.Write([]byte(l.version + "\n"))
	hash.Write(body)
	return answer{
		mediaType: mediaType, body: body, gzipped: sync.OnceValue(func() []byte { return coding.GzipKept(body) }),
		etag: `W/"` + base64.RawURLEncoding.EncodeToString(hash.Sum(nil)[:12]) + `"`,
	}
}

// rendered makes an answer of a page.
func (l *Lab) rendered(content templ.Component) (answer, error) {
	var body bytes.Buffer
	if err := content.Render(context.Background(), &body); err != nil {
		return answer{}, err
	}
	return l.newAnswer(htmlType, bytes.Clone(body.Bytes())), nil
}

// encoded makes an answer of a value in JSON.
func (l *Lab) encoded(value any) (answer, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return answer{}, err
	}
	return l.newAnswer(jsonType, bytes.Clone(body.Bytes())), nil
}

// send sends the answer, or 304 if the client has it.
func (a answer) send(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Cache-Control", freshness)
	h.Set("ETag", a.etag)
	h.Set("Vary", vary)
	if known(r.Header.Values("If-None-Match"), a.etag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return a.write(w, r)
}

// sendOnce sends the answer for now. Nobody may keep it.
func (a answer) sendOnce(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", vary)
	return a.write(w, r)
}

func (a answer) write(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	body, compressed := a.in(r)
	if compressed {
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Type", a.mediaType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	_, err := w.Write(body)
	return err
}

// known reports whether If-None-Match names the tag. Our tags have no commas.
func known(values []string, etag string) bool {
	for tag := range strings.SplitSeq(strings.Join(values, ","), ",") {
		if tag = strings.TrimSpace(tag); tag == "*" || strings.TrimPrefix(tag, "W/") == strings.TrimPrefix(etag, "W/") {
			return true
		}
	}
	return false
}
