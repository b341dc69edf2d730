package feed

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Key tells an entry from all others.
type Key struct {
	// Source is that of the feed, or empty if the ID is that of no entry of another feed.
	Source string
	// ID is "id:" and the entry's own id, or "link:" and its link, or "hash:" and a hash of its content.
	// If the id or the link could be that of another entry, a hash of the content follows.
	ID string
}

// Sites move to https, and to or from www, and keep their entries.
var (
	siteStart     = regexp.MustCompile(`^(?i:https?://(?:www\.)?)`)
	otherScheme   = strings.NewReplacer("http://", "https://", "https://", "http://")
	withoutScheme = strings.NewReplacer("https://www.", "//", "https://", "//", "http://www.", "//", "http://", "//")
)

// sameSite returns an address without what changes while its site stays the same. Other ids stay as they are.
func sameSite(address string) string {
	if start := siteStart.FindString(address); start != "" {
		return "//" + strings.TrimSuffix(address[len(start):], "/")
	}
	return address
}

// isUnique reports whether an id says which site, or which name of a registry, it belongs to.
func isUnique(id string) bool {
	u := parseURL(id)
	return u != nil && (u.Scheme == "urn" || u.Scheme == "tag" || (u.Scheme == "http" || u.Scheme == "https") && u.Host != "")
}

// identify names an entry. The hash includes dates, because "Good morning" on two days is two posts.
func (e *Entry) identify(id, link string, dates []string) {
	switch id, link = strings.TrimSpace(id), strings.TrimSpace(link); {
	case id != "":
		e.name, e.Key.ID = "id:"+id, "id:"+sameSite(id)
	case link != "":
		e.name, e.Key.ID = "link:"+link, "link:"+sameSite(link)
	default:
		e.name, e.Key.ID = "hash:"+e.hash(dates, asItIs), "hash:"+e.hash(dates, ofAnySite)
	}
}

// setKeys sets the keys of entries that have their names and their links. The source of the feed was another one
// for earlier programs, and the site may have had another scheme for them.
//
// If an id was that of one entry, and later of two, the first gets another key and is imported again. The key that it
// had is not among its former ones, because it would be one of the second too, which would then never be imported.
func (f *Feed) setKeys(formerSource string) {
	names, ids := map[string]int{}, map[string]int{} // how many entries have one
	for _, e := range f.Entries {
		if e.LeftOut == "" {
			names[e.name]++
			ids[e.Key.ID]++
		}
	}
	titled := strings.HasPrefix(f.Source, "title:")
	seen := map[Key]bool{}
	for i := range f.Entries {
		e := &f.Entries[i]
		if e.LeftOut != "" {
			continue
		}
		kind, id, _ := strings.Cut(e.name, ":")
		unique := kind == "id" && isUnique(id)
		if !unique {
			e.Key.Source = f.Source
		}
		if ids[e.Key.ID] > 1 || titled && kind != "hash" && !unique {
			e.Key.ID += " " + e.hash(nil, ofAnySite)
		}
		if seen[e.Key] {
			e.LeftOut = Repeated
		}
		seen[e.Key] = true
		former := e.name
		if names[e.name] > 1 || titled && kind != "hash" {
			former += " " + e.hash(nil, asItIs)
		}
		for _, source := range []string{formerSource, otherScheme.Replace(formerSource)} {
			for _, id := range []string{former, otherScheme.Replace(former)} {
				if key := (Key{source, id}); key != e.Key && !slices.Contains(e.Former, key) {
					e.Former = append(e.Former, key)
				}
			}
		}
	}
}

// ofAnySite returns a part of an entry as it is in each of the places to which its site may move.
func ofAnySite(part string) string { return strings.TrimSuffix(withoutScheme.Replace(part), "/") }

// asItIs returns a part of an entry as earlier programs took it.
func asItIs(part string) string { return part }

// hash is of the whole content of an entry, uncut, with each part replaced.
func (e *Entry) hash(and []string, replaced func(part string) string) string {
	parts := slices.Concat([]string{e.Title, e.Summary, e.Content, e.Link}, and)
	for _, m := range e.Media {
		parts = append(parts, m.Address)
	}
	sum := sha256.New()
	for _, part := range parts {
		part = replaced(part)
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}
