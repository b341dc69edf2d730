package page

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/mem"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
	"microblogging/templates"
)

// names say in words what rows, calls and answers of a run mean: “post by Ann, of incarnation 1”. They count the
// incarnations of a channel and the posts of an author in the order in which the run has them.
type names struct {
	scenario *lab.Scenario
	words    map[string]string
	counts   map[string]int
	// replaced has the words in the place of the identities. It is nil while these are collected.
	replaced *strings.Replacer
}

// namesOf collects the identities of a run: in the rows at its start, in what the calls write, and in the calls that come
// next.
func namesOf(s *lab.Scenario, moments []lab.Moment) *names {
	n := &names{scenario: s, words: map[string]string{}, counts: map[string]int{}}
	n.collect(moments, n.meet)
	n.collect(moments, n.meetPost)
	var pairs []string
	for identity, words := range n.words {
		pairs = append(pairs, `incarnation "`+identity+`"`, words, identity, words)
	}
	n.replaced = strings.NewReplacer(pairs...)
	return n
}

// collect calls found with each row of a run.
func (n *names) collect(moments []lab.Moment, found func(table string, e driver.Entity)) {
	for _, table := range append(schema.Tables(), moments[0].DB.Tables()...) {
		for e := range moments[0].DB.Rows(table) {
			found(table, e)
		}
	}
	call := func(c *lab.Call) {
		if c != nil {
			for _, e := range asked(c) {
				found(c.Target, e)
			}
		}
	}
	for _, m := range moments[1:] {
		call(m.Step.Call)
	}
	for _, a := range moments[len(moments)-1].Actors {
		call(a.Call)
	}
}

// written are the rows of a call as it would write them.
func written(c *lab.Call) (rows []driver.Entity) {
	for _, op := range c.Operations {
		rows = append(rows, driver.Entity{Partition: c.Partition, Row: op.Row, Properties: op.Properties})
	}
	return rows
}

// asked are the rows that a call reads or writes one by one.
func asked(c *lab.Call) []driver.Entity {
	if c.Method == driver.CallGet {
		return []driver.Entity{{Partition: c.Partition, Row: c.Row}}
	}
	return written(c)
}

// meet names the identities that a row has.
func (n *names) meet(table string, e driver.Entity) {
	kind := schema.Of(table, e.Partition, e.Row)
	if kind == nil {
		return
	}
	channel, author := e.Partition, e.Properties.String(schema.PropUserID)
	switch user := e.Properties.String(schema.PropUser); {
	case kind == schema.Wrote:
		channel, author = e.Properties.String(schema.PropChannel), e.Partition
	case kind == schema.Session && e.Properties.Bool(schema.PropLink):
		n.name(e.Partition, "sign-in link of "+capital(user))
	case kind == schema.Session && user != "":
		n.name(e.Partition, "session of "+capital(user))
	}
	for _, part := range kind.Parts(e.Row) {
		switch {
		case part.Name == "key":
			channel = part.Text
		case part.Name == "incarnation":
			n.incarnation(channel, part.Text)
		case part.Name == "id" && (kind == schema.Blog || kind == schema.Wrote):
			n.post(channel, author, part.Text)
		}
	}
	if kind.Partition == "<key>" {
		n.incarnation(channel, e.Properties.String(schema.PropIncarnation))
	}
}

// meetPost names a post of which there is no row that says by whom it is.
func (n *names) meetPost(table string, e driver.Entity) {
	if kind := schema.Of(table, e.Partition, e.Row); kind != nil {
		for _, part := range kind.Parts(e.Row) {
			if part.Name == "id" {
				n.post(e.Partition, "", part.Text)
			}
		}
	}
}

func (n *names) incarnation(channel, token string) {
	if token == "" || n.words[token] != "" {
		return
	}
	if user, is := strings.CutPrefix(channel, "@"); is {
		n.words[token] = capital(user) + "'s account"
		return
	}
	n.counts[channel]++
	n.words[token] = "incarnation " + strconv.Itoa(n.counts[channel])
	if channel != news {
		n.words[token] += " of “" + channel + "”"
	}
}

