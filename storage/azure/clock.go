package azure

import (
	"net/http"
	"sync/atomic"
	"time"
)

// A clock has the time of the latest answer of the service, by the service's clock and by that of this
// process. It is safe for concurrent use.
type clock struct{ latest atomic.Pointer[clockTimes] }

type clockTimes struct{ store, here time.Time }

// read takes the time from the headers of an answer that has just arrived. It is in whole seconds.
func (c *clock) read(answer http.Header) {
	if store, err := http.ParseTime(answer.Get("Date")); err == nil {
		c.latest.Store(&clockTimes{store, time.Now()})
	}
}

// last is driver.Capabilities.Clock.
func (c *clock) last() (store, here time.Time, known bool) {
	if latest := c.latest.Load(); latest != nil {
		return latest.store, latest.here, true
	}
	return store, here, false
}
