package templates

import (
	"context"
	"net/url"
	"time"

	"github.com/a-h/templ"

	"microblogging/domain"
	"microblogging/storage"
)

// DigestPath is the digest of a day.
const DigestPath = "/digest"

// DigestDayPath is the digest of one day in a time zone. An empty day means today,
// and an empty zone means UTC.
func DigestDayPath(day, zone string) string { return with(DigestPath, "day", day, "tz", zone) }

// DigestFeedPath is a user's personal feed, with the days of a time zone. Everybody
// who knows the secret can read it.
func DigestFeedPath(user domain.UserName, secret, zone string) string {
	return DigestPath + "/" + url.PathEscape(string(user)) + "/" + url.PathEscape(secret) + "/feed.atom?tz=" + url.QueryEscape(zone)
}

// A Digest is what was posted in one day to the channels that the reader
// subscribes to. A GET form to [DigestPath] with the fields day and tz chooses the
// day. Two more forms post there: action=make makes an address for the personal
// feed, and action=revoke takes it away. Both send day and tz, so that the same
// day is shown afterwards.
type Digest struct {
	Form
	// Day is written like 2026-11-20, and Zone like Europe/Berlin. If the form was
	// refused, they are what the reader typed, and the fields below are empty.
	Day, Zone string
	// Guess reports whether the reader has not chosen the zone yet. A script then chooses the zone of
	// the browser.
	Guess bool
	// Before and Later are the days before and after. Each is empty if there is none.
	Before, Later string
	// Channels are what this page holds of the day.
	Channels []DigestChannel
	// Most is the most posts of one channel that a digest lists.
	Most int
	Part

	// HasAddress reports whether the personal feed has an address.
	HasAddress bool
	// Address is the whole address. It is set only right after it was made, because
	// the store has only a hash of it.
	Address string
}

// path is the first page of the day.
func (v Digest) path() string { return DigestDayPath(v.Day, v.Zone) }

// A DigestChannel is what a page holds of the posts to one channel in a day.
type DigestChannel struct {
	Name domain.ChannelName
	// Posts are the most popular first.
	Posts []Post
	// First is the rank of the first of Posts among the posts of the day, from 1.
	First int
	// Total is how many posts the day had. It may be more than len(Posts).
	Total int
}

// part says which posts of the day these are. It is empty if they are all.
func (v DigestChannel) part() string {
	switch n := len(v.Posts); {
	case n >= v.Total:
		return ""
	case v.First > 1 && n == 1:
		return "Continued: post " + count(int64(v.First)) + " of " + count(int64(v.Total)) + "."
	case v.First > 1:
		return "Continued: posts " + count(int64(v.First)) + " to " + count(int64(v.First+n-1)) + " of " + count(int64(v.Total)) + "."
	default:
		return mostPopular(n, v.Total)
	}
}

func mostPopular(n, total int) string {
	of := " most popular of "
	if total == storage.MaxRanked {
		of += "the newest "
	}
	return "The " + count(int64(n)) + of + count(int64(total)) + " posts."
}

func (v Digest) frame(page Page) Frame {
	f := Frame{Title: v.title("Digest of " + dayText(v.Day)), Scripts: append(listScripts(page), "digest.js")}
	if v.Address != "" {
		f.Scripts = append(f.Scripts, "copy.js")
	}
	return f
}

// date is the day in words. The zone is the reader's once the reader has chosen one.
func (v Digest) date() string {
	if v.Guess || v.Zone == "UTC" {
		return dayText(v.Day) + ", UTC"
	}
	return dayText(v.Day) + ", your time"
}

func dayText(day string) string {
	date, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day // a refused form shows what was typed
	}
	return date.Format("Monday 2 January")
}

// A DigestEntry is the digest of a day in a feed. It lists posts by their headlines, and
// may list less than the page of the digest does.
type DigestEntry struct {
	// Origin, a scheme and a host, goes before each path.
	Origin string
	// URL is the page of the digest.
	URL string
	// Day is written like 2026-11-20.
	Day string
	storage.DigestSummary
}

// Headline is the title of the entry. It says how many posts there are.
func (v DigestEntry) Headline() string {
	return dayText(v.Day) + ": " + counted(v.Posts, "post") + " in " + counted(v.Channels, "channel")
}

// Content lists the posts as HTML.
func (v DigestEntry) Content() string {
	html, err := templ.ToGoHTML(context.Background(), digestContent(v))
	if err != nil {
		panic(err) // a buffer accepts every write, and nothing cancels the context
	}
	return string(html)
}

// unlisted counts the channels of which the entry lists nothing.
func (v DigestEntry) unlisted() int { return v.Channels - len(v.Listed) }

// credit says who wrote a post and how many people vote for it.
func credit(p domain.Blog) string {
	if p.Rating > 0 {
		return string(p.UserID) + ", " + counted(p.Rating, "vote")
	}
	return string(p.UserID)
}
