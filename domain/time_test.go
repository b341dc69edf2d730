package domain_test

import (
	"cmp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"microblogging/domain"
)

var (
	firstInstant = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	lastInstant  = time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
)

// instants are instants that a row key can hold, in any zone. They are often close
// to each other, to a full second, or to the first or last instant.
func instants() *rapid.Generator[time.Time] {
	seconds := rapid.OneOf(
		rapid.Int64Range(firstInstant.Unix(), lastInstant.Unix()),
		rapid.SampledFrom([]int64{firstInstant.Unix(), -1, 0, 1, lastInstant.Unix()}),
	)
	nanoseconds := rapid.OneOf(
		rapid.Int64Range(0, 999_999_999),
		rapid.SampledFrom([]int64{0, 1, 99, 100, 101, 999_999_899, 999_999_900, 999_999_999}),
	)
	return rapid.Custom(func(t *rapid.T) time.Time {
		zone := time.FixedZone("", rapid.IntRange(-14*3600, 14*3600).Draw(t, "zone"))
		return time.Unix(seconds.Draw(t, "s"), nanoseconds.Draw(t, "ns")).In(zone)
	})
}

func TestRecentFirst(t *testing.T) {
	t.Run("sorts in the reverse order of time", orderOfKeysIsTheReverseOfTime)
	t.Run("round-trips", keyOfAnInstantRoundTrips)
	t.Run("refuses what is no key of an instant", whatIsNoKeyOfAnInstantIsRefused)
}

func orderOfKeysIsTheReverseOfTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := instants().Draw(t, "a"), instants().Draw(t, "b")
		byKey := strings.Compare(domain.RecentFirst(b), domain.RecentFirst(a))
		if byTime := domain.Storable(a).Compare(domain.Storable(b)); byTime != byKey {
			t.Errorf("%s and %s compare as %d, their keys as %d", a, b, byTime, -byKey)
		}
		if byTicks := cmp.Compare(domain.TicksOf(a), domain.TicksOf(b)); byTicks != byKey {
			t.Errorf("%s and %s have ticks that compare as %d", a, b, byTicks)
		}
	})
}

func keyOfAnInstantRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := instants().Draw(t, "at")
		key := domain.RecentFirst(at)
		back, err := domain.ParseRecentFirst(key)
		if err != nil || back != domain.Storable(at) || domain.RecentFirst(back) != key {
			t.Errorf("%s became %s, and came back as %s, %v", at, key, back, err)
		}
		if age := at.Sub(back); age < 0 || age >= domain.Tick {
			t.Errorf("%s lost %s", at, age)
		}
		if again := domain.TimeOf(domain.TicksOf(at)); again != back {
			t.Errorf("%s came back from its ticks as %s", at, again)
		}
	})
}

func TestTime(t *testing.T) {
	t.Run("has the ticks of .NET", ticksAreThoseOfDotNet)
	t.Run("outside the years is refused", instantOutsideTheYearsIsRefused)
	t.Run("of now can be stored as it is", nowCanBeStoredAsItIs)
	t.Run("is recent within a while, on either side of now", recentOnEitherSide)
}

// The figures are those of DateTime.MaxValue.Ticks and of the Unix epoch in .NET.
func ticksAreThoseOfDotNet(t *testing.T) {
	for at, want := range map[time.Time]int64{
		firstInstant:                     0,
		lastInstant:                      3155378975999999999,
		time.Unix(0, 0):                  621355968000000000,
		time.Unix(0, 199):                621355968000000001,
		firstInstant.Add(-1):             -1,
		firstInstant.Add(-time.Second):   -10_000_000,
		lastInstant.Add(time.Nanosecond): 3155378976000000000,
	} {
		if got := domain.TicksOf(at); got != want {
			t.Errorf("%s has %d ticks, want %d", at, got, want)
		}
		if back := domain.TimeOf(want); back != domain.Storable(back) || domain.TicksOf(back) != want {
			t.Errorf("%d ticks are %s", want, back)
		}
	}
	if newest, oldest := domain.RecentFirst(lastInstant), domain.RecentFirst(firstInstant); newest != "0000000000000000000" || oldest != "3155378975999999999" {
		t.Errorf("the newest key is %s, the oldest %s", newest, oldest)
	}
}

func whatIsNoKeyOfAnInstantIsRefused(t *testing.T) {
	for _, digits := range []string{
		"", "0", "000000000000000000", "00000000000000000000", "3155378976000000000", "9999999999999999999",
		"-000000000000000001", "+000000000000000001", " 000000000000000001", "000000000000000000x", "0x00000000000000001",
		"0_00000000000000001", "٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠",
	} {
		if at, err := domain.ParseRecentFirst(digits); err == nil {
			t.Errorf("%q is read as %s", digits, at)
		}
	}
}

func instantOutsideTheYearsIsRefused(t *testing.T) {
	west, east := time.FixedZone("", -3600), time.FixedZone("", 3600)
	for at, want := range map[time.Time][2]bool{
		firstInstant:         {true, false},
		firstInstant.Add(-1): {false, false},
		lastInstant:          {true, true},
		lastInstant.Add(1):   {false, false},
		time.Date(1601, 1, 1, 0, 0, 0, 0, time.UTC):  {true, true},
		time.Date(1601, 1, 1, 0, 0, 0, -1, time.UTC): {true, false},
		time.Date(1, 1, 1, 0, 30, 0, 0, east):        {false, false},
		time.Date(9999, 12, 31, 23, 30, 0, 0, west):  {false, false},
		time.Date(10000, 1, 1, 0, 30, 0, 0, east):    {true, true},
	} {
		if got := domain.CheckTime("at", at) == nil; got != want[0] {
			t.Errorf("%s can be a key: %v", at, got)
		}
		if got := domain.CheckStored("at", at) == nil; got != want[1] {
			t.Errorf("%s can be stored: %v", at, got)
		}
	}
}

func recentOnEitherSide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for ago, want := range map[time.Duration]bool{
			0: true, time.Hour - 1: true, time.Hour: false, 1 - time.Hour: true, -time.Hour: false, -24 * time.Hour: false,
		} {
			if got := domain.Recent(time.Now().Add(-ago), time.Hour); got != want {
				t.Errorf("%s ago is recent: %v", ago, got)
			}
		}
		if domain.Recent(time.Time{}, 100*365*24*time.Hour) {
			t.Error("the zero time is recent")
		}
	})
}

func nowCanBeStoredAsItIs(t *testing.T) {
	now := domain.Now()
	if now != domain.TimeOf(domain.TicksOf(now)) {
		t.Errorf("%v is not what a row gives back", now)
	}
}
