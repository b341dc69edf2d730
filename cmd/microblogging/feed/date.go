package feed

import (
	"cmp"
	"regexp"
	"slices"
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

// layouts are the most frequent ones, and those that the patterns below do not find.
var layouts = []string{time.RFC1123Z, "Mon, 02 Jan 2006 15:04:05 GMT", time.RFC3339, "20060102T150405Z0700", "20060102T1504Z0700", "2006-002T15:04:05Z07:00", "2006-01-02T15Z07:00",
	"20060102T150405", "20060102T1504", "20060102150405", "200601021504", "20060102", "2006-002T15:04:05", "2006-002"}

var (
	// eastern replaces what dates have in Chinese, Japanese and Korean, where the half of a day comes before its hours.
	eastern        = strings.NewReplacer("−", "-", "年", "-", "月", "-", "日", " ", "년", "-", "월", "-", "일", " ")
	halfPattern    = regexp.MustCompile(`(오전|上午|午前)|(오후|下午|午後)`)
	commentPattern = regexp.MustCompile(`\([^()]*\)`)
	colonPattern   = regexp.MustCompile(`\s*:\s*`)
	clockPattern   = regexp.MustCompile(`(?i)(?:^|\D)(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,](\d+))?)?(?: ?([ap])\.?m\b\.?)?`)
	zonePattern    = regexp.MustCompile(`^ ?:?(?:(?:GMT|UTC?)? ?-?([-+])(\d\d?):?(\d\d)?(?::\d\d)?\b|(\d\d):(\d\d)$|([A-Za-z]{1,4})\b)| ([-+])(\d\d):?(\d\d)$`)
	wordPattern    = regexp.MustCompile(`\pL+`)
	weekPattern    = regexp.MustCompile(`W\d`)
	numberPattern  = regexp.MustCompile(`\pN+`)
)

// months has the names and abbreviations of each month, in the languages of which feeds have dates against
// the standards. There are spaces around each.
var months = []string{
	" jan january januar januari janvier janv jänner enero ene gennaio gen janeiro gener ",
	" feb february februar februari février févr fév fevrier fevr febrero febbraio fevereiro fev ",
	" mar march mars märz mär mrz mrt maart marzo março marco marts mart marca març maret martie ",
	" apr april avril avr abril abr aprile aprill ",
	" may mai mei maj mayo maggio mag maio maja maig ",
	" jun june juni juin junio giugno giu junho juny ",
	" jul july juli juillet juil julio luglio lug julho juliol ",
	" aug august augusti augustus août aoû aout agosto ago agost ",
	" sep sept september septembre septiembre settembre set setembro setembre ",
	" oct october oktober okt octobre octubre ottobre ott outubro out ",
	" nov november novembre noviembre novembro ",
	" dec december dezember dez décembre déc decembre diciembre dic dicembre dezembro ",
}

// zones are the offsets of time zones in hours.
var zones = map[string]float64{
	"Z": 0, "UT": 0, "GMT": 0, "UTC": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "MEZ": 1, "CEST": 2, "MESZ": 2, "EET": 2, "EEST": 3, "MSK": 3,
	"IST": 5.5, "JST": 9, "KST": 9, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13, "AST": -4, "ADT": -3, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5,
	"MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10,
}

// parseDate reads dates of RFC 5322 and ISO 8601, and what feeds write in their place. It reports
// whether the text has a time zone that is known; if not, the time is in UTC.
func parseDate(text string) (on time.Time, zoned, ok bool) {
	text = strings.TrimSpace(text)
	for _, layout := range layouts {
		if on, err := time.Parse(layout, text); err == nil {
			return on, strings.Contains(layout, "07") || strings.HasSuffix(layout, "GMT"), true
		}
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && len(text) >= 9 { // of Unix
		if len(text) < 12 {
			return time.Unix(n, 0), true, true
		}
		return time.UnixMilli(n), true, true
	}
	for range 3 { // comments may nest
		text = commentPattern.ReplaceAllString(text, " ")
	}
	text = eastern.Replace(text)
	text = strings.Join(strings.Fields(colonPattern.ReplaceAllString(text, ":")), " ")
	at := clockPattern.FindStringSubmatch(text)
	if at == nil {
		on, ok = dayOf(text, false)
		return on, false, ok
	}
	before, after, _ := strings.Cut(text, at[0])
	half := strings.ToLower(at[5])
	if found := halfPattern.FindStringSubmatch(before + at[0]); found != nil {
		half = map[bool]string{true: "a", false: "p"}[found[1] != ""]
	}
	offset, after, zoned := cutZone(after)
	clock, valid := clockOf(at[1], at[2], at[3], at[4], half)
	on, ok = dayOf(before+" "+after, at[5] != "")
	return on.Add(clock - offset), zoned, ok && valid
}

// cutZone takes the time zone out of what follows the time of a day.
func cutZone(text string) (offset time.Duration, rest string, known bool) {
	m := zonePattern.FindStringSubmatch(text)
	if m == nil {
		return 0, text, false
	}
	rest = strings.Replace(text, m[0], " ", 1)
	if m[6] != "" {
		hours, known := zones[strings.ToUpper(m[6])]
		if !known {
			rest = text // it may be a month
		}
		return time.Duration(hours * float64(time.Hour)), rest, known
	}
	offset, err := time.ParseDuration(m[1] + m[7] + m[2] + m[4] + m[8] + "h0" + m[3] + m[5] + m[9] + "m")
	if err != nil || offset.Abs() >= 24*time.Hour {
		return 0, rest, false
	}
	return offset, rest, true
}

// clockOf returns a time of a day. A leap second and midnight at the end of a day are in the next one.
func clockOf(hour, minute, second, fraction, half string) (clock time.Duration, ok bool) {
	const noon = 12 * time.Hour
	clock, err := time.ParseDuration(hour + "h" + minute + "m0" + second + "." + fraction + "s")
	switch {
	case half == "p" && clock < noon:
		clock += noon
	case half == "a" && clock >= noon && clock < noon+time.Hour:
		clock -= noon
	}
	minutes, _ := strconv.Atoi(minute)
	seconds, _ := strconv.Atoi("0" + second)
	return clock, err == nil && minutes < 60 && seconds <= 60 && clock < 2*noon+time.Second
}

// dayOf returns the day of a date without time, which has no number of a week. Of two numbers
// before a year, the first is the day, unless the date is American: the time has a.m. or p.m., or
// there is no such month.
func dayOf(date string, american bool) (on time.Time, ok bool) {
	month, year, days := 0, -1, []int{}
	words := wordPattern.FindAllString(strings.ToLower(date), -1)
	for _, word := range words { // the last one, because "mar." is a day of the week too
		named := slices.IndexFunc(months, func(names string) bool { return strings.Contains(names, " "+word+" ") })
		month = cmp.Or(named+1, month)
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
	numbered := 2 // month and day
	if month > 0 {
		numbered = 1
	}
	for len(days) < numbered && (yearFirst && words == nil || month > 0) { // a year, or a month of it
		days = append(days, 1)
	}
	switch {
	case year < 0 || len(days) != numbered || weekPattern.MatchString(date): // what is left over has a meaning too
		return on, false
	case month > 0:
	case yearFirst || american || days[1] > 12:
		month, days = days[0], days[1:]
	default:
		month = days[1]
	}
	on = time.Date(year, time.Month(month), days[0], 0, 0, 0, 0, time.UTC)
	return on, on.Day() == days[0] && int(on.Month()) == month
}
