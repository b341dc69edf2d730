package lab

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// names translates between the tokens of an actor and canonical names. A state must
// look the same each time it is reached, so nothing random and no time may enter
// the store. A token that the actor mints gets a name from the actor and from the
// order in which the actor first sent it, whatever other actors did meanwhile. The
// backend sees names alone. The actor's code gets its own tokens back; the tokens
// of other actors it sees as their names, which are valid tokens too.
type names struct {
	actor int
	// named are the actor's tokens by name; tokens are the names by token.
	named, tokens map[string]string
	// hashed are the names of tokens by their hash (see hash). seen are the hashes of names that
	// other actors have made.
	hashed map[string]string
	seen   map[string]bool
	// calls counts the calls. For the first of them, so many as ahead says, the clock is ahead.
	calls, ahead int
	clocks       clocks
}

// A clock is what the clock of an actor shows, in a scenario in which time passes.
type clock struct {
	runs bool
	// at is the true time since the start, and ahead how far the clock is ahead of that.
	at, ahead time.Duration
}

// clocks are what the clock of an actor has shown, each with the real time from which on it has. The
// actor's code reads the real clock, which hardly moves. So a deadline that it has is as far away
// from the real time at which it was made, or received, as it is from what the clock showed then. All
// other times are the start, as in every scenario.
type clocks []struct {
	clock
	from time.Time
}

// set notes what the clock shows from now on.
func (c *clocks) set(now clock) {
	if n := len(*c); n == 0 || (*c)[n-1].clock != now {
		*c = append(*c, struct {
			clock
			from time.Time
		}{now, domain.Now()})
	}
}

func (c clocks) now() clock { return c[len(c)-1].clock }

// deadline is the time in the lab of a deadline that the actor's code has, and what the clock showed
// when it was made.
func (c clocks) deadline(t time.Time) (time.Time, clock) {
	away := time.Until(t).Round(time.Minute)
	at := len(c) - 1
	for at > 0 && c[at].from.After(t.Add(-away)) {
		at--
	}
	return Instant().Add(c[at].at + c[at].ahead + away), c[at].clock
}

// real is the inverse of deadline, for one that is received now.
func (c clocks) real(t time.Time) time.Time {
	return time.Now().Add(t.Sub(Instant()) - c.now().at - c.now().ahead)
}

func isDeadline(property string) bool { return property == "UndoableUntil" || property == "DueOn" }

// A name is a valid token: a prefix, a letter for the actor, and a number.
const (
	tokenLength = 26
	namePrefix  = "LABORATORYAAAAAAAAAA"
	nameDigits  = tokenLength - len(namePrefix) - 1
)

func newNames(actor, ahead int, at clock) *names {
	n := &names{
		actor: actor, ahead: ahead, named: map[string]string{}, tokens: map[string]string{}, seen: map[string]bool{},
		hashed: map[string]string{schema.SignUpPartition(SignUpKey): SignUpKey}, // no token makes it
	}
	n.clocks.set(at)
	return n
}

// SignUpKey is the idempotency key of all who sign up with one.
const SignUpKey = "key"

// know makes the actor know a token by its name: another actor gave it.
func (n *names) know(name string) {
	if name != "" {
		n.hashed[schema.SessionPartition(name)] = name
	}
}

// hash replaces the hash of a token of the actor by the hash of the token's name. The
// actor sends the hash before it tells the token, so that the name is made here. The hash
// of a name is returned unchanged.
func (n *names) hash(s string) string {
	if s == "" || n.seen[s] {
		return s
	}
	name, ok := n.hashed[s]
	if !ok {
		name = nameOf(n.actor, len(n.tokens)+1)
		n.tokens["hash "+s] = name // it takes the number
		n.hashed[s], n.hashed[schema.SessionPartition(name)] = name, name
	}
	return schema.SessionPartition(name)
}

// token is the name of a token that the actor tells, once its hash was sent.
func (n *names) token(s string) string {
	if name, ok := n.hashed[schema.SessionPartition(s)]; ok {
		return name
	}
	return n.outward(s)
}

func nameOf(actor, number int) string {
	digits := []byte(strings.Repeat("A", nameDigits))
	for i := nameDigits - 1; number > 0; i-- {
		digits[i] += byte(number % 26)
		number /= 26
	}
	return namePrefix + string(rune('A'+actor)) + string(digits)
}

