package templates

import (
	"testing"
	"time"

	"microblogging/storage"
	"microblogging/storage/schema"
)

func TestCallPanel(t *testing.T) {
	t.Run("lists each call in order", func(t *testing.T) {
		untold, sent := sampleCall(), storage.Call{Target: "delete-channel-and-blogs", Queue: true, Kind: "send", Result: "ok"}
		untold.ReadAtLeast = true
		v := CallPanel{Calls: []storage.Call{sampleCall(), untold, sent}, Totals: storage.CallTotals{Calls: 3, Time: 9 * time.Millisecond, Read: 42, Returned: 40}}
		showCallPanel(t, v,
			in("details[class=behind]", in("summary", says("Behind this page · 3 storage calls, 9.0 ms")), times(3, "p[class=call]"), times(0, "details[open]"),
				says("table Blogs"), says("21 rows read, 20 returned, 8,400 bytes, 4.2 ms"), says("at least 21 rows read"),
				says("queue delete-channel-and-blogs"), says("read 42 rows and returned 40"),
				says("cost $0.07 in Azure, for 2 table calls each. Queue calls cost extra.")),
			in("link[rel=stylesheet][href=/static/call-panel.css]"),
		)
	})
	t.Run("marks what was refused", func(t *testing.T) {
		v := CallPanel{Calls: []storage.Call{sampleCall(), refusedCall()}, Totals: calls(2)}
		showCallPanel(t, v, in("details[class=behind]", in("summary", says("a transaction was refused")), times(2, "strong"),
			says(": not found: A change of what"), says("nothing written")), without("a[href=/lab/open-gate]"))
		page := callPanelPage(v)
		page.Lab = true
		expect(t, LearnPage(page), in("details[class=behind]", in("a[href=/lab/open-gate]")))
	})
	t.Run("says that it does not list all", func(t *testing.T) {
		call := refusedCall()
		call.MoreOperations = 88
		showCallPanel(t, CallPanel{Calls: []storage.Call{call}, Totals: calls(403)},
			in("details[class=behind]", says("These are the first 1 of 403 calls."), says("and 88 more"), says("403 storage calls")))
		showCallPanel(t, CallPanel{Calls: []storage.Call{call}, Totals: calls(1)}, in("details[class=behind]", silent("These are the first"), says("1 storage call,")))
		showCallPanel(t, CallPanel{}, in("details[class=behind]", says("The page made no storage call."), silent("A million")))
	})
	t.Run("explains each kind of row once", func(t *testing.T) {
		v := CallPanel{Calls: []storage.Call{sampleCall(), refusedCall(), sampleCall()}, Totals: calls(3)}
		showCallPanel(t, v, in("details[class=behind]", in("dl", times(2, "dt"), says("open gate"), says("The time in its key counts down")), without("a[href=/lab/post]")))
		page := callPanelPage(v)
		page.Lab = true
		expect(t, LearnPage(page), in("dl", in("a[href=/lab/post]", says("Try to break it"))))
	})
	t.Run("is not on a page that is the same for everyone", func(t *testing.T) {
		page := callPanelPage(CallPanel{})
		page.Public = true
		expect(t, LearnPage(page), without("div[class=call-panel]"), without("link[href=/static/call-panel.css]"))
		expect(t, LearnPage(pageAt("/", "")), without("div[class=call-panel]"), without("link[href=/static/call-panel.css]"))
	})
}

func sampleCall() storage.Call {
	return storage.Call{
		Target: "Blogs", Kind: "range", Condition: "PartitionKey = garden and RowKey like blog!<id>", Result: "ok",
		Kinds: []*schema.Kind{schema.Blog}, Read: 21, Returned: 20, Bytes: 8400, Took: 4200 * time.Microsecond,
	}
}

func refusedCall() storage.Call {
	return storage.Call{
		Target: "Blogs", Kind: "transaction", Result: "not found", Kinds: []*schema.Kind{schema.OpenGate, schema.Blog},
		Operations: []storage.CallOperation{
			{Words: "merge gate!open!<incarnation>", Kind: schema.OpenGate, Condition: "if it is there", Result: "not found"},
			{Words: "insert blog!<id>", Kind: schema.Blog, Condition: "if it is not there"},
		},
	}
}

func calls(n int) storage.CallTotals { return storage.CallTotals{Calls: n} }

func callPanelPage(v CallPanel) Page {
	page := teaching(pageAt("/channels/garden", ""))
	page.CallPanel = func() CallPanel { return v }
	return page
}

func showCallPanel(t *testing.T, v CallPanel, checks ...check) {
	t.Helper()
	expect(t, LearnPage(callPanelPage(v)), checks...)
}
