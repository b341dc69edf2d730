package templates

import (
	"errors"
	"strings"
	"testing"
	"time"

	"microblogging/storage/schema"
)

const sampleHash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// countedDown replaces domain.ParseRecentFirst.
func countedDown(digits string) (time.Time, error) {
	if digits != "2516789012345678901" {
		return time.Time{}, errors.New("no time")
	}
	return noon(), nil
}

func sampleRow(row string, m Mark) TableRow {
	kind, parts := ExplainRow("Blogs", "aurora", row, countedDown)
	return TableRow{
		Key: "Blogs aurora " + row, Partition: "aurora", Kind: kind, Parts: parts, ETag: "7", Mark: m,
		Properties: []RowProperty{{Name: "Incarnation", Value: "AAAA"}, {Name: "Rating", Value: "4", Changed: true, Was: "3"}},
	}
}

// sampleTable has a row of each mark.
func sampleTable() TableBlock {
	return TableBlock{Key: "table Blogs", Name: "Blogs", Note: "In key order.", Rows: []TableRow{
		sampleRow("blog!2516789012345678901!ABC", Changed), sampleRow("gate!open!AAAA", Deleted),
		sampleRow("gate!shut!AAAA", Inserted), sampleRow("once!"+sampleHash, Unmarked), sampleRow(nasty, Unmarked),
	}}
}

func sampleQueue() QueueBlock {
	return QueueBlock{Key: "queue", Name: "delete-channel-and-blogs", Messages: []QueuedMessage{
		{Key: "m1", Words: "Delete the channel " + nasty, Text: nasty, Leased: true, Deliveries: 2, Mark: Inserted},
		{Key: "m2", Words: "Delete the channel aurora"},
	}}
}

func TestTable(t *testing.T) {
	shows(t, "a mark is a word and a sign, and not a color alone", Table(sampleTable()), times(3, "strong"),
		in("tr[class=inserted]", in("strong", says("+"), says("inserted"))), in("tr[class=changed]", in("strong", says("~"), says("changed"))),
		in("tr[class=deleted]", in("strong", says("−"), says("deleted"))))
	t.Run("each row and each message has a key of its own", func(t *testing.T) {
		seen := map[string]bool{}
		for _, n := range find(parse(t, render(t, Table(sampleTable()))+render(t, Queue(sampleQueue()))), "[data-key]") {
			key, _ := attribute(n, "data-key")
			if key == "" || seen[key] {
				t.Errorf("the key %q is empty, or there twice", key)
			}
			seen[key] = true
		}
		if len(seen) != 9 {
			t.Errorf("%d keys: %v", len(seen), seen)
		}
	})
	shows(t, "says what a row was before, and leads on", Table(sampleTable()),
		in("tr[class=changed]", in("del", says("3")), in("ins", says("4"))))
	shows(t, "names the kind of each row", Table(sampleTable()), times(4, "b[class=store-kind]"),
		in("tr[class=deleted]", in("b[class=store-kind]", says("open gate")), without("a[href=#kind-Blogs-open-gate]")))
	explained := sampleTable()
	explained.Explained = true
	shows(t, "leads to what a kind is for", Table(explained), in("tr[class=deleted]", in("a[href=#kind-Blogs-open-gate]", says("open gate"))))
	shows(t, "says that it is empty", Table(TableBlock{Key: "k", Name: "Channels", Level: 3}), in("h3", says("Channels")), says("No rows."), without("table"))
}

func TestChannelRowsPage(t *testing.T) {
	v := ChannelRows{Channel: "aurora", UnderWay: true, Partition: sampleTable(), Tables: []TableBlock{
		{Key: GateBlock, Name: "Blogs: the gate", Rows: []TableRow{sampleRow("gate!reserved!BBBB", Unmarked), sampleRow("gate!shut!AAAA", Unmarked)}},
		{Key: "table deletion", Name: "Deletions", Rows: []TableRow{sampleRow("x", Unmarked)}},
	}}
	shows(t, "has a map first, and the rows in folds", ChannelRowsPage(pageAt("/x", "ingrid"), v),
		in("div[id=rows][data-live]", in("section[class=rows-map]",
			times(1, "li[aria-current=step]"), in("li[class=gate shut][aria-current=step]"), says("No transaction crosses this line"),
			times(5, "i"), in("a[href=#fold-kind-post]", says("post 1")), in("li[class=lit]", says("Deletions 1 row")), says("no visible message")),
			times(3, "tr[class]"), in("details[id=fold-kind-post]", without("tr[class=deleted]")), without("details[id=fold-kind-post][open]"), in("details[id=fold-table-gate][open]")))
}

