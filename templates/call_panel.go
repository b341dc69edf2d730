package templates

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"microblogging/storage"
	"microblogging/storage/schema"
)

// callPanelStyle is what pages need that show what they cost.
const callPanelStyle = "call-panel.css"

// A CallPanel is what a page cost the store, for people who want to learn from it.
type CallPanel struct {
	// Calls are the first of Totals.Calls. Nothing in them is secret.
	Calls  []storage.Call
	Totals storage.CallTotals
}

// callPanel is what the page cost, or nil. It is called once, below everything that may cost something.
func (p Page) callPanel() *CallPanel {
	if !p.showsCallPanel() {
		return nil
	}
	panel := p.CallPanel()
	return &panel
}

// showsCallPanel reports whether the page has the fold. A page that is the same for everyone has none.
func (p Page) showsCallPanel() bool { return p.CallPanel != nil && !p.Public }

// callRefused reports whether a transaction failed because of one of its operations.
func callRefused(c storage.Call) bool {
	return slices.ContainsFunc(c.Operations, func(op storage.CallOperation) bool { return op.Result != "" })
}

func (v CallPanel) summary() string {
	words := counted(v.Totals.Calls, "storage call") + ", " + brief(v.Totals.Time)
	if slices.ContainsFunc(v.Calls, callRefused) {
		words += "; a transaction was refused"
	}
	return words
}

// dollarsPerMillion is the price of a million calls of a table. The page says where it is from.
const dollarsPerMillion = 0.036

// queued is how many of the calls were of a queue.
func (v CallPanel) queued() (n int) {
	for _, call := range v.Calls {
		if call.Queue {
			n++
		}
	}
	return n
}

// price says what a million views cost in Azure, for so many calls of tables each.
func price(calls int) string { return fmt.Sprintf("$%.2f", float64(calls)*dollarsPerMillion) }

// kinds are the kinds of row that the calls met, each once.
func (v CallPanel) kinds() []*schema.Kind {
	return slices.DeleteFunc(schema.Kinds(), func(k *schema.Kind) bool {
		return !slices.ContainsFunc(v.Calls, func(c storage.Call) bool { return slices.Contains(c.Kinds, k) })
	})
}

// callRows says what the call read or wrote.
func callRows(c storage.Call) string {
	var words []string
	switch {
	case c.Queue:
	case c.Operations != nil && c.Written == 0:
		words = append(words, "nothing written")
	case c.Operations != nil:
		words = append(words, counted(c.Written, "row")+" written")
	default:
		read := counted(c.Read, "row") + " read"
		if c.ReadAtLeast {
			read = "at least " + read
		}
		words = append(words, read, strconv.Itoa(c.Returned)+" returned")
	}
	return strings.Join(append(words, counted(c.Bytes, "byte"), brief(c.Took)), ", ")
}
