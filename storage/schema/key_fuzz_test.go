package schema

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// FuzzKeys makes keys of any text that is accepted as a name, an id or an incarnation.
// Every backend must accept each key, and each key must be parsed back to what it was
// made of. A text that is not accepted is replaced, so that each text varies alone.
func FuzzKeys(f *testing.F) {
	token := string(domain.NewIncarnation())
	for _, name := range []string{"Engines", "Straße", strings.Repeat("և", 32), strings.Repeat("𐐀", 64), "a-b_c.d", "..", "\xff"} {
		f.Add(name, "ada_99", "0000000000000000000!"+token, token, int64(0), "any")
	}
	f.Add("x", strings.Repeat("z", 32), "3155378975999999999!"+strings.Repeat("A", 26), strings.Repeat("7", 26), int64(maxRating), "/\\#?'\x00")
	f.Add("x", "A/", "3155378976000000000!"+token, "gate!open!", int64(1), strings.Repeat("k", 2000))
	f.Add("x", "ab", "+155378975999999999!"+token, token+"!", int64(-1), "")
	f.Fuzz(func(t *testing.T, name, user, id, incarnation string, rating int64, text string) {
		ids := identities{
			by:     orElse(t, "user", user, domain.ParseUserName, "ada"),
			blog:   orElse(t, "id", id, domain.ParseBlogID, domain.NewBlogID(time.Unix(0, 0))),
			rating: min(max(rating, 0), maxRating),
			ref: domain.ChannelRef{
				Key:         orElse(t, "name", name, domain.ParseChannelName, "Engines").Key(),
				Incarnation: orElse(t, "incarnation", incarnation, domain.ParseIncarnation, domain.NewIncarnation()),
			},
		}
		ids.checkKeys(t, text)
		ids.checkInverses(t)
	})
}

// identities holds what keys are made of.
type identities struct {
	ref    domain.ChannelRef
	by     domain.UserName
	blog   domain.BlogID
	rating int64
}

// checkKeys makes every key from the identities and from a text, and checks that all
// backends accept it.
func (ids identities) checkKeys(t *testing.T, text string) {
	t.Helper()
	partitions := []string{ChannelPartition(ids.ref.Key), UserPartition(ids.by), SessionPartition(text), ThrottlePartition("user", text)}
	for _, partition := range partitions {
		if err := driver.CheckPartition(partition); err != nil {
			t.Errorf("partition %q: %v", partition, err)
		}
	}
	gates := []string{OpenGateRow(ids.ref.Incarnation), ReservedGateRow(ids.ref.Incarnation), ShutGateRow(ids.ref.Incarnation)}
	others := []string{BlogRow(ids.blog), OnceRow(text, text), RateRow(ids.rating, ids.blog), SubRow(ids.by), JoinRow(ids.by), VoteRow(ids.blog, ids.by),
		RefRow(ids.ref), DeletionRow(ids.ref.Incarnation), AddressRow(text), WroteRow(ids.blog)}
	for i, row := range append(gates, others...) {
		if err := driver.CheckKey("row", row); err != nil {
			t.Errorf("row %q: %v", row, err)
		}
		if IsGate(row) != (i < len(gates)) {
			t.Errorf("row %q: IsGate is wrong about it", row)
		}
	}
}

// checkInverses parses each row key and compares the result with what it was made of.
func (ids identities) checkInverses(t *testing.T) {
	t.Helper()
	if got := BlogIDOf(BlogRow(ids.blog)); got != ids.blog {
		t.Errorf("the row of post %q is parsed as that of %q", ids.blog, got)
	}
	if n, got, ok := ParseRateRow(RateRow(ids.rating, ids.blog)); n != ids.rating || got != ids.blog || !ok {
		t.Errorf("the index row of post %q, rated %d, is parsed as that of %q, rated %d, %v", ids.blog, ids.rating, got, n, ok)
	}
	if got, ok := SubscriberOf(SubRow(ids.by)); got != ids.by || !ok {
		t.Errorf("the row of subscriber %q is parsed as that of %q", ids.by, got)
	}
	if got, ok := SubscriberOf(JoinRow(ids.by)); got != ids.by || !ok {
		t.Errorf("the row of joiner %q is parsed as that of %q", ids.by, got)
	}
	if got := VotedOn(VoteRow(ids.blog, ids.by)); got != ids.blog {
		t.Errorf("a vote on post %q is parsed as one on %q", ids.blog, got)
	}
	if got := ParseRefRow(RefRow(ids.ref)); got != ids.ref {
		t.Errorf("the subscription row of %+v is parsed as that of %+v", ids.ref, got)
	}
}

