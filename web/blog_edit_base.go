package web

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"io"
	"net/url"
	"strings"

	"microblogging/domain"
)

// maxBase bounds what a base may be unpacked to: the longest title and text, in bytes.
const maxBase = (domain.MaxTitle + 1 + domain.MaxText) * 4

// packBase returns the version of a post from which a form is made, for the form to send
// along: the store keeps only the present version. It is packed, because a form with two
// long texts could exceed maxBody. If it still could, there is none.
func packBase(blog domain.Blog) string {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is constant
	}
	// A Buffer accepts every write. A title is one line.
	_, _ = io.WriteString(w, blog.Title+"\n"+blog.Text)
	_ = w.Close()
	packed := base64.RawURLEncoding.EncodeToString(b.Bytes())
	const others = 4 << 10 // the other fields of the form
	if len(url.QueryEscape(blog.Title+blog.Text))+len(packed)+others > maxBody {
		return ""
	}
	return packed
}

// unpackBase is the inverse of packBase. It reports false if s is not a base: a form can
// hold any text.
func unpackBase(s string) (domain.Draft, bool) {
	packed, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || s == "" {
		return domain.Draft{}, false
	}
	text, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxBase+1))
	if err != nil || len(text) > maxBase {
		return domain.Draft{}, false
	}
	title, body, ok := strings.Cut(string(text), "\n")
	if !ok {
		return domain.Draft{}, false
	}
	draft, err := domain.NewDraft(title, body)
	return draft, err == nil
}
