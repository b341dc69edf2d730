package blog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
	"microblogging/storage/schema"
)

// A NewPost is a request to post. It may be sent again without making a second post.
type NewPost struct {
	Channel domain.Channel
	By      domain.UserName
	// Key is the idempotency key. A request with the same key by the same user to
	// the same incarnation makes no second post. It may be any text.
	Key string
	// Source, if it is not empty, owns the key instead of the user. An import sets
	// it, so that two users who import the same feed make each post once.
	Source string
	Draft  domain.Draft
	// CreatedOn dates the post. The zero time means now.
	CreatedOn time.Time
}

// A PostResult is what became of one request to post.
type PostResult struct {
	// Blog is the post. It is the zero Blog if Err is set.
	Blog domain.Blog
	// Made reports whether this call made the post. Otherwise, an earlier call with the same
	// key made it, and Blog is its present state.
	Made bool
	Err  error
}

const (
	// postRows is how many rows a post begins with: the post, its idempotency key, and
	// its place by rating.
	postRows = 3
	// MaxNewPosts is how many posts fit in one transaction, next to the gate and the row that
	// says who may post.
	MaxNewPosts = (driver.MaxOperations - 2) / postRows
)

// Create makes a post and returns it. It reports true if this call made the post. It
// reports false if an earlier call with the same key made it, and then returns that
// post in its present state.
//
//   - The channel is not there, or is being deleted: domain.ErrNotFound or ErrGone.
//   - Another incarnation has the name now: a *domain.ReplacedError.
//   - The user may not post there: domain.ErrOwnerPosts, ErrMembersPost, ErrBlocked or ErrAccountEnds,
//     each of which is an ErrForbidden.
//   - The key was used for another body: domain.ErrKeyReused.
//   - The post that the key made has been deleted since: domain.ErrPostGone.
func (s *Posts) Create(ctx context.Context, p NewPost) (domain.Blog, bool, error) {
	r := s.CreateAll(ctx, p.Channel, []NewPost{p})[0]
	return r.Blog, r.Made, r.Err
}

// CreateAll makes several posts of one user in one channel, MaxNewPosts in a transaction. It
// answers each request as Create does, as if they came one after the other: so of two with the same
// key, the first makes the post. What can be made is made, whatever becomes of the
// others. Posts without a date get later ones in their order. All are made in the given
// channel, whatever their Channel is. Before the first is made, all are put on their author's list.
func (s *Posts) CreateAll(ctx context.Context, in domain.Channel, posts []NewPost) []PostResult {
	attempts := newAttempts(in, posts)
	if len(attempts) > 0 {
		p := s.postPermit(in, attempts[0].By)
		p.list = func(ctx context.Context) error { return s.lists.ListPosts(ctx, p.by, blogsOf(attempts)...) }
		for open := attempts; len(open) > 0; open = unanswered(open) {
			s.postBatch(ctx, p, open)
		}
	}
	results := make([]PostResult, len(attempts))
	for i, a := range attempts {
		results[i] = *a.result
	}
	return results
}

// An attempt is one request of CreateAll, and the post that it makes. The post has the same
// id in every transaction that it is sent in, so that a self-conflict is recognised.
type attempt struct {
	NewPost
	blog domain.Blog
	// result is nil until the request is answered.
	result *PostResult
	// refused reports whether the post can never appear: another post has the key, or its author may not post.
	refused bool
}

func newAttempts(in domain.Channel, posts []NewPost) []*attempt {
	attempts := make([]*attempt, len(posts))
	var latest time.Time
	for i, p := range posts {
		p.Channel = in
		if p.CreatedOn.IsZero() {
			p.CreatedOn = domain.Now()
			if !p.CreatedOn.After(latest) {
				p.CreatedOn = latest.Add(domain.Tick)
			}
			latest = p.CreatedOn
		}
		attempts[i] = &attempt{NewPost: p, blog: p.newBlog()}
	}
	return attempts
}

func blogsOf(attempts []*attempt) []domain.Blog {
	blogs := make([]domain.Blog, len(attempts))
	for i, a := range attempts {
		blogs[i] = a.blog
	}
	return blogs
}

func datesOf(attempts []*attempt) []time.Time {
	dates := make([]time.Time, len(attempts))
	for i, a := range attempts {
		dates[i] = a.blog.CreatedOn
	}
	return dates
}

func unanswered(attempts []*attempt) []*attempt {
	var open []*attempt
	for _, a := range attempts {
		if a.result == nil {
			open = append(open, a)
		}
	}
	return open
}

// fail answers requests with an error.
func fail(attempts []*attempt, err error) {
	for _, a := range attempts {
		a.result = &PostResult{Err: err}
	}
}

// postBatch makes posts in one transaction, and answers at least one request. Before the transaction, it puts
// the channel on the index of active channels, for each hour of which a post is, unless this process has done so
// within the last minutes (active.go). So the index misses no post of the last year.
func (s *Posts) postBatch(ctx context.Context, p *permit, open []*attempt) {
	batch := eachKeyOnce(open)
	err := s.permitted(ctx, p, func(ctx context.Context) ([]driver.Operation, error) {
		err := s.activity.NoteActive(ctx, p.ref, datesOf(batch)...)
		return newRows(batch), err
	})
	switch {
	case err == nil:
		for _, a := range batch {
			a.result = &PostResult{Blog: a.blog, Made: true}
		}
	case errors.Is(err, domain.ErrForbidden):
		s.refuse(ctx, open, err)
		if p.listed {
			_ = s.lists.UnlistPosts(ctx, p.by, blogsOf(refusals(open))...) // what is left there does no harm
		}
	case errors.Is(err, fence.ErrGateGone), !p.admitted: // the other batches would fail too
		fail(open, postingFailed(p.ref.Key, err))
	case errors.Is(err, domain.ErrExists):
		// The store names one key that was used before, but there can be more, so the rows of all are
		// read. If none is there, a sweep has removed them, so the gate is gone.
		s.lookForEarlier(ctx, batch)
		_ = s.lists.UnlistPosts(ctx, p.by, blogsOf(refusals(batch))...) // what is left there does no harm
		if len(unanswered(batch)) == len(batch) {
			fail(batch, s.fence.WhyGateGone(ctx, p.ref))
		}
	case errors.Is(err, domain.ErrLimit) && len(batch) > 1:
		// One of them breaks a limit of the store, or all together do. The others go on.
		s.postBatch(ctx, p, batch[:len(batch)/2])
	default:
		fail(batch, postingFailed(p.ref.Key, err))
	}
}

