package page

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	// maxKept is how many bytes all answers that are kept may take, about.
	maxKept = 16 << 20
	// maxKeptOne is the largest answer that is kept.
	maxKeptOne = maxKept / 16
	// keptOverhead is what an answer takes besides its key and its body, about.
	keptOverhead = 400
)

// kept keeps the answers that were used last. An answer never goes stale: its key says
// all that it depends on, besides the program. It is safe for concurrent use.
type kept struct {
	limit int

	mu      sync.Mutex
	answers *simplelru.LRU[string, answer]
	size    int
}

func newKept(limit int) *kept {
	k := &kept{limit: limit}
	// The size in bytes is what counts; an answer takes more than one.
	answers, err := simplelru.NewLRU(limit, func(key string, gone answer) { k.size -= sizeOf(key, gone) })
	if err != nil {
		panic(err) // limit is constant and positive
	}
	k.answers = answers
	return k
}

// sizeOf counts the compressed forms of the body too: both together take less than half of it.
func sizeOf(key string, a answer) int { return len(key) + cap(a.body)*3/2 + keptOverhead }

func (k *kept) get(key string) (answer, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.answers.Get(key)
}

func (k *kept) add(key string, a answer) {
	size := sizeOf(key, a)
	if size > maxKeptOne {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.answers.Contains(key) {
		return
	}
	k.answers.Add(key, a)
	for k.size += size; k.size > k.limit; {
		k.answers.RemoveOldest()
	}
}
