package web

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"microblogging/storage"
	"microblogging/templates"
)

const headerServerTiming = "Server-Timing"

// A cost is what a request costs the store. Its header is in it to save an allocation.
type cost struct {
	ledger storage.Ledger
	header [1]string
}

// tell sets the Server-Timing of a response that is about to begin: the time in the store
// in milliseconds, the calls, and the rows that the store looked at and gave. What a
// response sends later, such as events, is not in it.
func (c *cost) tell(h http.Header, r *http.Request, status int) {
	totals, step, secret := c.ledger.Totals(), time.Microsecond, tellsNames(r, status)
	if secret {
		step = time.Millisecond
	}
	var buffer [96]byte
	value := append(buffer[:0], "store;dur="...)
	value = strconv.AppendFloat(value, float64(totals.Time.Truncate(step).Microseconds())/1e3, 'f', -1, 64)
	value = append(value, `, calls;desc="`...)
	value = strconv.AppendInt(value, int64(totals.Calls), 10)
	if !secret {
		value = append(value, `", read;desc="`...)
		value = strconv.AppendInt(value, int64(totals.Read), 10)
		value = append(value, `", returned;desc="`...)
		value = strconv.AppendInt(value, int64(totals.Returned), 10)
	}
	c.header[0] = string(append(value, '"'))
	h[headerServerTiming] = c.header[:]
}

// tellsNames says that the rows that were found, or the time that took, would tell a stranger whether there is an
// account of some name: after a wrong password, and at the address of a personal feed.
func tellsNames(r *http.Request, status int) bool {
	return status == http.StatusUnauthorized || strings.HasPrefix(r.URL.Path, templates.DigestPath+"/")
}
