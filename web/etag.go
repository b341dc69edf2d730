package web

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

const (
	headerETag        = "Etag" // as net/http spells it
	headerIfMatch     = "If-Match"
	headerIfNoneMatch = "If-None-Match"
)

// bodyTag is the entity tag of a body: a hash of it, the same in each process. It is weak,
// because the body may be sent compressed or not.
func bodyTag(body []byte) string {
	sum := sha256.Sum256(body)
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
}

// A basis is all that a page of a channel depends on, if it is not a sharedPage: two answers with one basis are the
// same page. So its hash is the page's entity tag, and a reader who has the page gets 304 before the page is
// rendered. Add what else a page shows here first: otherwise its readers go on seeing the former page.
type basis struct {
	// build is that of the program, which contains the templates and the static files.
	build string
	// address is the path and the query that were asked for.
	address string
	// page names the reader and the site. If it has a notice, it sets a cookie, and gets no tag.
	page templates.Page
	// version is that of the channel, its posts and their ratings, the number of its subscribers and its posting
	// rule. The form for a post takes its key from it. It does not cover own, which is read at another time.
	version storage.Version
	own     ownView
}

func (b basis) tag() string { return bodyTag(fmt.Appendf(nil, "%#v", b)) }

// has answers 304 if the reader has the page already. With --teach, a page ends in a list of its calls, so its tag is
// the hash of its body.
func (s *server) has(c echo.Context, page templates.Page, version storage.Version, own ownView) bool {
	page.Asset = nil // it follows from the build and from the site
	return !s.Teach && version != "" && tagged(c, basis{s.build, c.Request().RequestURI, page, version, own}.tag)
}

// build names the program by a hash of its file, because two programs of one version may differ. New calls it, before
// another file can take the path. If the file cannot be read, the name is of this process alone.
var build = sync.OnceValue(func() string {
	path, _ := os.Executable() // or nothing, which is no file
	hash := sha256.New()
	file, err := os.Open(path)
	if err == nil {
		defer file.Close()
		_, err = io.Copy(hash, file)
	}
	if err != nil {
		return rand.Text()
	}
	return base64.RawURLEncoding.EncodeToString(hash.Sum(nil))
})

// revisionOf returns the revision from the tag of a post. Edits compare only the
// revision, so that a vote in between makes no conflict. It is empty for a tag that
// belongs to no post.
func revisionOf(opaque string) domain.Revision {
	revision, _, found := strings.Cut(opaque, "-")
	if !found {
		return ""
	}
	return domain.Revision(revision)
}

// incarnationOf returns the incarnation from the tag of a channel, which may be that alone.
func incarnationOf(opaque string) domain.Incarnation {
	incarnation, _, _ := strings.Cut(opaque, "-")
	return domain.Incarnation(incarnation)
}

// ifMatch returns the precondition in a request's If-Match, and whether there is
// one. Without If-Match every version holds. Tags are compared strongly: a weak tag
// never holds (RFC 9110, section 13.1.1).
func ifMatch[V ~string](h http.Header, versionOf func(opaque string) V) (p domain.Precondition[V], made bool, err error) {
	values, made := h[headerIfMatch]
	if !made {
		return domain.Any[V](), false, nil
	}
	p, err = precondition(strings.Join(values, ","), versionOf)
	return p, true, err
}

// precondition parses the value of If-Match. Forms send it as a field.
func precondition[V ~string](value string, versionOf func(opaque string) V) (domain.Precondition[V], error) {
	tags, any, ok := parseETags(value)
	if !ok {
		return domain.Precondition[V]{}, refuse(http.StatusBadRequest, "Malformed If-Match",
			`If-Match is "*" or a list of entity tags in double quotes. Nothing was changed.`)
	}
	if any {
		return domain.Any[V](), nil
	}
	var versions []V
	for _, tag := range tags {
		if version := versionOf(tag.opaque); !tag.weak && version != "" {
			versions = append(versions, version)
		}
	}
	return domain.OneOf(versions...), nil
}

// notModified reports whether If-None-Match names the tag: then the client already
// has this version. Tags are compared weakly (RFC 9110, section 13.1.2). A malformed
// header is ignored.
func notModified(h http.Header, etag string) bool {
	values, given := h[headerIfNoneMatch]
	if !given {
		return false
	}
	strong := strings.TrimPrefix(etag, "W/")
	if len(values) == 1 && strings.TrimPrefix(values[0], "W/") == strong {
		return true // what nearly every client sends
	}
	tags, any, ok := parseETags(strings.Join(values, ","))
	if !ok || any {
		return ok
	}
	for _, tag := range tags {
		if `"`+tag.opaque+`"` == strong {
			return true
		}
	}
	return false
}

// entityTag is an entity tag without its quotes, and whether W/ stood before them.
type entityTag struct {
	opaque string
	weak   bool
}

// tagOfList is the next element of a list of entity tags, with what is before and after it.
var tagOfList = regexp.MustCompile(`^[ \t,]*(W/)?"([^"\x00- \x7f]*)"[ \t]*(?:,[ \t,]*|$)`)

// parseETags parses "*", which sets any, or a list of entity tags.
func parseETags(s string) (tags []entityTag, any, ok bool) {
	if strings.Trim(s, " \t") == "*" {
		return nil, true, true
	}
	for s != "" {
		found := tagOfList.FindStringSubmatch(s)
		if found == nil {
			return nil, false, false
		}
		tags = append(tags, entityTag{opaque: found[2], weak: found[1] != ""})
		s = s[len(found[0]):]
	}
	return tags, false, len(tags) > 0
}
