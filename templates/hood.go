package templates

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"microblogging/storage/schema"
)

// hoodStyle is what pages need that show what they cost.
const hoodStyle = "hood.css"

// A Hood is what a page cost the store, for people who want to learn from it.
type Hood struct {
	Page Spent
	// Form is what the form cost that led to this page. It is nil if there was none, or if
	// another process answered it.
	Form *Spent
}

// Spent is what one request cost.
type Spent struct {
	// Calls are the first of Total calls.
	Calls []StoreCall
	Total int
	// Time is how long at least one call was under way.
	Time time.Duration
	// Read is how many rows the store looked at, and Returned how many it gave.
	Read, Returned int
}

// A StoreCall is one call of the store. The meaning of its fields is that of
// storage.Call. Nothing in it is secret.
type StoreCall struct {
	Target, Kind, Condition, Answer string
	Queue                           bool
	Operations                      []StoreOperation
	MoreOperations                  int
	Kinds                           []*schema.Kind
	Read, Returned, Written         int
	ReadAtLeast                     bool
	Bytes                           int
	Took                            time.Duration
}

// A StoreOperation is one operation of a transaction.
type StoreOperation struct {
	Words             string
	Kind              *schema.Kind
	Condition, Answer string
}

// showsHood says that the page has the fold. A page that is the same for everyone has none.
func (p Page) showsHood() bool { return p.Hood != nil && !p.Public }

// refused says that a transaction failed because of one of its operations.
func (v Hood) refused() bool {
	return slices.ContainsFunc(v.Page.Calls, StoreCall.refused) || v.Form != nil && slices.ContainsFunc(v.Form.Calls, StoreCall.refused)
}

func (c StoreCall) refused() bool {
	return slices.ContainsFunc(c.Operations, func(op StoreOperation) bool { return op.Answer != "" })
}

// open says that the fold is open at first: a refusal is what there is to see.
func (v Hood) open() bool { return slices.ContainsFunc(v.Page.Calls, StoreCall.refused) }

// words are "4 storage calls, 9 ms".
func (v Spent) words() string {
	return counted(v.Total, "storage call") + ", " + brief(v.Time)
}

func (v Hood) summary() string {
	words := "Under the hood: " + v.Page.words()
	if v.Form != nil {
		words += "; the form before: " + v.Form.words()
	}
	if v.refused() {
		words += "; a transaction was refused"
	}
	return words
}

// totals says what the calls read.
func (v Spent) totals() string {
	if v.Total == 0 {
		return "The store was not asked for anything."
	}
	return fmt.Sprintf("The store looked at %s and gave %d. At least one call was under way for %s.",
		counted(v.Read, "row"), v.Returned, brief(v.Time))
}

// more says that the list does not have all calls.
func (v Spent) more() string {
	if len(v.Calls) == v.Total {
		return ""
	}
	return fmt.Sprintf("These are the first %d of %d calls.", len(v.Calls), v.Total)
}

// The price of a call, in millionths of a dollar for a million calls, as tablePriceNote
// says.
const (
	dollarsPerMillion = 0.036
	tablePriceNote    = "This assumes Azure’s list price for Table storage in the region East US with local redundancy, " +
		"$0.00036 for 10,000 transactions, as its price list (azure.microsoft.com/pricing/details/storage/tables) was quoted in 2026, " +
		"and that a transaction of many rows is billed as one, as Azure’s performance checklist says."
)

// price says what a million views cost in Azure.
func (v Spent) price() string {
	queued := 0
	for _, call := range v.Calls {
		if call.Queue {
			queued++
		}
	}
	words := fmt.Sprintf("A million views like this one cost $%.2f in Azure, for %s each.", float64(v.Total-queued)*dollarsPerMillion, counted(v.Total-queued, "table call"))
	if queued > 0 {
		words += " Calls of queues come on top."
	}
	return words
}

// kinds are the kinds of row that the calls met, each once.
func (v Hood) kinds() []*schema.Kind {
	calls := v.Page.Calls
	if v.Form != nil {
		calls = slices.Concat(v.Form.Calls, calls)
	}
	var kinds []*schema.Kind
	for _, kind := range schema.Kinds() {
		met := func(c StoreCall) bool { return slices.Contains(c.Kinds, kind) }
		if slices.ContainsFunc(calls, met) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// place is where the call went, as in "table Blogs".
func (c StoreCall) place() string {
	if c.Queue {
		return "queue"
	}
	return "table"
}

// names are those of the kinds of row that the call asks for.
func (c StoreCall) names() string {
	names := make([]string, len(c.Kinds))
	for i, kind := range c.Kinds {
		names[i] = kind.Name
	}
	return strings.Join(names, ", ")
}

// rows says what the call read or wrote.
func (c StoreCall) rows() string {
	var words []string
	switch {
	case c.Queue:
	case c.Operations != nil && c.Written == 0:
		words = append(words, "nothing written")
	case c.Operations != nil:
		words = append(words, counted(c.Written, "row")+" written")
	case c.ReadAtLeast:
		words = append(words, "at least "+counted(c.Read, "row")+" read", strconv.Itoa(c.Returned)+" returned")
	default:
		words = append(words, counted(c.Read, "row")+" read", strconv.Itoa(c.Returned)+" returned")
	}
	return strings.Join(append(words, size(c.Bytes), brief(c.Took)), ", ")
}

// reason says what a row is there for that refused the operation.
func (op StoreOperation) reason() string {
	if op.Kind == nil {
		return "no operation knows such a row"
	}
	return op.Kind.Why
}

// scenario is the scenario of the lab without the guard that refused the operation. It is
// empty if there is none.
func (op StoreOperation) scenario() string {
	if op.Kind == nil {
		return ""
	}
	return op.Kind.Ablation
}

// size is a number of bytes.
func size(bytes int) string {
	if bytes < 1000 {
		return counted(bytes, "byte")
	}
	return strconv.FormatFloat(float64(bytes)/1000, 'f', 1, 64) + " kB"
}
