package feed

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// A marking is how a property says that an entry is public.
type marking int

const (
	noMarker marking = iota
	// choice says so with a value of publicValues, as a visibility does.
	choice
	// denial says so with a no, as draft does.
	denial
	// consent says so with a value of publicValues or a date, as published does.
	consent
	// date says so with all but a no, because a date that cannot be read is still a date.
	date
	// secret says so with a no, or with nothing, as a password does.
	secret
)

var (
	publicValues = strings.Fields("publish published public publicly live active visible unlisted everyone anyone anybody all world open free true yes 1 on posted approved")
	noValues     = strings.Fields("no false 0 null off none never")
	// ofOthers are words of properties that say something about another thing than the entry.
	ofOthers  = strings.Fields("comment comments ping pings trackback trackbacks reply replies")
	negations = strings.Fields("not non un")
	// fillers may follow the word that names a marker.
	fillers = strings.Fields("at on level type flag value mode setting settings post entry item")
)

// markers are the words that name markers. A marker's name ends with one of them.
var markers = map[string]marking{
	"status": choice, "state": choice, "visibility": choice, "privacy": choice, "security": choice, "access": choice,
	"audience": choice,
	"draft":    denial, "private": denial, "unpublished": denial, "nonpublic": denial, "hidden": denial, "secret": denial,
	"protected": denial, "confidential": denial, "restricted": denial, "trash": denial, "trashed": denial, "deleted": denial,
	"removed": denial, "spam": denial, "scheduled": denial, "pending": denial, "embargo": denial, "embargoed": denial,
	"paid": denial, "premium": denial, "paywalled": denial, "emailonly": denial, "friendsonly": denial, "followersonly": denial,
	"membersonly": denial, "memberonly": denial, "patronsonly": denial, "subscribersonly": denial, "subscriberonly": denial,
	"published": consent, "publish": consent, "public": consent, "visible": consent,
	"password": secret, "passcode": secret, "passphrase": secret,
}

// humpPattern finds where a word begins in a name like isDraft.
var humpPattern = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)

// markerOf returns how a property with a name says that an entry is public.
func markerOf(name string) marking {
	split := wordsOf(name)
	for len(split) > 1 && slices.Contains(fillers, split[len(split)-1]) {
		split = split[:len(split)-1]
	}
	if len(split) == 0 {
		return noMarker
	}
	last := split[len(split)-1]
	before := strings.Join(split[max(0, len(split)-2):len(split)-1], "")
	m := cmp.Or(markers[last], markers[strings.TrimPrefix(last, "is")], markers[strings.TrimPrefix(last, "post")], markers[before+last]) // isdraft, poststatus, members-only
	switch {
	case m == consent && slices.Contains(split, "date"):
		return date
	case m == consent && slices.ContainsFunc(split, func(word string) bool { return slices.Contains(negations, word) }):
		return denial
	}
	return m
}

// isOfOthers reports whether a property says something about another thing than the entry.
func isOfOthers(name string) bool {
	return slices.ContainsFunc(wordsOf(name), func(word string) bool { return slices.Contains(ofOthers, word) })
}

// wordsOf splits a name into words, which begin with capitals or have other characters between them.
func wordsOf(name string) []string {
	lower := strings.ToLower(name)
	if lower != name {
		lower = strings.ToLower(humpPattern.ReplaceAllString(name, "$1 $2"))
	}
	return strings.FieldsFunc(lower, func(r rune) bool { return !unicode.IsLetter(r) })
}

// isPublic reports whether a value is known to say that an entry is public.
func (m marking) isPublic(value string) bool {
	switch m {
	case choice:
		return value == "" || value == "null" || slices.Contains(publicValues, value)
	case denial:
		return slices.Contains(noValues, value)
	case consent:
		return value == "" || slices.Contains(publicValues, value) || strings.ContainsAny(value, "123456789")
	case date:
		return value == "null" || !slices.Contains(noValues, value)
	case secret:
		return value == "" || slices.Contains(noValues, value)
	}
	return true
}

// judge leaves an entry out if a property of it says that it is not a post, or does not say in a known way that
// it is public.
func (e *Entry) judge(property, value string) {
	value = strings.ToLower(strings.TrimSpace(value))
	switch strings.ToLower(property) {
	case "post_type", "blogger:type":
		if value != "" && value != "post" {
			e.LeftOut = NotPosts
		}
	default:
		if e.LeftOut == "" && !markerOf(property).isPublic(value) && !isOfOthers(property) {
			e.LeftOut = NotPublished
		}
	}
}
