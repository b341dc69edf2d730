package web

import (
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"microblogging/templates"
)

const headerServerTiming = "Server-Timing"

// listedCalls is how many calls of a request a page lists.
const listedCalls = 60

// tellCost sets the Server-Timing of a response that is about to begin: the time in the store
// in milliseconds, the calls, and the rows that the store looked at and gave. What a
// response sends later, such as events, is not in it.
func tellCost(c echo.Context, x *exchange) {
	totals := x.callLog.Totals()
	took := float64(totals.Time.Microseconds()) / 1e3
	if tellsNames(c) {
		took = math.Floor(took)
	}
	timing := "store;dur=" + strconv.FormatFloat(took, 'f', -1, 64) + `, calls;desc="` + strconv.Itoa(totals.Calls) + `"`
	if !tellsNames(c) {
		timing += `, read;desc="` + strconv.Itoa(totals.Read) + `", returned;desc="` + strconv.Itoa(totals.Returned) + `"`
	}
	c.Response().Header().Set(headerServerTiming, timing)
}

// tellsNames reports whether the rows that were found, or the time that took, would tell an anonymous client
// whether there is an account of some name: after a wrong password, and at the address of a
// personal feed.
func tellsNames(c echo.Context) bool {
	return c.Response().Status == http.StatusUnauthorized || strings.HasPrefix(c.Request().URL.Path, templates.DigestPath+"/")
}

// callPanelOf returns what makes the fold of a page when the page is rendered, after its last
// call. It is nil without --teach, and where the calls would tell an anonymous client
// whether there is an account of some name: those of a sign-in that is refused, and those at
// the address of a personal feed.
func (s *server) callPanelOf(c echo.Context) func() templates.CallPanel {
	x := exchangeOf(c)
	signsIn := c.Request().Method == http.MethodPost && c.Request().URL.Path == templates.SignInPath
	if !s.Teach || signsIn || tellsNames(c) {
		return nil
	}
	return func() templates.CallPanel {
		return templates.CallPanel{Calls: x.callLog.Calls(), Totals: x.callLog.Totals()}
	}
}
