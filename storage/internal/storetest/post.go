package storetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// OnList returns the keys of the rows on an author's list.
func (w *World) OnList(by domain.UserName) (rows []string) {
	for _, row := range w.Rows("Users") {
		if row.Partition == string(by) && strings.HasPrefix(row.Row, "wrote!") {
			rows = append(rows, row.Row)
		}
	}
	return rows
}

// AnyRevision accepts every revision of a post.
var AnyRevision = domain.Any[domain.Revision]()

// Vote gives a post the votes that take it from one rating to another.
func (w *World) Vote(blog domain.Blog, from, to int64) {
	w.T.Helper()
	for n := from; n < to; n++ {
		w.OK(w.Store.Posts.Vote(w.T.Context(), blog.Channel, blog.ID, domain.UserName(fmt.Sprintf("voter%d", n))))
	}
}

// NewReply returns a request to reply whose idempotency key is its text.
func NewReply(to domain.Channel, post domain.BlogID, by domain.UserName, text string) storage.NewReply {
	return storage.NewReply{Channel: to, Post: post, By: by, Key: text, Text: text}
}

// Reply makes a reply, and fails the test if there is one with its key.
func (w *World) Reply(to domain.Channel, post domain.BlogID, by domain.UserName, text string) domain.Reply {
	w.T.Helper()
	reply, made, err := w.Store.Posts.Reply(w.T.Context(), NewReply(to, post, by, text))
	if w.OK(err); !made {
		w.T.Errorf("%q is not made", text)
	}
	return reply
}

// Fill makes as many rows of posts, an hour after one another, and returns their ids, newest first.
func (w *World) Fill(to domain.Channel, n int, base time.Time, text func(i int) string) (ids []domain.BlogID) {
	w.T.Helper()
	var rows []driver.Operation
	for i := range n {
		on := base.Add(time.Duration(i) * time.Hour)
		ids = append(ids, domain.NewBlogID(on))
		rows = append(rows, driver.Insert(schema.BlogRow(ids[i]), driver.Time(schema.PropCreatedOn, on),
			driver.String(schema.PropIncarnation, to.Incarnation), driver.String(schema.PropText, text(i))))
	}
	for some := range slices.Chunk(rows, driver.MaxOperations) {
		w.OK(driver.NewTable(w.DB, schema.TableBlogs).Transact(w.T.Context(), schema.ChannelPartition(to.Key()), some...))
	}
	slices.Reverse(ids)
	return ids
}

// Dated makes a post of this text with this date.
func (w *World) Dated(to domain.Channel, on time.Time, text string) domain.Blog {
	w.T.Helper()
	p := NewPost(to, Grace, text)
	p.CreatedOn = on
	blog, _, err := w.Store.Posts.Create(w.T.Context(), p)
	w.OK(err)
	return blog
}

// MustBeExact reads a list in pages while it changes, and fails the test unless each item that is there all
// the time is listed once, in order, and no item is listed that never was there. Change adds or removes an
// item, and there returns the present ones.
func MustBeExact(rt *rapid.T, change func(), there func() []string, read func(limit int, meanwhile func()) []string) {
	ever := map[string]bool{}
	step := func() {
		change()
		for _, item := range there() {
			ever[item] = true
		}
	}
	for range rapid.IntRange(0, 15).Draw(rt, "at first") {
		step()
	}
	stayed := slices.Clone(there())
	got := read(rapid.IntRange(1, 6).Draw(rt, "limit"), func() {
		for range rapid.IntRange(0, 3).Draw(rt, "meanwhile") {
			step()
			stayed = slices.DeleteFunc(stayed, func(item string) bool { return !slices.Contains(there(), item) })
		}
	})
	if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
		rt.Errorf("listed %q", got)
	}
	for _, item := range got {
		if !ever[item] {
			rt.Errorf("%s is listed and never was", item)
		}
	}
	for _, item := range stayed {
		if !slices.Contains(got, item) {
			rt.Errorf("%s was there all the time and is not in %q", item, got)
		}
	}
}

// NewPosts returns n requests to post by grace, whose texts are their keys.
func NewPosts(to domain.Channel, n int) []storage.NewPost {
	list := make([]storage.NewPost, n)
	for i := range list {
		list[i] = NewPost(to, Grace, Text(i))
	}
	return list
}

// PostAll posts on the sound side, and fails the test unless each makes its post.
func (w *World) PostAll(to domain.Channel, list []storage.NewPost) []domain.Blog {
	w.T.Helper()
	blogs := make([]domain.Blog, len(list))
	for i, r := range w.Store.Posts.CreateAll(w.T.Context(), to, list) {
		if r.Err != nil || !r.Made {
			w.T.Errorf("post %d: made %v, %v", i, r.Made, r.Err)
		}
		blogs[i] = r.Blog
	}
	return blogs
}

// Nothing does nothing between two pages of a list.
func Nothing() {}

// Pages reads a list to its end, in pages of at most limit items, and calls meanwhile between two of them.
func Pages[T any](w *World, limit int, meanwhile func(), read func(after string) (storage.Page[T], error)) (pages [][]T) {
	w.T.Helper()
	for after := ""; ; meanwhile() {
		page, err := read(after)
		w.OK(err)
		if pages = append(pages, page.Items); len(page.Items) > limit || len(pages) > 1000 {
			w.T.Fatalf("page %d has %d items, want %d at most", len(pages), len(page.Items), limit)
		}
		if after = page.Next; after == "" {
			return pages
		}
	}
}

// FullPages is Pages of a list of which each page but the last must be full. It returns all items.
func FullPages[T any](w *World, limit int, meanwhile func(), read func(after string) (storage.Page[T], error)) []T {
	w.T.Helper()
	pages := Pages(w, limit, meanwhile, read)
	for i, page := range pages[:len(pages)-1] {
		if len(page) != limit {
			w.T.Errorf("page %d has %d items, want %d", i+1, len(page), limit)
		}
	}
	return slices.Concat(pages...)
}

// IDs returns the ids of posts.
func IDs(blogs []domain.Blog) (ids []string) {
	for _, blog := range blogs {
		ids = append(ids, string(blog.ID))
	}
	return ids
}
