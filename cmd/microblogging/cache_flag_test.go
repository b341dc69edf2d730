package main

import "testing"

func TestCacheSize(t *testing.T) {
	for text, want := range map[string]cacheSize{
		"0": 0, "0MB": 0, "1": 1, "17B": 17, "64MB": 64_000_000, "64 MiB": 64 << 20, "3KB": 3000, "2GiB": 2 << 30, "1GB": 1_000_000_000,
		"": -1, "-1MB": -1, "1.5GB": -1, "many": -1, "64M": -1, "9223372036854775807": -1, "2048GiB": -1,
	} {
		got := cacheSize(-1)
		if err := got.UnmarshalText([]byte(text)); got != want || (err == nil) != (want >= 0) {
			t.Errorf("%q is %d, %v, want %d", text, got, err, want)
		}
	}
}
