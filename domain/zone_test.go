package domain_test

import (
	"testing"
	"time"

	"microblogging/domain"
)

func TestZoneOfCity(t *testing.T) {
	t.Run("finds a zone by its city", zoneIsFoundByItsCity)
	t.Run("finds nothing else", nothingElseIsAZone)
	t.Run("offers zones that exist, each city once", offeredZonesExist)
}

func zoneIsFoundByItsCity(t *testing.T) {
	for city, want := range map[string]string{
		"Berlin": "Europe/Berlin", "berlin": "Europe/Berlin", " new york ": "America/New_York", "NEW_YORK": "America/New_York",
		"São Paulo": "America/Sao_Paulo", "sao paulo": "America/Sao_Paulo", "Port au Prince": "America/Port-au-Prince",
		"Mumbai": "Asia/Kolkata", "san francisco": "America/Los_Angeles", "köln": "Europe/Berlin", "Koln": "Europe/Berlin",
		"St Petersburg": "Europe/Moscow", "Buenos Aires": "America/Argentina/Buenos_Aires", "europe/berlin": "Europe/Berlin",
		"utc": "UTC", "GMT": "UTC", "Kathmandu": "Asia/Kathmandu", "wroclaw": "Europe/Warsaw",
	} {
		if got, ok := domain.ZoneOfCity(city); !ok || got != want {
			t.Errorf("%q: %q, want %q", city, got, want)
		}
	}
}

func nothingElseIsAZone(t *testing.T) {
	for _, city := range []string{"", " ", "Mars", "Europe", "Local", "../../etc/passwd", "\xff\x00", "a/b", "/"} {
		if got, ok := domain.ZoneOfCity(city); ok {
			t.Errorf("%q is in %q", city, got)
		}
	}
}

func offeredZonesExist(t *testing.T) {
	seen := map[string]bool{}
	for _, z := range domain.ZoneCities() {
		if _, err := domain.ParseDay("", z.Zone, time.Now()); err != nil {
			t.Errorf("%s: %v", z.Zone, err)
		}
		for _, city := range append(z.Cities, z.Zone) {
			if got, _ := domain.ZoneOfCity(city); got != z.Zone || seen[city] {
				t.Errorf("%s is in %s, want %s", city, got, z.Zone)
			}
			seen[city] = true
		}
	}
}