// Minter is the number of the actor that has minted a token, or 0.
func Minter(token string) int {
	actor, _, _ := parseName(token)
	return actor
}

// parseName is the inverse of nameOf.
func parseName(token string) (actor, number int, ok bool) {
	rest, ok := strings.CutPrefix(token, namePrefix)
	if !ok || len(rest) != 1+nameDigits {
		return 0, 0, false
	}
	for _, digit := range rest[1:] {
		number = 26*number + int(digit-'A')
	}
	return int(rest[0] - 'A'), number, true
}

// outward replaces the actor's tokens by their names.
func (n *names) outward(s string) string {
	return replaceTokens(s, func(token string) string {
		if name, ok := n.tokens[token]; ok {
			return name
		}
		if strings.HasPrefix(token, namePrefix) {
			return token
		}
		name := nameOf(n.actor, len(n.tokens)+1)
		n.tokens[token], n.named[name] = name, token
		return name
	})
}

// inward replaces names by the actor's tokens.
func (n *names) inward(s string) string {
	return replaceTokens(s, func(name string) string {
		if token, ok := n.named[name]; ok {
			return token
		}
		return name
	})
}

// replaceTokens replaces each part of s that looks like a token.
func replaceTokens(s string, replace func(string) string) string {
	if len(s) < tokenLength {
		return s
	}
	var b strings.Builder
	copied := 0
	for i := 0; i <= len(s)-tokenLength; {
		if !isTokenByte(s[i+tokenLength-1]) { // no token has that byte
			i += tokenLength
			continue
		}
		n := 0
		for i+n < len(s) && isTokenByte(s[i+n]) {
			n++
		}
		if n == tokenLength {
			token := s[i : i+n]
			if other := replace(token); other != token {
				b.WriteString(s[copied:i])
				b.WriteString(other)
				copied = i + n
			}
		}
		i += n + 1
	}
	if copied == 0 {
		return s
	}
	b.WriteString(s[copied:])
	return b.String()
}

func isTokenByte(c byte) bool { return c >= 'A' && c <= 'Z' || c >= '2' && c <= '7' }

// instant is the only time in the lab. It lies in the past, so the reconciling pass
// takes every deletion for stalled: it may do at any time what it may do at all.
func Instant() time.Time { return time.Date(2001, time.January, 1, 0, 0, 0, 0, time.UTC) }

// never is the time at which everything in the lab expires. Time does not pass, so that it
// does not come. It is also the present time of a clock that is far ahead.
func never() time.Time { return time.Date(2200, time.January, 1, 0, 0, 0, 0, time.UTC) }

// present is the time that the actor's clock shows.
func (n *names) present() time.Time {
	if n.calls < n.ahead {
		return never()
	}
	return Instant()
}

// outwardTime is the time in place of one that the actor sends. Only an end may lie ahead.
func (n *names) outwardTime(p driver.Property) time.Time {
	if n.clocks.now().runs && isDeadline(p.Name) {
		at, _ := n.clocks.deadline(p.Value.Instant())
		return at
	}
	if slices.Contains([]string{"ExpiresOn", "WindowEnds", "KnownUntil", "UndoableUntil"}, p.Name) {
		return n.end(p.Value.Instant())
	}
	return n.present()
}

func (n *names) end(t time.Time) time.Time {
	if t.After(time.Now()) {
		return never()
	}
	return n.present()
}

// inwardTime is the time that the actor receives. What has not ended does so soon.
func (n *names) inwardTime(p driver.Property) time.Time {
	if n.clocks.now().runs && isDeadline(p.Name) {
		return n.clocks.real(p.Value.Instant())
	}
	if (p.Name == "WindowEnds" || p.Name == "UndoableUntil") && p.Value.Instant().Equal(never()) {
		return time.Now().Add(time.Minute)
	}
	return p.Value.Instant()
}

