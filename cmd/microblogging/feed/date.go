package feed

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"microblogging/domain"
)

// setDate dates an entry with the first text that is a date which a row key can hold.
func (e *Entry) setDate(texts ...string) {
	for _, text := range texts {
		on, zoned, ok := parseDate(text)
		if ok && domain.CheckStored("published", on) == nil {
			e.Published, e.Misdated, e.Zoneless = domain.Storable(on), false, !zoned
			return
		}
		e.Misdated = e.Misdated || text != ""
	}
}

// layouts are those that the patterns below do not find, after the most frequent ones.
var layouts = []string{time.RFC1123Z, "Mon, 02 Jan 2006 15:04:05 GMT", time.RFC3339, "20060102T150405Z0700", "20060102T1504Z0700", "2006-002T15:04:05Z07:00",
	"20060102T150405", "20060102T1504", "20060102150405", "20060102", "2006-002T15:04:05", "2006-002"}

var (
	unixPattern    = regexp.MustCompile(`^\d{9,10}(\d{3})?$`)
	commentPattern = regexp.MustCompile(`\([^()]*\)`)
	colonPattern   = regexp.MustCompile(`\s*:\s*`)
	clockPattern   = regexp.MustCompile(`(?:^|\D)(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,](\d+))?)?`)
	halfPattern    = regexp.MustCompile(`(?i)^\s*([ap])\.?m\b\.?`)
	zonePattern    = regexp.MustCompile(`^\s*:?(?:GMT|UTC?)?\s?(?:-?([-+])\s?(\d{1,2}):?(\d\d)?(?::\d\d)?\b|(\d\d):(\d\d)$|([A-Za-z]{1,4})\b)|\s([-+])(\d\d):?(\d\d)$`)
	wordPattern    = regexp.MustCompile(`\pL+`)
	numberPattern  = regexp.MustCompile(`\d+`)
)

// zones are the offsets of time zones in hours.
var zones = map[string]float64{
	"Z": 0, "UT": 0, "GMT": 0, "UTC": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "MEZ": 1, "CEST": 2, "MESZ": 2, "EET": 2, "EEST": 3, "MSK": 3,
	"IST": 5.5, "JST": 9, "KST": 9, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13, "AST": -4, "ADT": -3, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5,
	"MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10,
}

// months are how their names begin, in the languages of which feeds have dates against the standards.
var months = [][]string{1: {"jan", "ene", "gen"}, {"feb", "fev", "fév"}, {"mar", "mär", "mrt"}, {"apr", "avr", "abr"}, {"may", "mai", "mei", "maj", "mag"},
	{"jun", "juin", "giu"}, {"jul", "juil", "lug"}, {"aug", "aoû", "aou", "ago"}, {"sep", "set"}, {"oct", "okt", "out", "ott"}, {"nov"}, {"dec", "dez", "dic", "déc"}}

// parseDate reads dates of RFC 5322 and ISO 8601, and what feeds write in their place. It reports
// whether the text has a time zone that is known; if not, the time is in UTC.
func parseDate(text string) (on time.Time, zoned, ok bool) {
	text = strings.TrimSpace(text)
	for _, layout := range layouts {
		if on, err := time.Parse(layout, text); err == nil {
			return on, strings.Contains(layout, "07") || strings.HasSuffix(layout, "GMT"), true
		}
	}
	if unixPattern.MatchString(text) {
		n, err := strconv.ParseInt((text + "000")[:max(13, len(text))], 10, 64)
		return time.UnixMilli(n), true, err == nil
	}
	text = strings.NewReplacer("−", "-", "年", "-", "月", "-", "日", " ").Replace(commentPattern.ReplaceAllString(text, " "))
	text = colonPattern.ReplaceAllString(text, ":")
	text = strings.Join(strings.Fields(text), " ")
	var clock time.Duration
	date, half := text, ""
	if at := clockPattern.FindStringSubmatchIndex(text); at != nil {
		rest := text[at[1]:]
		if m := halfPattern.FindStringSubmatch(rest); m != nil {
			half, rest = strings.ToLower(m[1]), rest[len(m[0]):]
		}
		var offset time.Duration
		offset, rest, zoned = cutZone(rest)
		if clock, ok = clockOf(clockPattern.FindStringSubmatch(text)[1:], half); !ok {
			return on, false, false
		}
		clock, date = clock-offset, text[:at[2]]+" "+rest
	}
	on, ok = dayOf(strings.TrimRight(date, " tT"), half != "")
	return on.Add(clock), zoned, ok
}

