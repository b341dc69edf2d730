package reader

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"microblogging/domain"
	"microblogging/storage/page"
	"microblogging/storage/schema"
)

// MaxDigest is the largest number of posts of one channel in a digest.
const MaxDigest = 200

// DigestQuery selects a page of a digest.
type DigestQuery struct {
	Day domain.Day
	// After is the Next of the page before. It is empty for the first page.
	After string
	// Limit is the largest number of posts on the page, 1 to 100.
	Limit int
}

// DigestPage is part of the digest of a day.
type DigestPage struct {
	Channels []DigestChannel
	// Next is the cursor of the next page. It is empty on the last page.
	Next string
}

// DigestChannel holds what was posted to one channel in a day, or a part of it.
type DigestChannel struct {
	Name domain.ChannelName
	// Items are the most popular first, and the newest first among equals.
	Items []domain.Blog
	// First is the rank of the first of Items among the posts of the day, from 1.
	First int
	// Total is the number of posts of the day. A digest lists at most MaxDigest of them.
	Total int
}

// Digest lists what was posted in a day to the channels that a user subscribes to, in
// the order of their keys. Channels without a post that day are left out. A channel
// that does not fit on a page continues on the next one. A cursor of another user, day
// or time zone is an InvalidError.
//
// A page takes memory for its own posts only, however many the day has. It reads the
// ratings of all posts of each channel until it is full, and then the posts that it
// holds, and verifies each channel that has a post, as Feed does. It starts at the channel, the
// rating and the post where the page before ended: posts that come and go in between make
// no other post come twice or be missed. A post whose rating changes in between can be
// missed or met twice.
func (s *Readers) Digest(ctx context.Context, user domain.UserName, q DigestQuery) (DigestPage, error) {
	list := "digest/" + schema.UserPartition(user) + "/" + q.Day.Date + "/" + q.Day.Zone
	builder := digestBuilder{limit: q.Limit}
	if q.After != "" {
		var err error
		if builder.after, err = decodeDigestCursor(list, q.After); err != nil {
			return DigestPage{}, err
		}
	}
	following, err := s.readSubscriptions(ctx, user)
	if err != nil {
		return DigestPage{}, err
	}
	err = s.eachSubscribed(ctx, following, builder.wants, func(ctx context.Context, subscription Row) error {
		ranked, err := s.rankDays(ctx, subscription.Channel, []domain.Day{q.Day}, MaxDigest)
		if err != nil || ranked[0].total == 0 {
			return err
		}
		channel, valid, err := s.RepairSubscription(ctx, subscription, user)
		if valid {
			builder.add(channel, ranked[0])
		}
		return err
	})
	if err != nil {
		return DigestPage{}, err
	}
	sections, next := builder.page()
	var digest DigestPage
	if next != nil {
		digest.Next = page.Encode(list, next.String())
	}
	digest.Channels, err = s.readSections(ctx, sections)
	return digest, err
}

// A digestPosition is where a page of a digest ends: at a post of a channel.
type digestPosition struct {
	key domain.ChannelKey
	pick
}

func (p digestPosition) String() string { return string(p.key) + "!" + schema.RateRow(p.rating, p.id) }

func decodeDigestCursor(list, cursor string) (p digestPosition, err error) {
	position, err := page.Decode(list, cursor)
	if err != nil {
		return p, err
	}
	key, row, _ := strings.Cut(position, "!")
	rating, id, ok := schema.ParseRateRow(row)
	if !ok {
		return p, domain.Invalid("after", "is not a continuation of this list")
	}
	return digestPosition{domain.ChannelKey(key), pick{id: id, rating: rating}}, nil
}

// A digestSection is what a page holds of one channel, before it is read.
type digestSection struct {
	channel      domain.Channel
	picks        []pick
	first, total int
}

// digestBuilder gathers the sections of a page. Channels come from several goroutines.
type digestBuilder struct {
	limit int
	after digestPosition

	mu       sync.Mutex
	sections []digestSection
	found    int
}

// wants tells whether the page may hold posts of a channel. Channels are started in the
// order of their keys: once those that were started fill the page and one post more,
// all that follow belong to later pages.
func (b *digestBuilder) wants(key domain.ChannelKey) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return key >= b.after.key && b.found <= b.limit
}

func (b *digestBuilder) add(channel domain.Channel, posted *ranking) {
	picks := posted.best()
	first := 0
	if channel.Key() == b.after.key {
		first = len(picks)
		if i := slices.IndexFunc(picks, b.after.before); i >= 0 {
			first = i
		}
	}
	if picks = picks[first:]; len(picks) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.found += len(picks)
	b.sections = append(b.sections, digestSection{channel, picks, first + 1, posted.total})
}

// page returns the sections of the page, and where the page ends if it is not the last.
func (b *digestBuilder) page() (sections []digestSection, next *digestPosition) {
	slices.SortFunc(b.sections, func(x, y digestSection) int { return cmp.Compare(x.channel.Key(), y.channel.Key()) })
	room := b.limit
	for i := range b.sections {
		if room == 0 {
			break
		}
		section := b.sections[i]
		section.picks = section.picks[:min(len(section.picks), room)]
		room -= len(section.picks)
		sections = append(sections, section)
	}
	if b.found > b.limit {
		last := sections[len(sections)-1]
		next = &digestPosition{last.channel.Key(), last.picks[len(last.picks)-1]}
	}
	return sections, next
}

// readSections reads the posts of a page. A post that was deleted since is left out.
func (s *Readers) readSections(ctx context.Context, sections []digestSection) ([]DigestChannel, error) {
	channels := make([]DigestChannel, len(sections))
	var picked []pickedPost
	var into []*domain.Blog
	for i, section := range sections {
		items := make([]domain.Blog, len(section.picks))
		channels[i] = DigestChannel{Name: section.channel.Name, Items: items, First: section.first, Total: section.total}
		for j, pick := range section.picks {
			picked, into = append(picked, pickedPost{section.channel.Ref(), pick}), append(into, &items[j])
		}
	}
	if err := s.readPicked(ctx, picked, func(i int, blog domain.Blog) { *into[i] = blog }); err != nil {
		return nil, err
	}
	for i := range channels {
		channels[i].Items = slices.DeleteFunc(channels[i].Items, func(blog domain.Blog) bool { return blog.ID == "" })
	}
	return slices.DeleteFunc(channels, func(channel DigestChannel) bool { return len(channel.Items) == 0 }), nil
}