func (n *names) post(channel, author, id string) {
	if n.words[id] != "" {
		return
	}
	if maker := lab.Minter(id[strings.LastIndex(id, "!")+1:]); author == "" && maker > 0 {
		author = n.scenario.Actors[maker-1].Name
	}
	words := "post"
	if author != "" {
		words += " by " + capital(author)
	}
	if channel != news {
		words += " in “" + channel + "”"
	}
	n.name(id, words)
}

// name gives an identity a name, with a number if another one has the name already.
func (n *names) name(identity, words string) {
	if n.words[identity] != "" {
		return
	}
	if n.counts[words]++; n.counts[words] > 1 {
		words += " (" + strconv.Itoa(n.counts[words]) + ")"
	}
	n.words[identity] = words
}

// text has words in the place of the identities in a text.
func (n *names) text(text string) string { return n.scenario.Pretty(n.replaced.Replace(text)) }

// noun is what people call a kind of row in the lab.
func noun(kind *schema.Kind) string {
	switch kind {
	case schema.Deletion:
		return "record of the deletion"
	case schema.OpenDeletion:
		return "index of open deletions"
	case schema.Active:
		return "index of active channels"
	case schema.PostingRule:
		return "who may post"
	case schema.Wrote:
		return "list of posts"
	case schema.Replied:
		return "list of replies"
	case schema.OpenBlog:
		return "index of open deletions of posts"
	case schema.Voted:
		return "list of votes"
	case schema.Requested:
		return "list of deletions"
	case schema.Owned:
		return "list of channels"
	case schema.Made:
		return "note of what a key made"
	}
	return kind.Name
}

// row is what a row, or a message as one, means.
func (n *names) row(store string, e driver.Entity) string {
	if store == domain.QueueName {
		return "message: " + n.message(e.Properties.String("Text"))
	}
	kind := schema.Of(store, e.Partition, e.Row)
	if kind == nil { // of a reader's own protocol
		return n.text(templates.ShortKey(strings.Trim(e.Partition+" "+e.Row, " ")))
	}
	words := noun(kind)
	switch {
	case kind.Partition == "<user>":
		words = capital(e.Partition) + "'s " + words
	case kind.Form == "" && kind.Partition == "<key>":
		words += " “" + e.Partition + "”"
	case kind == schema.Session && n.words[e.Partition] != "":
		return n.words[e.Partition]
	}
	return words + n.parts(kind, e)
}

// parts are what a row says of others: whose it is, of which incarnation, and which post it is about.
func (n *names) parts(kind *schema.Kind, e driver.Entity) (words string) {
	about := e.Properties.String(schema.PropBlog)
	for _, part := range kind.Parts(e.Row) {
		switch part.Name {
		case "user":
			words += " " + capital(part.Text)
		case "id":
			about = part.Text
		case "incarnation":
			words += " of " + n.text(part.Text)
		case "key":
			if !strings.Contains(kind.Form, "<incarnation>") {
				words += ": “" + part.Text + "”"
			}
		}
	}
	incarnation := e.Properties.String(schema.PropIncarnation)
	switch {
	case kind == schema.Blog:
		words = strings.TrimPrefix(n.text(about), kind.Name) // the noun is there already
		if incarnation != "" {
			words += ", of " + n.text(incarnation)
		}
	case about != "":
		words += ": " + n.text(about)
	case kind == schema.Made:
		words += ": " + n.text(incarnation)
	}
	return words
}

