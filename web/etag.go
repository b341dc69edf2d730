package web

import (
	"net/http"
	"strconv"
	"strings"

	"microblogging/domain"
)

const (
	headerETag        = "Etag" // as net/http spells it
	headerIfMatch     = "If-Match"
	headerIfNoneMatch = "If-None-Match"
)

// blogETag names what a reader sees of a post: its revision, and its rating,
// which a vote changes.
func blogETag(b domain.Blog) string {
	return `"` + string(b.Revision) + "-" + strconv.FormatInt(b.Rating, 10) + `"`
}

// channelETag names a life of a channel. It tells lives apart, not descriptions,
// and so is good for If-Match alone.
func channelETag(c domain.Channel) string { return `"` + string(c.Incarnation) + `"` }

// revisionOf is the part of a post's tag that edits compare: a vote in between
// is no reason to refuse one. A tag that is not of a post yields none.
func revisionOf(opaque string) domain.Revision {
	revision, _, found := strings.Cut(opaque, "-")
	if !found {
		return ""
	}
	return domain.Revision(revision)
}

func incarnationOf(opaque string) domain.Incarnation { return domain.Incarnation(opaque) }

// ifMatch is the precondition that a request makes of what it changes, and
// whether it makes one: without, any version will do. Tags are compared
// strongly, so that a weak one never holds (RFC 9110, section 13.1.1).
func ifMatch[V ~string](h http.Header, versionOf func(opaque string) V) (p domain.Precondition[V], made bool, err error) {
	values, made := h[headerIfMatch]
	if !made {
		return domain.Any[V](), false, nil
	}
	p, err = precondition(strings.Join(values, ","), versionOf)
	return p, true, err
}

// precondition reads the value of If-Match, which forms send as a field.
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

// notModified tells whether the client has what the tag names already. Tags are
// compared weakly; a header that cannot be read is as good as none.
func notModified(h http.Header, etag string) bool {
	values, given := h[headerIfNoneMatch]
	if !given {
		return false
	}
	tags, any, ok := parseETags(strings.Join(values, ","))
	if !ok || any {
		return ok
	}
	for _, tag := range tags {
		if `"`+tag.opaque+`"` == etag {
			return true
		}
	}
	return false
}

// entityTag is what stands between the quotes, and whether W/ stood before them.
type entityTag struct {
	opaque string
	weak   bool
}

// parseETags reads "*" or a list of entity tags.
func parseETags(s string) (tags []entityTag, any, ok bool) {
	if strings.Trim(s, " \t") == "*" {
		return nil, true, true
	}
	for {
		s = strings.TrimLeft(s, " \t,")
		if s == "" {
			return tags, false, len(tags) > 0
		}
		rest, weak := strings.CutPrefix(s, "W/")
		if !strings.HasPrefix(rest, `"`) {
			return nil, false, false
		}
		opaque, after, closed := strings.Cut(rest[1:], `"`)
		after = strings.TrimLeft(after, " \t")
		if !closed || strings.ContainsFunc(opaque, notInETag) || after != "" && after[0] != ',' {
			return nil, false, false
		}
		tags = append(tags, entityTag{opaque, weak})
		s = after
	}
}

func notInETag(r rune) bool { return r <= ' ' || r == 0x7f }
