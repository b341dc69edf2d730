package feed

import (
	"strings"
	"time"

	"github.com/mmcdole/gofeed"

	"microblogging/domain"
)

// dateOf returns the time for Entry.Published, and whether the entry is misdated. It skips a
// date that no row key can hold.
func dateOf(item *gofeed.Item) (on time.Time, misdated bool) {
	terms := termDates(item)
	for _, date := range append([]*time.Time{item.PublishedParsed, item.UpdatedParsed}, parseTerms(terms)...) {
		if date != nil && domain.CheckStored("published", *date) == nil {
			return domain.Storable(*date), false
		}
	}
	return time.Time{}, item.Published != "" || item.Updated != "" || len(terms) > 0
}

// termDates returns the dates that an entry has in the vocabulary of Dublin Core's terms,
// which gofeed does not read.
func termDates(item *gofeed.Item) []string {
	var dates []string
	for _, name := range []string{"issued", "created", "date", "modified"} {
		for _, term := range item.Extensions["dcterms"][name] {
			dates = append(dates, term.Value)
		}
	}
	return dates
}

// parseTerms parses dates as https://www.w3.org/TR/NOTE-datetime has them.
func parseTerms(texts []string) []*time.Time {
	var dates []*time.Time
	for _, text := range texts {
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", time.DateOnly, "2006-01", "2006"} {
			if date, err := time.Parse(layout, strings.TrimSpace(text)); err == nil {
				dates = append(dates, &date)
			}
		}
	}
	return dates
}