// value is what a row says that actors decide by. It is empty if that is only that the row is there.
func (n *names) value(store string, e driver.Entity) string {
	kind := schema.Of(store, e.Partition, e.Row)
	var words []string
	for _, p := range e.Properties {
		text := n.text(templates.ShortKey(lab.Clip(p.Value.String())))
		switch {
		case kind == nil && p.Value.Kind() != driver.KindDateTime:
			words = append(words, p.Name+" "+text)
		case kind == nil || text == "":
		case p.Name == schema.PropState:
			words = slices.Insert(words, 0, text)
		case p.Name == schema.PropIncarnation && kind == schema.Channel:
			words = append(words, text)
		case p.Name == schema.PropPosting:
			words = append(words, strings.Replace(text, string(domain.PostersOpen), "everybody", 1))
		case p.Name == schema.PropBlocked, p.Name == schema.PropMembers:
			words = append(words, strings.ToLower(p.Name)+": "+accounts(p.Value.Text()))
		case p.Name == schema.PropEnded && p.Value.Number() != 0:
			words = append(words, "ended")
		case slices.Contains([]string{schema.PropRating, schema.PropEpoch, schema.PropUndoCount}, p.Name) && p.Value.Number() != 0:
			words = append(words, strings.ToLower(strings.ReplaceAll(p.Name, "Count", " count"))+" "+text)
		}
	}
	return strings.Join(words, ", ")
}

// accounts are the names of accounts in a property.
func accounts(text string) string {
	list, _ := schema.DecodeAccounts(text) // an operation has written them
	var words []string
	for _, account := range list {
		words = append(words, capital(string(account.Name)))
	}
	return strings.Join(words, " ")
}

// message is what a message asks for.
func (n *names) message(text string) string {
	m, err := domain.DecodeMessage(text)
	switch {
	case err != nil:
		return n.text(lab.Clip(text))
	case m.Kind == domain.MessageBlog:
		return "delete " + n.text(string(m.Blog))
	}
	return "delete " + n.text(string(m.Incarnation))
}

// mostNamed is how many rows are named one by one.
const mostNamed = 2

// rows are several, by their names or, if they are many, by their kinds.
func (n *names) rows(store string, list []driver.Entity) string {
	if len(list) == 0 {
		return "no row"
	}
	var words []string
	counts := map[string]int{}
	for _, e := range list {
		word := n.said(store, e)
		if kind := schema.Of(store, e.Partition, e.Row); len(list) > mostNamed && kind != nil {
			word = noun(kind)
		}
		if counts[word]++; counts[word] == 1 {
			words = append(words, word)
		}
	}
	for i, word := range words {
		if counts[word] > 1 {
			words[i] = strconv.Itoa(counts[word]) + " × " + word
		}
	}
	if len(list) > mostNamed {
		return lab.Count(len(list), "row") + ": " + strings.Join(words, ", ")
	}
	return strings.Join(words, "; ")
}

// listed is what a call lists.
func (n *names) listed(c *lab.Call) string {
	whose := ""
	if c.Partition != "" && c.Partition != news && !strings.Contains(c.Partition, "!") {
		whose = " of “" + c.Partition + "”"
	}
	for _, kind := range schema.Kinds() {
		across, _, _ := strings.Cut(kind.Partition, "<")
		switch {
		case kind.Table == c.Target && c.Partition == "" && across != "" && strings.HasPrefix(c.From, across):
			return plural(kind)
		case kind.Table != c.Target || c.Partition != "" && !kind.IsIn(c.Partition) || kind.Prefix() == "" || !strings.HasPrefix(c.From, kind.Prefix()):
		case kind.Partition == "<user>" && c.Partition != "":
			return capital(c.Partition) + "'s " + noun(kind)
		default:
			return plural(kind) + whose
		}
	}
	switch c.Target {
	case schema.TableSubscriptions:
		return capital(c.Partition) + "'s subscriptions"
	case schema.TableBlogs:
		return "all rows of “" + c.Partition + "”"
	}
	return "rows of the table " + c.Target + whose
}

func plural(kind *schema.Kind) string {
	switch words := noun(kind); {
	case kind == schema.PostingRule, kind == schema.Rate, strings.Contains(words, " of "):
		return words
	case kind == schema.Reply:
		return "replies"
	default:
		return words + "s"
	}
}

// call is what a call is about.
func (n *names) call(c *lab.Call) string {
	switch c.Method {
	case driver.CallGet:
		return n.row(c.Target, driver.Entity{Partition: c.Partition, Row: c.Row})
	case driver.CallRange, driver.CallScan:
		return n.listed(c)
	case driver.CallSend:
		return "message: " + n.message(c.Message.Text)
	case driver.CallTransact:
		return n.rows(c.Target, written(c))
	}
	return "the queue"
}

