package load

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// An Operation is one kind of thing that people do on the site.
type Operation int

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
	for part := range strings.SplitSeq(string(text), ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(part), "=")
		o := slices.Index(operationNames[:], name)
		n, err := strconv.Atoi(weight)
		if o < 0 || err != nil || n < 0 || n > maxWeight {
			return fmt.Errorf("%q is not one of %s with a weight from 0 to %d, as in read=70", part, strings.Join(operationNames[:], ", "), maxWeight)
		}
		mix[o] = n
	}
	if mix.total() == 0 {
		return fmt.Errorf("%q makes no operation: one weight must be more than 0", text)
	}
	*m = mix
	return nil
}

func (m Mix) String() string {
	var parts []string
	for o, weight := range m {
		if weight > 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", Operation(o), weight))
		}
	}
	return strings.Join(parts, ", ")
}

func (m Mix) total() (sum int) {
	for _, weight := range m {
		sum += weight
	}
	return sum
}

// pick chooses an operation at random, by the weights.
func (m Mix) pick(random *rand.Rand) Operation {
	n, o := random.IntN(m.total()), 0
	for n >= m[o] {
		n -= m[o]
		o++
	}
	return Operation(o)
}
