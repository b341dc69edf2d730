package load

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// An Operation is one kind of thing that people do on the site.
type Operation uint8

// The operations.
const (
	// Post makes a post of 1 KiB in a channel.
	Post Operation = iota
	// Read reads a channel and its newest 20 posts, as its page does if it is not in memory.
	Read
	// Feed reads the newest 20 posts of what a user subscribes to, which is one channel.
	Feed
	// Vote gives a new vote to one of the posts that the channels were filled with.
	Vote

	operations = iota
)

var operationNames = [operations]string{"post", "read", "feed", "vote"}

func (o Operation) String() string { return operationNames[o] }

// A Mix says how often each operation is made, relative to the others. Its text is like
// "post=10,read=70". An operation that is not in the text is not made.
type Mix [operations]int

// maxWeight is the largest weight of an operation.
const maxWeight = 1_000_000

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *Mix) UnmarshalText(text []byte) error {
	var mix Mix
	var seen [operations]bool
	for part := range strings.SplitSeq(string(text), ",") {
		name, weight, found := strings.Cut(strings.TrimSpace(part), "=")
		operation, known := operationOf(name)
		n, err := strconv.Atoi(weight)
		switch {
		case !known:
			return fmt.Errorf("%q is not one of %s, each with a weight, as in read=70", name, strings.Join(operationNames[:], ", "))
		case !found || err != nil || n < 0 || n > maxWeight:
			return fmt.Errorf("%q is not %s=N with N from 0 to %d", part, name, maxWeight)
		case seen[operation]:
			return fmt.Errorf("%s has two weights", name)
		}
		mix[operation], seen[operation] = n, true
	}
	if mix.total() == 0 {
		return fmt.Errorf("%q makes no operation: one weight must be more than 0", text)
	}
	*m = mix
	return nil
}

func operationOf(name string) (Operation, bool) {
	for i, n := range operationNames {
		if n == name {
			return Operation(i), true
		}
	}
	return 0, false
}

// String returns the text of the operations that are made.
func (m Mix) String() string {
	var parts []string
	for _, o := range m.made() {
		parts = append(parts, fmt.Sprintf("%s=%d", o, m[o]))
	}
	return strings.Join(parts, ",")
}

// Has tells whether the mix makes an operation.
func (m Mix) Has(o Operation) bool { return m[o] > 0 }

func (m Mix) made() []Operation {
	var made []Operation
	for o := range Operation(operations) {
		if m.Has(o) {
			made = append(made, o)
		}
	}
	return made
}

func (m Mix) total() (sum int) {
	for _, weight := range m {
		sum += weight
	}
	return sum
}

// pick chooses an operation at random, by the weights.
func (m Mix) pick(random *rand.Rand) Operation {
	n := random.IntN(m.total())
	for o := range Operation(operations) {
		if n -= m[o]; n < 0 {
			return o
		}
	}
	return 0 // not reached: n is less than the sum of the weights
}
