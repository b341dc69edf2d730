package oracle

import (
	"context"
	"fmt"
	"strings"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// The tables that are read.
const (
	tableChannels      = "Channels"
	tableBlogs         = "Blogs"
	tableDeletions     = "Deletions"
	tableSubscriptions = "Subscriptions"
	tableUsers         = "Users"
)

// Violations reads the store and returns what is wrong with it, nil if nothing is.
// Its order follows from the rows alone. The error is about reading.
func Violations(ctx context.Context, backend driver.Backend) ([]domain.Violation, error) {
	s := store{channels: map[string]channel{}, has: map[key]driver.Entity{}}
	if err := s.read(ctx, backend); err != nil {
		return nil, err
	}
	s.noOrphan()
	s.itEnds()
	s.indexesAgree()
	s.subscribersAgree()
	s.listsAgree()
	s.requestsAgree()
	s.gates()
	s.oneRule()
	s.whoIsGone()
	return s.violations, nil
}

// A key names one row of the store.
type key struct{ table, partition, row string }

// A channel is what a Channels row says that matters here.
type channel struct {
	incarnation, owner string
	active, open, shut bool
}

// store is all rows, and what was found wrong with them so far.
type store struct {
	// rows are those of each table in key order.
	rows map[string][]driver.Entity
	has  map[key]driver.Entity
	// channels are the live channels by their key.
	channels   map[string]channel
	violations []domain.Violation
}

func (s *store) read(ctx context.Context, backend driver.Backend) error {
	s.rows = map[string][]driver.Entity{}
	for _, table := range []string{tableChannels, tableBlogs, tableDeletions, tableSubscriptions, tableUsers} {
		for row, err := range driver.NewTable(backend, table).All(ctx, driver.Scan{}) {
			if err != nil {
				return fmt.Errorf("reading table %s: %w", table, err)
			}
			s.rows[table] = append(s.rows[table], row)
			s.has[key{table, row.Partition, row.Row}] = row
		}
	}
	for _, row := range s.rows[tableChannels] {
		of := row.Properties.String("Incarnation")
		_, open := s.has[key{tableBlogs, row.Partition, "gate!open!" + of}]
		_, shut := s.has[key{tableBlogs, row.Partition, "gate!shut!" + of}]
		s.channels[row.Partition] = channel{of, row.Properties.String("Owner"), row.Properties.String("State") == "active", open, shut}
	}
	return nil
}

func (s *store) violation(invariant, table string, row driver.Entity, format string, args ...any) {
	s.violations = append(s.violations, domain.Violation{
		Invariant: invariant, Table: table, PartitionKey: row.Partition, RowKey: row.Row,
		Detail: fmt.Sprintf(format, args...),
	})
}

// blogs calls f with each Blogs row of the live incarnation of its channel, with
// the kind of the row and the rest of its key.
func (s *store) blogs(f func(of channel, row driver.Entity, kind, rest string)) {
	for _, row := range s.rows[tableBlogs] {
		of, lives := s.channels[row.Partition]
		if lives && row.Properties.String("Incarnation") == of.incarnation {
			kind, rest, _ := strings.Cut(row.Row, "!")
			f(of, row, kind, rest)
		}
	}
}

// noOrphan is I1: every Blogs row is of the incarnation that its channel has, and each reply has its post. A creation that dies
// before its incarnation was told leaves an open gate or a reservation, which is harmless.
func (s *store) noOrphan() {
	for _, row := range s.rows[tableBlogs] {
		untold := strings.HasPrefix(row.Row, "gate!open!") || strings.HasPrefix(row.Row, "gate!reserved!")
		of := row.Properties.String("Incarnation")
		if live, there := s.channels[row.Partition]; !untold && (!there || live.incarnation != of) {
			s.violation("I1", tableBlogs, row, "is of incarnation %s, and its channel is not", of)
		}
	}
	s.blogs(func(of channel, row driver.Entity, kind, rest string) {
		post := rest[:max(strings.LastIndexByte(rest, '!'), 0)] // reply!<post>!<reply>
		if _, there := s.has[postKey(row, post)]; kind == "reply" && of.active && !there {
			s.violation("I1", tableBlogs, row, "is a reply to a post that is not there")
		}
	})
}

// itEnds is I5: each deletion is done, and its channel is gone; or it is in
// poison, and its message is where an operator can requeue it.
func (s *store) itEnds() {
	for _, row := range s.rows[tableChannels] {
		deletion := s.has[key{tableDeletions, row.Partition, s.channels[row.Partition].incarnation}]
		state := deletion.Properties.String("State")
		if !s.channels[row.Partition].active && state != "poisoned" {
			s.violation("I5", tableChannels, row, "is still %s, and its deletion is recorded as %q", row.Properties.String("State"), state)
		}
	}
	waiting := "" // the texts of the messages that wait for an operator, which name incarnations
	for _, row := range s.rows[tableDeletions] {
		if row.Partition == "poison!" {
			waiting += row.Properties.String("Text0") + "\n"
		}
	}
	for _, row := range s.rows[tableDeletions] {
		if strings.HasPrefix(row.Partition, "open!") || row.Partition == "poison!" || row.Partition == "version!" {
			continue // it says only that a deletion may be open, that a message waits for an operator, or of which version the store is
		}
		state := row.Properties.String("State")
		live, there := s.channels[row.Partition]
		switch {
		case state == "undone" && strings.HasPrefix(row.Partition, "@"):
		case state == "undone" && live.incarnation == row.Row && live.active:
		case state == "poisoned" && !strings.Contains(waiting, row.Row):
			s.violation("I5", tableDeletions, row, "is poisoned, and no operator can requeue it")
		case state != "done" && state != "poisoned":
			s.violation("I5", tableDeletions, row, "is still %s", state)
		case state == "done" && there && live.incarnation == row.Row:
			s.violation("I5", tableDeletions, row, "is done, and its channel is still there")
		}
	}
}

// indexesAgree is I8 of posts. A post has as many votes as its rating says, and
// one row in the index by rating, which has that rating. Each row of the index
// and each vote has its post.
func (s *store) indexesAgree() {
	votes, indexed := map[key]int64{}, map[key]int{}
	s.blogs(func(of channel, row driver.Entity, kind, rest string) {
		var id string
		switch kind {
		case "vote": // vote!<post>!<user>
			id = rest[:max(strings.LastIndexByte(rest, '!'), 0)]
			votes[postKey(row, id)]++
		case "rate": // rate!<inverted rating>!<post>
			_, id, _ = strings.Cut(rest, "!")
			indexed[postKey(row, id)]++
		default:
			return
		}
		if _, there := s.has[postKey(row, id)]; !there && of.active {
			s.violation("I8", tableBlogs, row, "is about a post that is not there")
		}
	})
	s.blogs(func(of channel, row driver.Entity, kind, id string) {
		if kind != "blog" || !of.active {
			return
		}
		rating, post := row.Properties.Int64("Rating"), postKey(row, id)
		_, right := s.has[key{tableBlogs, row.Partition, fmt.Sprintf("rate!%010d!%s", 9_999_999_999-rating, id)}]
		if votes[post] != rating || indexed[post] != 1 || !right {
			s.violation("I8", tableBlogs, row, "is rated %d, has %d votes and %d rows in the index (one at its rating: %t)",
				rating, votes[post], indexed[post], right)
		}
	})
}

func postKey(row driver.Entity, id string) key { return key{tableBlogs, row.Partition, "blog!" + id} }

// subscribersAgree is I8 of subscriptions: a user who counts as a subscriber of
// a channel has the subscription.
func (s *store) subscribersAgree() {
	s.blogs(func(of channel, row driver.Entity, kind, user string) {
		_, there := s.has[key{tableSubscriptions, user, row.Partition + "!" + of.incarnation}]
		if kind == "sub" && of.active && !there {
			s.violation("I8", tableBlogs, row, "counts as a subscriber and has no subscription")
		}
	})
}

// listsAgree is I8 of people's lists: each channel, post, reply and vote is on that of its user. Some names are
// of no user.
func (s *store) listsAgree() {
	for _, row := range s.rows[tableChannels] {
		of := s.channels[row.Partition]
		_, listed := s.has[key{tableUsers, of.owner, "owned!" + row.Partition}]
		owner, err := domain.ParseUserName(of.owner)
		isUser := err == nil && string(owner) == of.owner
		if of.active && of.open && !listed && isUser && !s.ends(of.owner) {
			s.violation("I8", tableChannels, row, "is not on the list of its owner, %s", of.owner)
		}
	}
	s.blogs(func(of channel, row driver.Entity, kind, id string) {
		user, entry := row.Properties.String("UserId"), "wrote!"+id
		if kind == "vote" {
			at := max(strings.LastIndexByte(id, '!'), 0)
			user, entry = strings.TrimPrefix(id[at:], "!"), "voted!"+id[:at]
		}
		if kind == "reply" {
			entry = "replied!" + id
		}
		listed := s.has[key{tableUsers, user, entry}].Properties
		there := listed.String("Channel") == row.Partition && listed.String("Incarnation") == of.incarnation
		if ((kind == "blog" || kind == "reply") && user != "deleted user" || kind == "vote") && of.active && !there {
			s.violation("I8", tableBlogs, row, "is not on the list of its user, %s", user)
		}
	})
}

// state is that of a user's account.
func (s *store) state(user string) string {
	return s.has[key{tableUsers, user, ""}].Properties.String("State")
}

// ends reports whether the deletion of an account takes rows off the lists of its user, or has.
func (s *store) ends(user string) bool { return s.state(user) == "erasing" || s.state(user) == "gone" }

// requestsAgree is I8 of deletions: each deletion of a channel is on the list of the user who asked for
// it, unless the list went with the account of that user. The list of a later account is another.
func (s *store) requestsAgree() {
	for _, row := range s.rows[tableDeletions] {
		if strings.ContainsAny(row.Partition, "@!") || strings.Contains(row.Row, "!") {
			continue // of an account, or of a post; or it records no deletion
		}
		user, on := row.Properties.String("RequestedBy"), row.Properties.Time("RequestedOn")
		made := s.has[key{tableUsers, user, ""}].Properties.Time("CreatedOn")
		entry := fmt.Sprintf("requested!%s!%s!%s", domain.RecentFirst(on), row.Partition, row.Row)
		if _, listed := s.has[key{tableUsers, user, entry}]; !listed && !s.ends(user) && !made.After(on) {
			s.violation("I8", tableDeletions, row, "is not on the list of the user who asked for it, %s", user)
		}
	}
}

// whoIsGone is I12: nothing is left of a user whose account is gone but its row, and an account
// whose deletion was asked for is gone, or its deletion is poisoned or was undone. What their lists
// hold names nothing: a delayed duplicate may have left it.
func (s *store) whoIsGone() {
	for _, row := range s.rows[tableUsers] {
		record := s.has[key{tableDeletions, "@" + row.Partition, row.Properties.String("Incarnation")}].Properties.String("State")
		if now := s.state(row.Partition); row.Row == "" && now != "" && now != "gone" && record != "poisoned" {
			s.violation("I5", tableUsers, row, "is still %s, and its deletion is recorded as %q", now, record)
		}
	}
	for _, row := range s.rows[tableChannels] {
		if of := s.channels[row.Partition]; of.active && of.open && s.state(of.owner) == "gone" {
			s.violation("I12", tableChannels, row, "is the channel of %s, whose account is gone", of.owner)
		}
	}
	s.blogs(func(of channel, row driver.Entity, kind, rest string) {
		user := map[string]string{"blog": row.Properties.String("UserId"), "reply": row.Properties.String("UserId"), "sub": rest, "vote": rest[strings.LastIndexByte(rest, '!')+1:]}[kind]
		if of.active && user != "" && s.state(user) == "gone" {
			s.violation("I12", tableBlogs, row, "is of %s, whose account is gone", user)
		}
	})
}

// gates is I9: an active channel has its own open gate and no shut one; any other
// has one gate of its own at the most.
func (s *store) gates() {
	for _, row := range s.rows[tableChannels] {
		switch live := s.channels[row.Partition]; {
		case live.open && live.shut:
			s.violation("I9", tableChannels, row, "has an open gate and a shut one")
		case live.active && live.shut:
			s.violation("I9", tableChannels, row, "is active and has a shut gate")
		case live.active && !live.open:
			s.violation("I9", tableChannels, row, "is active and has no open gate")
		}
	}
}

// oneRule is I11: at most one row of a channel says who may post.
func (s *store) oneRule() {
	first := map[string]bool{}
	s.blogs(func(_ channel, row driver.Entity, kind, _ string) {
		if kind != "posting" {
			return
		}
		if first[row.Partition] {
			s.violation("I11", tableBlogs, row, "is a second row that says who may post")
		}
		first[row.Partition] = true
	})
}