func TestQueue(t *testing.T) {
	shows(t, "says of each message whether it is leased", Queue(sampleQueue()),
		in("li[class=inserted]", says("leased"), says("delivered 2 times"), says("inserted"), in("code", says(nasty))),
		in("li[data-key=m2]", says("visible"), says("never delivered"), without("pre")))
	shows(t, "says that it is empty", Queue(QueueBlock{Key: "q", Name: "queue"}), says("No messages."))
}

func TestExplainRow(t *testing.T) {
	const id = "2516789012345678901!ABC"
	for _, c := range []struct{ table, partition, row, kind, parts string }{
		{"Channels", "aurora", "", "channel", "=empty: the partition has one row of this kind"},
		{"Blogs", "aurora", "gate!open!AAAA", "open gate", "gate!open!=kind of row|AAAA=incarnation of the channel"},
		{"Blogs", "aurora", "gate!reserved!AAAA", "reservation", "gate!reserved!=kind of row|AAAA=incarnation of the channel"},
		{"Blogs", "aurora", "blog!" + id, "post", "blog!=kind of row|2516789012345678901!=time, counted down: 29 July 2026, 12:00:00 UTC|ABC=random, so that no two are equal"},
		{"Blogs", "aurora", "vote!" + id + "!jo", "vote", "vote!=kind of row|2516789012345678901!=time, counted down: 29 July 2026, 12:00:00 UTC|ABC!=random, so that no two are equal|jo=name of the user"},
		{"Blogs", "aurora", "rate!9999999996!" + id, "rating index", "rate!=kind of row|9999999996!=rating, counted down: 3 votes|2516789012345678901!=time, counted down: 29 July 2026, 12:00:00 UTC|ABC=random, so that no two are equal"},
		{"Blogs", "aurora", "once!" + sampleHash, "idempotency key", "once!=kind of row|0123456789ab…=SHA-256 of the author and the key, shortened"},
		{"Deletions", "aurora", "AAAA", "deletion", "AAAA=incarnation of the channel"},
		{"Deletions", "poison!", sampleHash, "poison message", "0123456789ab…=SHA-256 of the message’s text, shortened"},
		{"Users", "ada", "owned!aurora", "owned channel", "owned!=kind of row|aurora=key of the channel: its name, folded"},
		{"Users", "ada", "requested!0000000000000000000!aurora!AAAA", "deletion asked for", "requested!=kind of row|0000000000000000000!=time, counted down|aurora!=key of the channel: its name, folded|AAAA=incarnation of the channel"},
		{"Sessions", sampleHash, "", "session", "=empty: the partition has one row of this kind"},
		{"Throttle", "user!" + sampleHash, "address!" + sampleHash, "address of a user", "address!=kind of row|0123456789ab…=SHA-256 of the address, shortened"},
		{"Throttle", "address!" + sampleHash, "", "failures", "=empty: the partition has one row of this kind"},
		{"Blogs", "aurora", "later!x", "", "later!x="},
		{"Blogs", "aurora", "gate!open!", "", "gate!open!="},
		{"Elsewhere", "aurora", "", "", "="},
	} {
		kind, parts := ExplainRow(c.table, c.partition, c.row, countedDown)
		var got []string
		for _, part := range parts {
			got = append(got, part.Text+"="+part.Meaning)
		}
		if joined := strings.Join(got, "|"); nameOf(kind) != c.kind || joined != c.parts {
			t.Errorf("%s %s:\n got %q: %s\nwant %q: %s", c.table, c.row, nameOf(kind), joined, c.kind, c.parts)
		}
	}
}

func nameOf(kind *schema.Kind) string {
	if kind == nil {
		return ""
	}
	return kind.Name
}

func TestRowKindList(t *testing.T) {
	kinds := []*schema.Kind{schema.OpenGate}
	shows(t, "leads to the lab", RowKindList(kinds, true), in("div[id=kind-Blogs-open-gate]", says("The fence of this channel, open"), in("a[href=/lab/post]")))
	shows(t, "leads nowhere if there is no lab", RowKindList(kinds, false), without("a"))
}
