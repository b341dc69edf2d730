package web

import (
	"crypto/rand"
	"net/http"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/labstack/echo/v4"

	"microblogging/storage"
	"microblogging/templates"
)

const (
	// costKey is where a request keeps its *cost, with --teach.
	costKey = "web.cost"
	// listedCalls is how many calls of a request a page lists.
	listedCalls = 60

	// hoodCookie names what a form cost, for the page that it leads to.
	hoodCookie = "hood"
	// hoodLifetime is how long that is kept.
	hoodLifetime = time.Minute
	// maxHoods is how many forms it is kept of.
	maxHoods = 64
)

// hoods keep what forms cost, with --teach, until the page that the form leads to shows
// it. They are in the memory of this process: if another one answers the page, it shows
// none. A hoods is safe for concurrent use.
type hoods struct {
	guard *guard

	mu   sync.Mutex
	kept *simplelru.LRU[string, keptCost]
}

type keptCost struct {
	spent templates.Spent
	until time.Time
}

func newHoods(g *guard) *hoods {
	kept, err := simplelru.NewLRU[string, keptCost](maxHoods, nil)
	if err != nil {
		panic(err) // only if maxHoods is not positive
	}
	return &hoods{guard: g, kept: kept}
}

// list makes the cost of a request list its calls.
func (h *hoods) list(c echo.Context, counted *cost) {
	if wantsJSON(c) {
		return
	}
	counted.ledger.List(listedCalls)
	c.Set(costKey, counted)
}

// keep keeps what a form cost if its response, which is about to begin, leads to a page.
func (h *hoods) keep(c echo.Context) {
	counted, listed := c.Get(costKey).(*cost)
	if !listed || isRead(c.Request().Method) || c.Response().Header().Get(echo.HeaderLocation) == "" {
		return
	}
	id := rand.Text()
	h.mu.Lock()
	h.kept.Add(id, keptCost{spentOf(&counted.ledger), time.Now().Add(hoodLifetime)})
	h.mu.Unlock()
	h.setCookie(c, id, int(hoodLifetime.Seconds()))
}

// take returns what the form cost that led to this page, once. It is nil if there was no
// form, or if this process does not know.
func (h *hoods) take(c echo.Context) *templates.Spent {
	id, there := cookieValue(c.Request(), hoodCookie)
	if !there || c.Request().Method != http.MethodGet {
		return nil
	}
	h.setCookie(c, "", -1)
	h.mu.Lock()
	defer h.mu.Unlock()
	kept, found := h.kept.Peek(id)
	h.kept.Remove(id)
	if !found || time.Now().After(kept.until) {
		return nil
	}
	return &kept.spent
}

func (h *hoods) setCookie(c echo.Context, value string, maxAge int) {
	cookie := h.guard.newCookie(c.Request(), hoodCookie, value, "/")
	cookie.MaxAge = maxAge
	c.SetCookie(cookie)
}

// of returns what makes the fold of a page when the page is rendered, after its last
// call. It is nil if the calls of the request are not listed, or would tell a stranger
// whether there is an account of some name: those of a sign-in that is refused, and those at
// the address of a personal feed.
func (h *hoods) of(c echo.Context) func() templates.Hood {
	counted, listed := c.Get(costKey).(*cost)
	signsIn := c.Request().Method == http.MethodPost && c.Request().URL.Path == templates.SignInPath
	if !listed || signsIn || tellsNames(c.Request(), c.Response().Status) {
		return nil
	}
	return func() templates.Hood {
		return templates.Hood{Page: spentOf(&counted.ledger), Form: h.take(c)}
	}
}

func spentOf(l *storage.Ledger) templates.Spent {
	calls, totals := l.Calls(), l.Totals()
	spent := templates.Spent{
		Calls: make([]templates.StoreCall, len(calls)),
		Total: totals.Calls, Time: totals.Time, Read: totals.Read, Returned: totals.Returned,
	}
	for i, call := range calls {
		spent.Calls[i] = templates.StoreCall{
			Target: call.Target, Queue: call.Queue, Kind: call.Kind, Condition: call.Condition, Answer: call.Answer, Purpose: call.Purpose,
			MoreOperations: call.MoreOperations, Kinds: call.Kinds,
			Read: call.Read, Returned: call.Returned, Written: call.Written, ReadAtLeast: call.ReadAtLeast, Bytes: call.Bytes, Took: call.Took,
		}
		for _, op := range call.Operations {
			spent.Calls[i].Operations = append(spent.Calls[i].Operations, templates.StoreOperation(op))
		}
	}
	return spent
}