// cutZone takes the time zone out of what follows the time of a day.
func cutZone(text string) (offset time.Duration, rest string, found bool) {
	at := zonePattern.FindStringSubmatchIndex(text)
	if at == nil {
		return 0, text, false
	}
	m := zonePattern.FindStringSubmatch(text)
	rest = text[:at[0]] + " " + text[at[1]:]
	if m[6] != "" {
		hours, found := zones[strings.ToUpper(m[6])]
		if !found {
			rest = text // it may be a month
		}
		return time.Duration(hours * float64(time.Hour)), rest, found
	}
	hours, _ := strconv.Atoi(m[2] + m[4] + m[8])
	minutes, _ := strconv.Atoi("0" + m[3] + m[5] + m[9])
	offset = time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if m[1] == "-" || m[7] == "-" {
		offset = -offset
	}
	return offset, rest, hours < 24
}

// clockOf returns a time of a day. A leap second and midnight at the end of a day are in the next one.
func clockOf(parts []string, half string) (time.Duration, bool) {
	n := make([]int, 3)
	for i := range n {
		n[i], _ = strconv.Atoi("0" + parts[i])
	}
	switch {
	case half != "" && (n[0] < 1 || n[0] > 12):
		half = "" // 13:00 PM
	case half != "":
		n[0] %= 12
	}
	if half == "p" {
		n[0] += 12
	}
	fraction, _ := time.ParseDuration("0." + parts[3] + "0s")
	clock := time.Duration(n[0])*time.Hour + time.Duration(n[1])*time.Minute + time.Duration(n[2])*time.Second + fraction
	return clock, n[1] < 60 && n[2] <= 60 && (n[0] < 24 || clock == 24*time.Hour)
}

func monthOf(word string) int {
	for month, names := range months {
		for _, name := range names {
			if strings.HasPrefix(strings.ToLower(word), name) {
				return month
			}
		}
	}
	return 0
}

// dayOf returns the day of a date without time. Of two numbers before a year, the first is the day, unless
// the date is American: the time has a.m. or p.m., or there is no such month.
func dayOf(date string, american bool) (on time.Time, ok bool) {
	month, year, days := 0, -1, []int{}
	for _, word := range wordPattern.FindAllString(date, -1) {
		if m := monthOf(word); m > 0 {
			month = m // the last one, because "mar." is a day of the week too
		}
	}
	numbers := numberPattern.FindAllString(date, -1)
	yearFirst := len(numbers) > 0 && len(numbers[0]) == 4
	for _, number := range numbers {
		n, err := strconv.Atoi(number)
		switch {
		case err != nil:
			return on, false
		case year < 0 && (len(number) > 2 || month > 0 && len(days) == 1):
			year = n
			if len(number) == 2 && n < 50 {
				year += 2000
			} else if len(number) < 4 {
				year += 1900
			}
		default:
			days = append(days, n)
		}
	}
	for len(days) < 2 && (yearFirst || month > 0) { // a year, or a month of it
		days = append(days, 1)
	}
	switch {
	case year < 0 || len(days) < 2:
		return on, false
	case month > 0:
	case yearFirst:
		month, days = days[0], days[1:]
	case american || days[1] > 12:
		month, days = days[0], days[1:]
	default:
		month = days[1]
	}
	on = time.Date(year, time.Month(month), days[0], 0, 0, 0, 0, time.UTC)
	return on, on.Day() == days[0] && int(on.Month()) == month
}
