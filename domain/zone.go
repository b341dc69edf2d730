package domain

import (
	_ "embed"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// zoneNames are the names of time zones in zone.tab of the IANA database, one a line.
//
//go:embed zones.txt
var zoneNames string

// A ZoneCity is a time zone with cities by which people look for it.
type ZoneCity struct {
	// Zone is the name in the IANA database, such as Asia/Kolkata.
	Zone   string
	Cities []string
}

// ZoneOfCity returns the time zone of a city: one that a zone is named after, such as
// Berlin or "sao paulo", or one of ZoneCities. Upper and lower case and accents do not
// matter. It knows the name of a zone too, in any case.
func ZoneOfCity(city string) (zone string, ok bool) {
	want := foldCity(city)
	if want == "utc" || want == "gmt" {
		return "UTC", true
	}
	for _, z := range ZoneCities() {
		for _, c := range z.Cities {
			if foldCity(c) == want {
				return z.Zone, true
			}
		}
	}
	for name := range strings.Lines(zoneNames) {
		name = strings.TrimSpace(name)
		folded := foldCity(name)
		if folded == want || folded[strings.LastIndexByte(folded, '/')+1:] == want {
			return name, true
		}
	}
	return "", false
}

// foldCity makes spellings of one city equal.
func foldCity(s string) string {
	words := strings.FieldsFunc(norm.NFKD.String(s), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("_-.'’", r)
	})
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case r == 'ł' || r == 'Ł':
			return 'l' // it does not decompose
		}
		return unicode.ToLower(r)
	}, strings.Join(words, " "))
}

// ZoneCities are the zones of large cities, with the cities after which no zone is named.
func ZoneCities() []ZoneCity {
	return []ZoneCity{
		{"UTC", nil},
		{"Africa/Cairo", []string{"Alexandria"}},
		{"Africa/Casablanca", []string{"Rabat", "Marrakesh"}},
		{"Africa/Johannesburg", []string{"Cape Town", "Durban", "Pretoria"}},
		{"Africa/Lagos", []string{"Abuja", "Kano"}},
		{"Africa/Nairobi", []string{"Mombasa"}},
		{"America/Argentina/Buenos_Aires", []string{"Rosario"}},
		{"America/Bogota", []string{"Medellín", "Cali"}},
		{"America/Chicago", []string{"Houston", "Dallas", "Austin", "San Antonio", "Minneapolis", "New Orleans", "St. Louis"}},
		{"America/Denver", []string{"Salt Lake City", "Albuquerque"}},
		{"America/Edmonton", []string{"Calgary"}},
		{"America/Lima", []string{"Cusco"}},
		{"America/Los_Angeles", []string{"San Francisco", "Seattle", "San Diego", "Portland", "Las Vegas"}},
		{"America/Mexico_City", []string{"Guadalajara", "Puebla"}},
		{"America/New_York", []string{"Washington", "Boston", "Miami", "Atlanta", "Philadelphia"}},
		{"America/Phoenix", []string{"Tucson"}},
		{"America/Santiago", []string{"Valparaíso"}},
		{"America/Sao_Paulo", []string{"Rio de Janeiro", "Brasília", "Curitiba"}},
		{"America/Toronto", []string{"Montreal", "Ottawa", "Quebec"}},
		{"America/Vancouver", []string{"Victoria"}},
		{"Asia/Bangkok", []string{"Chiang Mai"}},
		{"Asia/Dhaka", []string{"Chittagong"}},
		{"Asia/Dubai", []string{"Abu Dhabi"}},
		{"Asia/Ho_Chi_Minh", []string{"Hanoi", "Saigon"}},
		{"Asia/Hong_Kong", nil},
		{"Asia/Jakarta", []string{"Bandung", "Surabaya"}},
		{"Asia/Jerusalem", []string{"Tel Aviv", "Haifa"}},
		{"Asia/Karachi", []string{"Lahore", "Islamabad"}},
		{"Asia/Kolkata", []string{"Mumbai", "Delhi", "New Delhi", "Bengaluru", "Bangalore", "Chennai", "Hyderabad", "Pune"}},
		{"Asia/Manila", []string{"Quezon City"}},
		{"Asia/Riyadh", []string{"Jeddah", "Mecca"}},
		{"Asia/Seoul", []string{"Busan"}},
		{"Asia/Shanghai", []string{"Beijing", "Shenzhen", "Guangzhou", "Chengdu", "Wuhan"}},
		{"Asia/Singapore", nil},
		{"Asia/Taipei", []string{"Kaohsiung"}},
		{"Asia/Tehran", []string{"Isfahan"}},
		{"Asia/Tokyo", []string{"Osaka", "Kyoto", "Yokohama", "Sapporo"}},
		{"Australia/Melbourne", nil},
		{"Australia/Perth", nil},
		{"Australia/Sydney", []string{"Canberra"}},
		{"Europe/Amsterdam", []string{"Rotterdam", "The Hague"}},
		{"Europe/Athens", []string{"Thessaloniki"}},
		{"Europe/Berlin", []string{"Hamburg", "Munich", "München", "Cologne", "Köln", "Frankfurt", "Leipzig"}},
		{"Europe/Dublin", []string{"Cork"}},
		{"Europe/Istanbul", []string{"Ankara", "Izmir"}},
		{"Europe/Kyiv", []string{"Kiev", "Kharkiv", "Odesa", "Lviv"}},
		{"Europe/Lisbon", []string{"Porto"}},
		{"Europe/London", []string{"Manchester", "Birmingham", "Edinburgh", "Glasgow", "Cardiff"}},
		{"Europe/Madrid", []string{"Barcelona", "Valencia", "Seville"}},
		{"Europe/Moscow", []string{"Saint Petersburg", "St. Petersburg"}},
		{"Europe/Paris", []string{"Lyon", "Marseille", "Toulouse"}},
		{"Europe/Prague", []string{"Brno"}},
		{"Europe/Rome", []string{"Milan", "Naples", "Turin"}},
		{"Europe/Stockholm", []string{"Gothenburg"}},
		{"Europe/Vienna", []string{"Graz", "Salzburg"}},
		{"Europe/Warsaw", []string{"Kraków", "Gdańsk", "Wrocław"}},
		{"Europe/Zurich", []string{"Geneva", "Basel", "Bern"}},
		{"Pacific/Auckland", []string{"Wellington"}},
		{"Pacific/Honolulu", nil},
	}
}
