package blog_test

import (
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const ada, grace, eve = storetest.Ada, storetest.Grace, storetest.Eve

// A world is that of all packages, with what the tests of this one do.
type world struct{ *storetest.World }

func newWorld(t *testing.T) *world { return &world{storetest.New(t)} }

var (
	bubble   = storetest.BubbleOf[world]
	eachCall = storetest.EachCallOf[world]
)

// edit replaces a post's text in its author's name.
func (w *world) edit(blog domain.Blog, text string) domain.Blog {
	w.T.Helper()
	edited, err := w.editBy(w.Store, blog, domain.OneOf(blog.Revision), text)
	w.OK(err)
	return edited
}

// editBy replaces a post's text in its author's name, if the post has an expected revision.
func (w *world) editBy(s *storage.Parts, blog domain.Blog, expected domain.Precondition[domain.Revision], text string) (domain.Blog, error) {
	channel, err := w.Store.Operator.ReadIncarnation(w.T.Context(), blog.Channel)
	w.OK(err)
	return s.Posts.Update(w.T.Context(), channel.Channel, blog.ID, blog.UserID, expected, domain.Draft{Text: text})
}

// listed reads all pages of a list of posts. It calls meanwhile between two pages.
func (w *world) listed(ref domain.ChannelRef, q storage.BlogQuery, meanwhile func()) []domain.Blog {
	w.T.Helper()
	return storetest.FullPages(w.World, q.Limit, meanwhile, func(after string) (storage.Page[domain.Blog], error) {
		q.After = after
		return w.Store.Posts.List(w.T.Context(), ref, q)
	})
}

// transacts matches the transactions on the Blogs table.
func transacts(call drivertest.Call) bool { return call.Method == "Transact" && call.Target == "Blogs" }
