package web

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
)

// Quotas are how many bytes of text may be stored, about. 0 is no limit.
type Quotas struct {
	// AccountDay is for one account in 24 hours, AddressDay for all accounts of one client address in 24
	// hours, both in all processes together.
	AccountDay, AddressDay int64
	// Account is for the posts and replies that one account has in all.
	Account int64
}

// The names of the quotas, as an Observer is told them.
const (
	quotaAccountDay = "account-day"
	quotaAddressDay = "address-day"
	quotaAccount    = "account"
)

// QuotaNames are the names of the quotas.
func QuotaNames() []string { return []string{quotaAccountDay, quotaAddressDay, quotaAccount} }

const (
	// rowBytes is what a post or a channel counts besides its text: its rows and their keys take about as much.
	rowBytes = 1 << 10
	// quotaParts: each process may be wrong by a part of a quota. It asks the store only once it has counted
	// that much itself, so that most posts cost no call for it.
	quotaParts = 16
	// recountTime is how long a request counts posts. The next request goes on with what is left.
	recountTime = 2 * time.Second
	// recountEvery is how often posts are counted for an account that has reached its quota. The answer
	// names it.
	recountEvery = time.Minute
	// forgetPostsAfter is how long a process knows how much an account has, after its last post.
	forgetPostsAfter = 30 * 24 * time.Hour
)

// quotas hold what this process knows of the bytes that were stored. They are safe for concurrent use.
type quotas struct {
	accountDay, addressDay *dayQuota
	account                *postsQuota
}

func newQuotas(q Quotas, store *storage.Store) quotas {
	return quotas{
		accountDay: newDayQuota(q.AccountDay, func(ctx context.Context, user string, bytes int64) (int64, time.Time, error) {
			return store.Accounts.AddText(ctx, domain.UserName(user), bytes)
		}),
		addressDay: newDayQuota(q.AddressDay, store.Accounts.AddTextFrom),
		account:    newPostsQuota(q.Account),
	}
}

// takePost counts a post or an edit that is about to be stored, or refuses it. What the store refuses
// afterwards has been counted, and so has what is sent twice.
func (s *server) takePost(c echo.Context, v visitor, bytes int64) error {
	if err := s.hasRoom(c, v, bytes); err != nil {
		return err
	}
	return s.takeText(c, v, bytes)
}

// takeText is takePost for other texts than those of posts. Only the quotas of a day count them.
func (s *server) takeText(c echo.Context, v visitor, bytes int64) error {
	ctx := c.Request().Context()
	over, err := s.quotas.accountDay.take(ctx, string(v.User), bytes)
	if !over.IsZero() {
		return s.overDay(c, quotaAccountDay, s.Quotas.AccountDay, over, fmt.Sprintf("An account may store about %s of text in 24 hours on this site.", megabytes(s.Quotas.AccountDay)))
	}
	if err == nil {
		over, err = s.quotas.addressDay.take(ctx, string(s.admission.clientAddress(c.Request())), bytes)
	}
	if !over.IsZero() {
		return s.overDay(c, quotaAddressDay, s.Quotas.AddressDay, over, fmt.Sprintf("All accounts at your address together may store about %s of text in 24 hours on this site.", megabytes(s.Quotas.AddressDay)))
	}
	if err == nil && s.Observer != nil {
		s.Observer.Stored(bytes)
	}
	return err
}

// overDay refuses a text until a window ends.
func (s *server) overDay(c echo.Context, quota string, limit int64, end time.Time, why string) error {
	s.tellOverQuota(quota)
	wait, h := max(time.Until(end), time.Second), c.Response().Header()
	h.Add(headerRateLimitPolicy, fmt.Sprintf("%q;q=%d;w=%d;qu=%q", quota, limit, seconds(storage.TextWindow), "content-bytes"))
	h.Add(headerRateLimit, fmt.Sprintf("%q;r=0;t=%d", quota, seconds(wait)))
	return refuseFor(wait, http.StatusTooManyRequests, "Too much text for one day",
		why+" Nothing was saved. Send it again after "+end.Add(time.Minute).UTC().Format("15:04 UTC on 2 January 2006")+".")
}

func (s *server) tellOverQuota(quota string) {
	if s.Observer != nil {
		s.Observer.OverQuota(quota)
	}
}

