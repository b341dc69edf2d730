// Package modelcheck explores all scenarios and reports the results. The production code
// must break no invariant in any scenario. The textbook version must break an invariant in each
// of its four scenarios, and so must the production code without any one of its safeguards.
// Three more scenarios of the textbook version must each be broken by one fault.
//
// A model checker that explores nothing finds nothing. So the numbers are part of the
// claim, and a [Summary] below its floor is a failure.
//
// What was found is kept in known.json ([Known]), for pages that show it.
package modelcheck

import (
	"runtime"
	"runtime/debug"
	"sync"
)

const (
	// gcPercent makes the garbage collector wait longer, because a search makes much garbage
	// in addition to the states that it keeps: at 100, a third of its time went into collecting.
	gcPercent = 400
	// gcMemory is the memory, in bytes, from which on it waits no longer.
	gcMemory = 4 << 30
)

// All explores the cases, as many at a time as there are processors. It calls done
// with one result after the other, in the order of the cases. Until it returns, the whole
// process takes more memory before garbage is collected.
func All(cases []Case, seed uint64, done func(Result)) Summary {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(gcMemory))
	results := make([]chan Result, len(cases))
	for i := range results {
		results[i] = make(chan Result, 1)
	}
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				results[i] <- cases[i].Explore(seed)
			}
		})
	}
	workers.Go(func() {
		defer close(next)
		for i := range cases {
			next <- i
		}
	})
	var s Summary
	for _, result := range results {
		r := <-result
		s.Add(r)
		done(r)
	}
	workers.Wait()
	return s
}