// eachKeyOnce selects what goes into the next transaction: the first requests, and of
// several with one key only the first. The others have to see what became of it.
func eachKeyOnce(open []*attempt) []*attempt {
	batch := make([]*attempt, 0, MaxNewPosts)
	rows := make(map[string]bool, MaxNewPosts)
	for _, a := range open {
		if row := a.once(); !rows[row] && len(batch) < MaxNewPosts {
			rows[row] = true
			batch = append(batch, a)
		}
	}
	return batch
}

// newRows returns the operations that insert posts.
func newRows(batch []*attempt) []driver.Operation {
	operations := make([]driver.Operation, 0, postRows*len(batch))
	for _, a := range batch {
		incarnation := driver.String(schema.PropIncarnation, a.Channel.Incarnation)
		operations = append(operations,
			driver.Insert(a.once(),
				driver.String(schema.PropBlog, a.blog.ID),
				driver.String(schema.PropBody, a.bodyHash()),
				incarnation),
			driver.Insert(schema.BlogRow(a.blog.ID), encodeBlog(a.blog)...),
			driver.Insert(schema.RateRow(a.blog.Rating, a.blog.ID), incarnation))
	}
	return operations
}

// newBlog returns the post of a request that has a date, with a new id and a new revision.
func (p NewPost) newBlog() domain.Blog {
	on := domain.Storable(p.CreatedOn)
	return domain.Blog{
		Channel:   p.Channel.Ref(),
		ID:        domain.NewBlogID(on),
		Draft:     p.Draft,
		UserID:    p.By,
		Revision:  domain.NewRevision(),
		CreatedOn: on,
	}
}

// once returns the row key of the idempotency key.
func (p NewPost) once() string {
	if p.Source != "" {
		// A user name holds no space, so that no user owns this key.
		return schema.OnceRow("source "+p.Source, p.Key)
	}
	return schema.OnceRow(string(p.By), p.Key)
}

func (p NewPost) bodyHash() string { return schema.Hash(domain.Texts(p.Draft.Fields())...) }

func postingFailed(to domain.ChannelKey, err error) error {
	return fmt.Errorf("posting to channel %s: %w", to, err)
}

// refuse answers requests whose author may not post. If an earlier transaction has made the post of one, it is
// answered with that: the author could still post then.
func (s *Posts) refuse(ctx context.Context, open []*attempt, err error) {
	s.lookForEarlier(ctx, open)
	for _, a := range unanswered(open) {
		a.result, a.refused = &PostResult{Err: postingFailed(a.Channel.Key(), err)}, true
	}
}

// refusals are the attempts whose posts can never appear.
func refusals(attempts []*attempt) []*attempt {
	return slices.DeleteFunc(slices.Clone(attempts), func(a *attempt) bool { return !a.refused })
}

// lookForEarlier answers the requests whose keys were used.
func (s *Posts) lookForEarlier(ctx context.Context, batch []*attempt) {
	reads := make([]func(context.Context) error, len(batch))
	for i, a := range batch {
		reads[i] = func(ctx context.Context) error {
			a.result = s.earlierPost(ctx, a)
			return nil // each request has its own error
		}
	}
	_ = s.fence.Concurrently(ctx, reads...)
}

// Earlier answers each request as CreateAll does, except that it makes no post: it reports Made, without a post, if no
// earlier call made one.
func (s Steps) Earlier(ctx context.Context, in domain.Channel, posts []NewPost) []PostResult {
	attempts := newAttempts(in, posts)
	s.lookForEarlier(ctx, attempts)
	results := make([]PostResult, len(attempts))
	for i, a := range attempts {
		if results[i].Made = a.result == nil; a.result != nil {
			results[i] = *a.result
		}
	}
	return results
}

// earlierPost reads the post that the idempotency key made, or returns nil if the key was
// not used. If that is the post of this very call, an earlier transaction with it took
// effect and the reply was lost.
func (s *Posts) earlierPost(ctx context.Context, a *attempt) *PostResult {
	//lab: Look which post the key has made.
	once, err := s.blogs.Get(ctx, schema.ChannelPartition(a.Channel.Key()), a.once())
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return nil
	case err != nil:
		return &PostResult{Err: err}
	}
	id := domain.BlogID(once.Properties.String(schema.PropBlog))
	if id == a.blog.ID {
		return &PostResult{Blog: a.blog, Made: true}
	}
	a.refused = true
	if once.Properties.String(schema.PropBody) != a.bodyHash() {
		return &PostResult{Err: postingFailed(a.Channel.Key(), domain.ErrKeyReused)}
	}
	blog, err := s.Get(ctx, a.Channel.Ref(), id)
	if errors.Is(err, domain.ErrNotFound) {
		err = postingFailed(a.Channel.Key(), domain.ErrPostGone)
	}
	return &PostResult{Blog: blog, Err: err}
}
