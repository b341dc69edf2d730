package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// What choosing a channel must know of its row.
const (
	channelsTable = "Channels"
	propName      = "Name"
	propOwner     = "Owner"
	propState     = "State"
)

// A queryForm is the question as somebody typed it. An empty field leaves the choice to
// the page.
type queryForm struct {
	Channel, User, Since string
	// problems says what is wrong, by the name of the field.
	problems map[string]string

	key   domain.ChannelKey
	user  domain.UserName
	since time.Time
}

// readQueryForm reads the form. Its since is never zero.
func readQueryForm(query url.Values, now time.Time) queryForm {
	f := queryForm{
		Channel:  strings.TrimSpace(query.Get("channel")),
		User:     strings.TrimPrefix(strings.TrimSpace(query.Get("user")), "@"),
		Since:    strings.TrimSpace(query.Get("since")),
		problems: map[string]string{},
	}
	if f.Channel != "" {
		name, err := domain.ParseChannelName(f.Channel)
		f.note("channel", err)
		f.key = name.Key()
	}
	if f.User != "" {
		var err error
		f.user, err = domain.ParseUserName(f.User)
		f.note("user", err)
	}
	f.since = lastMonday(now)
	if f.Since != "" {
		on, err := time.Parse(time.DateOnly, f.Since)
		if err != nil {
			err = domain.Invalid("since", "must be a date such as %s", f.since.Format(time.DateOnly))
		} else {
			err = domain.CheckStored("since", on)
		}
		f.note("since", err)
		f.since = on
	}
	return f
}

// note keeps what is wrong with a field.
func (f *queryForm) note(field string, err error) {
	var invalid *domain.InvalidError
	if errors.As(err, &invalid) {
		f.problems[field] = invalid.Fields[0].Detail
	}
}

// lastMonday returns the start of this week, in UTC. On a Monday it is the Monday before,
// so that there is a week to ask about.
func lastMonday(now time.Time) time.Time {
	year, month, day := now.UTC().Date()
	back := int(now.UTC().Weekday()) - int(time.Monday)
	if back <= 0 {
		back += 7
	}
	return time.Date(year, month, day-back, 0, 0, 0, 0, time.UTC)
}

// A chosen question is one that can be asked.
type chosen struct {
	question
	// name is the name of the channel as its owner writes it.
	name domain.ChannelName
	// read is how many rows were read to choose.
	read int
}

// Errors of choose.
var (
	errNoChannels  = errors.New("the store has no channel")
	errNoChannel   = fmt.Errorf("channel: %w", domain.ErrNotFound)
	errChannelGone = fmt.Errorf("channel: %w", domain.ErrGone)
)

// choose finds the channel, and chooses what the form leaves open: the newest channel, the
// user who posted most in it, and a day since when there are posts.
func (f *queryForm) choose(ctx context.Context, tables PresentTables) (chosen, error) {
	var c chosen
	row, err := f.chooseChannel(ctx, tables, &c)
	if err != nil {
		return c, err
	}
	c.name = domain.ChannelName(row.Properties.String(propName))
	c.since, c.user = f.since, f.user
	c.channel = domain.ChannelRef{
		Key: domain.ChannelKey(row.Partition), Incarnation: domain.Incarnation(row.Properties.String(propIncarnation)),
	}
	if c.user == "" {
		err = c.chooseUser(ctx, tables, f.Since == "")
	}
	if c.user == "" {
		c.user = domain.UserName(row.Properties.String(propOwner))
	}
	return c, err
}

func (f *queryForm) chooseChannel(ctx context.Context, tables PresentTables, c *chosen) (driver.Entity, error) {
	if f.key == "" {
		return newestChannel(ctx, tables, c)
	}
	c.read++
	row, err := tables.Get(ctx, channelsTable, string(f.key), "")
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return row, errNoChannel
	case err == nil && !isActive(row):
		return row, errChannelGone
	}
	return row, err
}

// newestChannel finds the newest channel of the first page of channels.
func newestChannel(ctx context.Context, tables PresentTables, c *chosen) (driver.Entity, error) {
	page, err := tables.Scan(ctx, channelsTable, driver.Scan{Paging: driver.Paging{
		Limit: driver.MaxPage, Select: []string{propName, propOwner, propState, propIncarnation, propCreatedOn},
	}})
	if err != nil {
		return driver.Entity{}, err
	}
	c.read += len(page.Rows)
	active := slices.DeleteFunc(page.Rows, func(row driver.Entity) bool { return !isActive(row) })
	if len(active) == 0 {
		return driver.Entity{}, errNoChannels
	}
	return slices.MaxFunc(active, func(a, b driver.Entity) int {
		return a.Properties.Time(propCreatedOn).Compare(b.Properties.Time(propCreatedOn))
	}), nil
}

func isActive(row driver.Entity) bool {
	return row.Properties.String(propState) == string(domain.ChannelActive)
}

// chooseUser finds who posted most since the instant, or, if nobody did, who posted most
// of the newest posts. One page is read of each. If anyDay is set and nobody posted since
// the instant, that becomes the start of the week before the newest post.
func (c *chosen) chooseUser(ctx context.Context, tables PresentTables, anyDay bool) error {
	from, to := c.keys()
	for _, end := range []string{to, afterPosts} {
		page, err := tables.Range(ctx, postsTable, driver.Range{
			Partition: string(c.channel.Key), From: from, To: end,
			Paging: driver.Paging{Limit: driver.MaxPage, Select: []string{propAuthor, propCreatedOn}},
		})
		if err != nil {
			return err
		}
		c.read += len(page.Rows)
		if end == afterPosts && anyDay && len(page.Rows) > 0 {
			c.since = lastMonday(page.Rows[0].Properties.Time(propCreatedOn))
			page.Rows = slices.DeleteFunc(page.Rows, func(row driver.Entity) bool {
				return row.Properties.Time(propCreatedOn).Before(c.since)
			})
		}
		if c.user = busiest(page.Rows); c.user != "" {
			return nil
		}
	}
	return nil
}

// busiest returns the author of most of the posts, or of as many as others and first in
// the alphabet. It is empty if there are no posts.
func busiest(posts []driver.Entity) domain.UserName {
	written := map[string]int{}
	for _, post := range posts {
		written[post.Properties.String(propAuthor)]++
	}
	authors := slices.Sorted(maps.Keys(written))
	if len(authors) == 0 {
		return ""
	}
	// Of equal ones MaxFunc returns the first.
	return domain.UserName(slices.MaxFunc(authors, func(a, b string) int { return cmp.Compare(written[a], written[b]) }))
}