// answer is what a call was answered, or what it would have been if no caller waited for that. It is empty if there is none.
func (n *names) answer(step *lab.Step) string {
	switch {
	case step.Result != nil:
		return n.result(step.Call, step.Result)
	case step.Choice.Fate == lab.Lands:
		return "(" + n.result(step.Call, step.Applied) + ")"
	}
	return ""
}

func (n *names) result(c *lab.Call, r *lab.Result) string {
	switch {
	case r.Err != nil:
		return n.refusal(c, r.Err)
	case c.Method == driver.CallGet:
		return n.said(c.Target, r.Entity)
	case (c.Method == driver.CallRange || c.Method == driver.CallScan) && len(r.Page.Rows) == 0 && !strings.Contains(n.listed(c), " "):
		return "no " + n.listed(c) // the sentence of a call may not say which rows it lists
	case c.Method == driver.CallRange, c.Method == driver.CallScan:
		return n.rows(c.Target, r.Page.Rows)
	case c.Method == driver.CallLength:
		return lab.Count(int(r.Length), "message")
	case c.Method == driver.CallReceive:
		return n.message(r.Messages[0].Text)
	}
	return "ok"
}

// said is a row with its value.
func (n *names) said(store string, e driver.Entity) string {
	if value := n.value(store, e); value != "" {
		return n.row(store, e) + ": " + value
	}
	return n.row(store, e)
}

// refusal says because of which row the store has refused a call.
func (n *names) refusal(c *lab.Call, err error) string {
	row := driver.Entity{Partition: c.Partition, Row: c.Row}
	var failed *driver.OperationError
	if errors.As(err, &failed) && failed.Index < len(c.Operations) {
		row, err = written(c)[failed.Index], failed.Err
	}
	words := n.row(c.Target, row)
	switch {
	case c.OfQueue():
	case errors.Is(err, domain.ErrNotFound):
		return "not there: " + words
	case errors.Is(err, domain.ErrExists):
		return "there already: " + words
	case errors.Is(err, domain.ErrConflict):
		return "changed meanwhile: " + words
	}
	return n.text(err.Error())
}

// changes are what a step has changed, with the signs of the marks.
func (n *names) changes(step *lab.Step) string {
	list := step.Changes()
	var words []string
	counts := map[templates.Mark]int{}
	for _, c := range list {
		mark := markOf(c)
		if counts[mark]++; len(list) <= mostNamed {
			words = append(words, sign(mark)+" "+n.changed(step.Call.Target, c))
		}
	}
	for _, mark := range []templates.Mark{templates.Inserted, templates.Changed, templates.Deleted} {
		if len(list) > mostNamed && counts[mark] > 0 {
			words = append(words, sign(mark)+lab.Count(counts[mark], "row"))
		}
	}
	return strings.Join(words, ", ")
}

// changed is a row that was changed, with its new value if that is another one.
func (n *names) changed(store string, c mem.Change) string {
	if markOf(c) == templates.Changed && n.value(store, c.Before) != n.value(store, c.After) {
		return n.said(store, c.After)
	}
	return n.row(store, later(c))
}

func sign(mark templates.Mark) string {
	return map[templates.Mark]string{templates.Inserted: "+", templates.Changed: "~", templates.Deleted: "−"}[mark]
}

// violation says how an invariant is broken. Time hardly passes in the lab, so the time since then says nothing.
func (n *names) violation(b domain.Violation) string {
	detail := b.Detail
	before, after, _ := strings.Cut(detail, " since 2")
	if _, after, found := strings.Cut(after, "Z without progress"); found {
		detail = before + ", and no worker goes on with it" + after
	}
	if b.Table == "" {
		return n.text(detail)
	}
	return n.row(b.Table, driver.Entity{Partition: b.PartitionKey, Row: b.RowKey}) + ": " + n.text(detail)
}