// megabytes writes a limit that a flag has set.
func megabytes(bytes int64) string {
	if bytes < 1e6 {
		return fmt.Sprintf("%d bytes", bytes)
	}
	return fmt.Sprintf("%d MB", bytes/1e6)
}

// textBytes are the bytes of texts.
func textBytes(fields []domain.Field) (bytes int64) {
	for _, field := range fields {
		bytes += int64(len(*field.Text))
	}
	return bytes
}

// postBytes are what a post counts.
func postBytes(draft domain.Draft) int64 { return rowBytes + textBytes(draft.Fields()) }

// replyBytes are what a reply counts.
func replyBytes(text string) int64 { return rowBytes + int64(len(text)) }

// A dayQuota bounds how many bytes each account, or each address, may store in a window of 24 hours, in all
// processes together. The sums are in rows of the store. A process adds to a row once it has counted a part
// of the limit, and learns then what others have added. What it has not added when it ends is not counted.
// A nil dayQuota refuses nothing.
type dayQuota struct {
	limit int64
	add   func(ctx context.Context, who string, bytes int64) (sum int64, end time.Time, err error)
	sums  known[daySum]
}

// A daySum is what was stored in a window, as far as the process knows. A part of it is not in the row yet.
type daySum struct {
	sum, unadded int64
	end          time.Time
}

// over reports whether the window is over. One that ends later than any can was set by a clock that was wrong.
func (d *daySum) over() bool {
	left := time.Until(d.end)
	return left <= 0 || left > 2*storage.TextWindow
}

func newDayQuota(limit int64, add func(context.Context, string, int64) (int64, time.Time, error)) *dayQuota {
	if limit <= 0 {
		return nil
	}
	return &dayQuota{limit: limit, add: add, sums: newKnown(func() *daySum { return new(daySum) }, (*daySum).over)}
}

// take counts bytes that are about to be stored. If they are too many, it returns when the window ends.
func (q *dayQuota) take(ctx context.Context, who string, bytes int64) (over time.Time, err error) {
	if q == nil {
		return time.Time{}, nil
	}
	over, unadded := q.count(who, bytes)
	if unadded == 0 {
		return over, nil
	}
	sum, end, err := q.add(ctx, who, unadded)
	q.sums.Lock()
	defer q.sums.Unlock()
	d := q.sums.get(who)
	if err != nil {
		d.unadded += unadded
		return time.Time{}, err
	}
	d.sum, d.end = sum+d.unadded, end
	return time.Time{}, nil
}

// count counts bytes in memory, or returns when the window ends. It returns how many to add to the row.
func (q *dayQuota) count(who string, bytes int64) (over time.Time, unadded int64) {
	q.sums.Lock()
	defer q.sums.Unlock()
	d := q.sums.get(who)
	if d.over() {
		*d = daySum{end: time.Now().Add(storage.TextWindow)}
	}
	if d.sum+bytes > q.limit {
		return d.end, 0
	}
	d.sum, d.unadded = d.sum+bytes, d.unadded+bytes
	if d.unadded < q.limit/quotaParts {
		return time.Time{}, 0
	}
	unadded, d.unadded = d.unadded, 0
	return time.Time{}, unadded
}

// A postsQuota bounds how many bytes the posts of an account take. No row has their sum: the posts are what
// counts. A process counts them once it has stored a part of the limit for the account since the last time,
// and when the account has reached the limit, so that what was deleted makes room. A nil postsQuota refuses
// nothing.
type postsQuota struct {
	limit int64
	posts known[postsSum]
}

// A postsSum is what the posts of an account take, as far as the process knows.
type postsSum struct {
	// counted is what they took when they were counted, and stored what was stored since that began.
	counted, stored   int64
	countedOn, usedOn time.Time
	// counting reports whether a request counts them now, and count is how far an unfinished count has come.
	counting bool
	count    postsCount
}

// A postsCount is a count of an account's posts, the newest first, and then of its replies. It has found so many bytes, and goes
// on after one. It is unfinished if there is one.
type postsCount struct {
	found int64
	after string
	// replies reports whether it has counted the posts, and goes on with the replies.
	replies bool
	// before is what was stored before it began.
	before int64
}

