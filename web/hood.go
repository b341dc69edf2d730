package web

import (
	"crypto/rand"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/labstack/echo/v4"

	"microblogging/storage"
	"microblogging/templates"
)

const headerServerTiming = "Server-Timing"

const (
	// listedCalls is how many calls of a request a page lists.
	listedCalls = 60
	// costCookie names what a form cost, for the page that it leads to.
	costCookie = "hood"
	// costLifetime is how long the cookie waits for that page. Of more forms than maxFormCosts,
	// the oldest is forgotten.
	costLifetime = time.Minute
	maxFormCosts = 64
)

// tellCost sets the Server-Timing of a response that is about to begin: the time in the store
// in milliseconds, the calls, and the rows that the store looked at and gave. What a
// response sends later, such as events, is not in it.
func tellCost(c echo.Context, x *exchange) {
	totals := x.ledger.Totals()
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

// tellsNames says that the rows that were found, or the time that took, would tell a stranger
// whether there is an account of some name: after a wrong password, and at the address of a
// personal feed.
func tellsNames(c echo.Context) bool {
	return c.Response().Status == http.StatusUnauthorized || strings.HasPrefix(c.Request().URL.Path, templates.DigestPath+"/")
}

// formCosts is what forms cost, with --teach, until the pages that they lead to show it. It is
// in the memory of this process: if another one answers the page, it shows none.
type formCosts = lru.Cache[string, templates.Spent]

func newFormCosts() *formCosts {
	kept, err := lru.New[string, templates.Spent](maxFormCosts)
	if err != nil {
		panic(err) // only if maxFormCosts is not positive
	}
	return kept
}

// listCalls makes the ledger of a page list its calls, with --teach.
func (s *server) listCalls(c echo.Context, x *exchange) {
	if s.costs != nil && !s.wantsJSON(c) {
		x.ledger.List(listedCalls)
	}
}

// keepFormCost keeps what a form cost if its response, which is about to begin, leads to a page.
func (s *server) keepFormCost(c echo.Context, x *exchange) {
	if s.costs == nil || s.wantsJSON(c) || isRead(c.Request().Method) || c.Response().Header().Get(echo.HeaderLocation) == "" {
		return
	}
	id := rand.Text()
	s.costs.Add(id, spentOf(&x.ledger))
	c.SetCookie(s.newCookie(c, costCookie, id, int(costLifetime.Seconds())))
}

// takeFormCost returns what the form cost that led to this page, once. It is nil if there was no
// form, or if this process does not know.
func (s *server) takeFormCost(c echo.Context) *templates.Spent {
	id := cookieValue(c.Request(), costCookie)
	if id == "" || c.Request().Method != http.MethodGet {
		return nil
	}
	c.SetCookie(s.newCookie(c, costCookie, "", -1))
	spent, found := s.costs.Peek(id)
	s.costs.Remove(id)
	if !found {
		return nil
	}
	return &spent
}

// hoodOf returns what makes the fold of a page when the page is rendered, after its last
// call. It is nil without --teach, and where the calls would tell a stranger
// whether there is an account of some name: those of a sign-in that is refused, and those at
// the address of a personal feed.
func (s *server) hoodOf(c echo.Context) func() templates.Hood {
	x, ok := c.Get(exchangeKey).(*exchange)
	signsIn := c.Request().Method == http.MethodPost && c.Request().URL.Path == templates.SignInPath
	if !ok || s.costs == nil || signsIn || tellsNames(c) {
		return nil
	}
	return func() templates.Hood {
		if certain(c) != nil {
			return templates.Hood{} // the page is made again
		}
		return templates.Hood{Page: spentOf(&x.ledger), Form: s.takeFormCost(c)}
	}
}

func spentOf(l *storage.Ledger) templates.Spent {
	return templates.Spent{Calls: l.Calls(), Totals: l.Totals()}
}
