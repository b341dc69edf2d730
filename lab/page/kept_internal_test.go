package page

import (
	"strconv"
	"testing"
)

func TestKept(t *testing.T) {
	t.Run("holds its limit and drops what was used the longest ago", keptHoldsItsLimit)
	t.Run("takes nothing that would push out all the rest", keptTakesNothingLarge)
}

func keptHoldsItsLimit(t *testing.T) {
	k := newKept(100 * 1024)
	for i := range 1000 {
		k.add(strconv.Itoa(i), answer{body: make([]byte, 1024)})
		k.get("0")
		if k.size > k.limit {
			t.Fatalf("%d bytes after %d answers", k.size, i+1)
		}
	}
	if n := k.answers.Len(); n < 50 || n > 100 {
		t.Errorf("%d answers are kept", n)
	}
	for key, want := range map[string]bool{"0": true, "999": true, "1": false} {
		if _, ok := k.get(key); ok != want {
			t.Errorf("%s is kept: %v", key, ok)
		}
	}
	before := k.size
	k.add("999", answer{body: make([]byte, 1024)})
	if k.size != before {
		t.Errorf("the same answer twice is counted twice")
	}
}

func keptTakesNothingLarge(t *testing.T) {
	k := newKept(maxKept)
	k.add("large", answer{body: make([]byte, maxKeptOne)})
	if k.size != 0 {
		t.Errorf("%d bytes", k.size)
	}
}