func newPostsQuota(limit int64) *postsQuota {
	if limit <= 0 {
		return nil
	}
	return &postsQuota{limit: limit, posts: newKnown(
		func() *postsSum { return new(postsSum) },
		func(p *postsSum) bool { return !p.counting && time.Since(p.usedOn) > forgetPostsAfter })}
}

// hasRoom counts a post that is about to be stored, or refuses it if its author's posts leave no room.
func (s *server) hasRoom(c echo.Context, v visitor, bytes int64) error {
	q := s.quotas.account
	if q == nil {
		return nil
	}
	if p, count := q.begin(v.User, bytes); p != nil {
		err := s.costly(c, s.writing, func() (err error) {
			count, err = s.countPosts(c.Request().Context(), v.User, count)
			return err
		})
		q.end(p, count, err)
		if err != nil {
			return err
		}
	}
	switch full, counting := q.take(v.User, bytes); {
	case counting:
		return refuseFor(unavailableRetry, http.StatusServiceUnavailable, "Your posts are being counted",
			"They take about as much as those of an account may take on this site. Nothing was saved. Send it again in a few seconds.")
	case full:
		s.tellOverQuota(quotaAccount)
		return refuse(http.StatusUnprocessableEntity, "Too much text",
			fmt.Sprintf("The posts and replies of an account may take about %s on this site, and yours leave no room for this one. Nothing was saved. "+
				"Delete posts, replies or channels that you do not need, and send it again a minute later.", megabytes(q.limit)))
	}
	return nil
}

// begin returns what is known of a user's posts if the caller must count them, and how far that has come.
// Otherwise it returns nil.
func (q *postsQuota) begin(user domain.UserName, bytes int64) (*postsSum, postsCount) {
	q.posts.Lock()
	defer q.posts.Unlock()
	p := q.posts.get(string(user))
	p.usedOn = time.Now()
	full, unfinished := p.counted+p.stored+bytes > q.limit, p.count.after != ""
	switch {
	case p.counting, !full && p.stored+bytes < q.limit/quotaParts:
		return nil, postsCount{}
	case full && !unfinished && time.Since(p.countedOn) < recountEvery:
		return nil, postsCount{}
	case !unfinished:
		p.count = postsCount{before: p.stored}
	}
	p.counting = true
	return p, p.count
}

// countPosts goes on with a count of a user's posts, until it has counted all of them or more than is allowed,
// or has taken long.
func (s *server) countPosts(ctx context.Context, user domain.UserName, count postsCount) (postsCount, error) {
	for began := time.Now(); ; {
		bytes, next, err := s.countPage(ctx, user, count)
		if err != nil {
			return count, err
		}
		count.found, count.after = count.found+bytes, next
		switch {
		case count.found > s.quotas.account.limit:
			count.after = ""
			return count, nil
		case count.after == "" && !count.replies:
			count.replies = true
		case count.after == "", time.Since(began) > recountTime:
			return count, nil
		}
	}
}

// countPage returns how many bytes the next posts or replies of a count take, and where those after them begin.
func (s *server) countPage(ctx context.Context, user domain.UserName, count postsCount) (bytes int64, next string, err error) {
	if count.replies {
		replies, err := s.store.Feeds.RepliesBy(ctx, user, count.after, exportPage)
		for _, reply := range replies.Items {
			bytes += replyBytes(reply.Text)
		}
		return bytes, replies.Next, err
	}
	posts, err := s.store.Feeds.BlogsBy(ctx, user, count.after, exportPage)
	for _, post := range posts.Items {
		bytes += postBytes(post.Draft)
	}
	return bytes, posts.Next, err
}

// end keeps what a count has found. One that failed goes on from there.
func (q *postsQuota) end(p *postsSum, count postsCount, err error) {
	q.posts.Lock()
	defer q.posts.Unlock()
	p.counting, p.count = false, count
	if err == nil && count.after == "" {
		p.counted, p.stored, p.countedOn = count.found, p.stored-count.before, time.Now()
	}
}

// take counts bytes that are about to be stored, unless there is no room for them. It then reports true, and
// whether that may be wrong because the posts are being counted.
func (q *postsQuota) take(user domain.UserName, bytes int64) (full, counting bool) {
	q.posts.Lock()
	defer q.posts.Unlock()
	p := q.posts.get(string(user))
	if p.counted+p.stored+bytes <= q.limit {
		p.stored += bytes
		return false, false
	}
	return true, p.counting || p.count.after != ""
}
