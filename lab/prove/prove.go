// Package prove explores everything that there is to explore and says what came
// of it: what ships breaks no law in any scenario; the textbook version breaks
// one in each of four; and so does what ships once any guard is taken out of it.
//
// An explorer that explores nothing finds nothing. So the numbers are part of
// the claim, and a [Summary] that falls below its floor is a failure.
package prove

import (
	"runtime"
	"sync"
)

// All explores the cases, as many at a time as there are processors, and calls
// done with each result, one at a time and in the order of the cases.
func All(cases []Case, seed uint64, done func(Result)) Summary {
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