// call translates what the actor sends, and removes times.
func (n *names) call(c Call) *Call {
	if c.Target == schema.TableSessions && !schema.Invitation.IsIn(c.Partition) {
		c.Partition = n.hash(c.Partition)
	}
	c.Partition, c.Row = n.outward(c.Partition), n.outward(c.Row)
	c.From, c.To = n.outward(c.From), n.outward(c.To)
	c.Operations = slices.Clone(c.Operations)
	for i := range c.Operations {
		op := &c.Operations[i]
		op.Row = n.outward(timeless(op.Row))
		// The trace of a deletion is full of times. It is a report that no code depends
		// on, so that the lab leaves it out.
		op.Properties = slices.DeleteFunc(slices.Clone(op.Properties), func(p driver.Property) bool { return p.Name == "Steps" })
		op.Properties = translate(op.Properties, n.outward, n.outwardTime)
		for i, p := range op.Properties {
			switch p.Name {
			case "DigestSecret":
				op.Properties[i] = driver.String(p.Name, n.hash(p.Value.Text()))
			case "RequestedOn":
				op.Properties[i] = driver.Time(p.Name, Instant()) // as in the key of the row that names the deletion
			case "Text0": // the key of this row is a hash of the text
				text := n.poison(p.Value.Text())
				op.Row, op.Properties[i] = schema.PoisonRow(text), driver.String(p.Name, strconv.QuoteToASCII(text))
			}
		}
	}
	if c.Message.Text != "" {
		c.Message.Text = n.outward(n.message(c.Message.Text))
		m, _ := domain.DecodeMessage(c.Message.Text)
		c.sent = SentMessage{c.Message.Text, m}
	}
	n.calls++
	return &c
}

// poison translates the quoted text of a message that waits for an operator.
func (n *names) poison(quoted string) string {
	text, _ := strconv.Unquote(quoted) // as it was quoted
	return n.outward(n.message(text))
}

// message removes times from a message.
func (n *names) message(text string) string {
	m, err := domain.DecodeMessage(text)
	if err != nil {
		return text
	}
	m.RequestedOn = Instant() // as RequestedOn of the record that it makes
	if !m.QueuedOn.IsZero() {
		m.QueuedOn = n.present()
	}
	switch {
	case m.UndoableUntil.IsZero():
	case n.clocks.now().runs:
		m.UndoableUntil, _ = n.clocks.deadline(m.UndoableUntil)
	default:
		m.UndoableUntil = n.end(m.UndoableUntil)
	}
	return m.Encode()
}

// answer translates what the actor receives.
func (n *names) answer(a Result) Result {
	a.Entity = n.entity(a.Entity)
	a.Page.Rows = slices.Clone(a.Page.Rows)
	for i, row := range a.Page.Rows {
		a.Page.Rows[i] = n.entity(row)
		n.seen[row.Partition] = len(row.Partition) == len(schema.SessionPartition(""))
	}
	a.Messages = slices.Clone(a.Messages)
	for i := range a.Messages {
		text := &a.Messages[i].Text
		*text = n.inward(*text)
		if !n.clocks.now().runs {
			continue
		}
		if m, err := domain.DecodeMessage(*text); err == nil && !m.UndoableUntil.IsZero() {
			m.UndoableUntil = n.clocks.real(m.UndoableUntil)
			*text = m.Encode()
		}
	}
	return a
}

func (n *names) entity(e driver.Entity) driver.Entity {
	e.Partition, e.Row = n.inward(e.Partition), n.inward(e.Row)
	e.Properties = translate(e.Properties, n.inward, n.inwardTime)
	return e
}

// timeless removes the time from the key of a row that names a deletion that a user asked
// for. No other key is made of the present time.
func timeless(row string) string {
	kind, rest, _ := strings.Cut(row, "!")
	_, rest, _ = strings.Cut(rest, "!")
	if kind != "requested" {
		return row
	}
	return kind + "!" + domain.RecentFirst(Instant()) + "!" + rest
}

// translate copies properties with translated texts and times.
func translate(properties driver.Properties, text func(string) string, at func(driver.Property) time.Time) driver.Properties {
	translated := slices.Clone(properties)
	for i, p := range translated {
		switch p.Value.Kind() {
		case driver.KindString:
			translated[i] = driver.String(p.Name, text(p.Value.Text()))
		case driver.KindDateTime:
			translated[i] = driver.Time(p.Name, at(p))
		}
	}
	return translated
}