// orElse returns the parsed text, or the substitute if the text is not accepted. What
// was parsed must be parsed to itself again.
func orElse[T ~string](t *testing.T, what, text string, parse func(string) (T, error), substitute T) T {
	t.Helper()
	parsed, err := parse(text)
	if err != nil {
		return substitute
	}
	if again, err := parse(string(parsed)); err != nil || again != parsed {
		t.Errorf("%s %q is parsed as %q, and that as %q, %v", what, text, parsed, again, err)
	}
	return parsed
}

// FuzzKeyOrder compares the keys of two posts: they must be in the order of time, newest
// first, and of rating, highest first. A range of time must hold exactly the posts of
// that time.
func FuzzKeyOrder(f *testing.F) {
	const last = 3155378975999999999
	for _, ticks := range [][4]int64{{0, 1, 0, 1}, {0, last, 0, last}, {last, last, last, last}, {last - 1, last, last, 0},
		{5, 9, 9, 10}, {9, 5, 4, 9}, {630822816000000000, 630822816000000001, 630822816000000000, 630822816000000001}} {
		f.Add(ticks[0], ticks[1], ticks[2], ticks[3], uint8(ticks[1]%100), uint8(0), uint64(ticks[0]), uint64(maxRating))
	}
	f.Add(int64(0), int64(1), int64(0), int64(1), uint8(0), uint8(0), uint64(9_000_000_000), uint64(8_000_000_000))
	f.Fuzz(func(t *testing.T, a, b, since, until int64, afterSince, afterUntil uint8, ratingA, ratingB uint64) {
		ticks := func(n int64) time.Time { return domain.TimeOf(int64(uint64(n) % (last + 1))) }
		older, newer := ticks(a), ticks(b)
		if older.After(newer) {
			older, newer = newer, older
		}
		was, is := domain.NewBlogID(older), domain.NewBlogID(newer)
		if digits, _, _ := strings.Cut(string(is), "!"); domain.RecentFirst(newer) != digits {
			t.Errorf("%q does not start with its time", is)
		} else if back, err := domain.ParseRecentFirst(digits); err != nil || !back.Equal(newer) {
			t.Errorf("%s has the digits %s, which say %s, %v", newer, digits, back, err)
		}
		byTime := cmp.Compare(BlogRow(was), BlogRow(is))
		if older.Before(newer) && byTime != 1 {
			t.Errorf("%q of %s sorts before %q of %s", was, older, is, newer)
		}
		ratingA, ratingB = ratingA%(maxRating+1), ratingB%(maxRating+1)
		want := cmp.Or(cmp.Compare(ratingB, ratingA), byTime)
		if got := cmp.Compare(RateRow(int64(ratingA), was), RateRow(int64(ratingB), is)); got != want {
			t.Errorf("rated %d and %d at %s and %s: in the order %d, want %d", ratingA, ratingB, older, newer, got, want)
		}
		checkRange(t, newer, is, ticks(since).Add(time.Duration(afterSince)%domain.Tick), ticks(until).Add(time.Duration(afterUntil)%domain.Tick))
	})
}

// checkRange checks whether the range of keys between two times holds a post exactly
// if it should.
func checkRange(t *testing.T, on time.Time, id domain.BlogID, since, until time.Time) {
	t.Helper()
	from, to := BlogRange(since, until)
	want := (since.IsZero() || !on.Before(since)) && (until.IsZero() || on.Before(until))
	if row := BlogRow(id); (row >= from && row < to) != want {
		t.Errorf("[%s, %s) is [%q, %q), and %q of %s: in it is %v, want %v", since, until, from, to, row, on, !want, want)
	}
	if err := driver.CheckKey("bound", from); err != nil {
		t.Error(err)
	}
}
