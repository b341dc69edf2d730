package templates

import (
	"errors"
	"strings"
	"testing"
	"time"

	"microblogging/storage/schema"
)

const sampleHash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// countedDown stands for domain.ParseRecentFirst.
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
		Link:       Link{Label: "Written in step 7", URL: "/lab/post?s=x"},
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
	t.Run("a mark is a word and a sign, and not a color alone", func(t *testing.T) {
		root := parse(t, render(t, Table(sampleTable())))
		for class, sign := range map[string]string{"inserted": "+", "changed": "~", "deleted": "−"} {
			if err := in("tr[class="+class+"]", in("strong", says(sign), says(class)))(root); err != nil {
				t.Error(err)
			}
		}
		if err := times(3, "strong")(root); err != nil {
			t.Error(err)
		}
	})
	t.Run("each row and each message has a key of its own", func(t *testing.T) {
		root := parse(t, render(t, Table(sampleTable()))+render(t, Queue(sampleQueue())))
		seen := map[string]bool{}
		for _, n := range find(root, "[data-key]") {
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
	t.Run("says what a row was before, and leads on", func(t *testing.T) {
		if err := in("tr[class=changed]", in("del", says("3")), in("ins", says("4")), in("a[href=/lab/post?s=x]", says("Written in step 7")))(parse(t, render(t, Table(sampleTable())))); err != nil {
			t.Error(err)
		}
	})
	t.Run("names the kind of each row, and leads to what it is for", func(t *testing.T) {
		table := sampleTable()
		plain := parse(t, render(t, Table(table)))
		table.Explained = true
		explained := parse(t, render(t, Table(table)))
		for _, err := range []error{
			in("tr[class=deleted]", in("b[class=store-kind]", says("open gate")), without("a[href=#kind-Blogs-open-gate]"))(plain),
			in("tr[class=deleted]", in("b[class=store-kind]", in("a[href=#kind-Blogs-open-gate]", says("open gate"))))(explained),
			times(4, "b[class=store-kind]")(explained),
		} {
			if err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("says that it is empty", func(t *testing.T) {
		root := parse(t, render(t, Table(TableBlock{Key: "k", Name: "Channels", Level: 3}))+render(t, Queue(QueueBlock{Key: "q", Name: "queue"})))
		for _, c := range []check{in("h3", says("Channels")), says("No rows."), says("No messages."), without("table")} {
			if err := c(root); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestQueue(t *testing.T) {
	root := parse(t, render(t, Queue(sampleQueue())))
	for _, c := range []check{
		in("li[class=inserted]", says("leased"), says("delivered 2 times"), says("inserted"), in("code", says(nasty))),
		in("li[data-key=m2]", says("visible"), says("never delivered"), without("pre")),
	} {
		if err := c(root); err != nil {
			t.Error(err)
		}
	}
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
		{"Deletions", "aurora", "AAAA!lesson", "lesson", "AAAA!=incarnation of the channel|lesson=kind of row"},
		{"Deletions", "aurora", "AAAA!" + id + "!BBBB", "stopped deletion of a post", "AAAA!=incarnation of the channel|2516789012345678901!=time, counted down: 29 July 2026, 12:00:00 UTC|ABC!=random, so that no two are equal|BBBB=revision of the post"},
		{"Deletions", "unread!", sampleHash, "unread message", "0123456789ab…=SHA-256 of the message’s id and text, shortened"},
		{"Users", "ada", "owned!aurora", "owned channel", "owned!=kind of row|aurora=key of the channel: its name, folded"},
		{"Users", "ada", "asked!0000000000000000000!aurora!AAAA", "deletion asked for", "asked!=kind of row|0000000000000000000!=time, counted down|aurora!=key of the channel: its name, folded|AAAA=incarnation of the channel"},
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
	t.Run("leads to the lab only if there is one", func(t *testing.T) {
		kinds := []*schema.Kind{schema.OpenGate}
		page := parse(t, render(t, RowKindList(kinds, true)))
		if err := in("div[id=kind-Blogs-open-gate]", says("The fence of this channel, open"), in("a[href=/lab/post]"))(page); err != nil {
			t.Error(err)
		}
		if err := without("a")(parse(t, render(t, RowKindList(kinds, false)))); err != nil {
			t.Error(err)
		}
	})
}
