package page

import (
	"strings"

	"microblogging/lab"
)

// A guard explains one guard of the shipped code: what takes it out is the ablation of
// that name.
type guard struct {
	// Name is the ablation's.
	Name string
	// Label says in a few words what the guard is, and Why in one sentence what it is
	// good for.
	Label, Why string
	// File is where its code is, and Code is how the line begins that declares its
	// function.
	File, Code string
}

// lines are the first and the last line of the guard's code. They are 0 if it is not
// there.
func (g guard) lines() (first, last int) {
	text, ok := lab.Source(g.File)
	if !ok {
		return 0, 0
	}
	at := strings.Index(text, "\n"+g.Code)
	if at < 0 {
		return 0, 0
	}
	return lab.Function(g.File, strings.Count(text[:at+1], "\n")+1)
}

// source is the guard's code.
func (g guard) source() string {
	text, _ := lab.Source(g.File)
	first, last := g.lines()
	if first == 0 {
		return ""
	}
	return strings.Join(strings.Split(text, "\n")[first-1:last], "\n")
}

// guardOf is the guard that an ablation takes out.
func guardOf(ablation string) (guard, bool) {
	for _, g := range guards() {
		if g.Name == ablation {
			return g, true
		}
	}
	return guard{}, false
}

// guards are those of the shipped code, and the premise that an ETag never repeats.
func guards() []guard {
	return []guard{
		{"open-gate", "The open gate", "A post merges the open gate in its own transaction, so a post that comes too late is refused.",
			"storage/gate.go", "func holdGate("},
		{"shut-gate", "The shut gate", "Each transaction that removes rows merges the shut gate, so a worker that comes too late removes nothing.",
			"storage/gate.go", "func holdShutGate("},
		{"incarnation", "The incarnation", "A worker compares the incarnation in its message with the channel's, so an old message does not touch a new channel.",
			"storage/channel.go", "func (s *Store) readIncarnation("},
		{"if-match", "The version of the row", "A write to the channel's row holds only for the version that was read, so it fails if the row has changed in between.",
			"storage/channel_release.go", "func (s *Store) ReleaseName("},
		{"repeat-incarnation", "The record's incarnation", "A restore repeats a deletion only of the incarnation that its record names, so it does not touch a channel that has the name by then.",
			"storage/deletion_repeat.go", "func (s *Store) RepeatDeletion("},
		{"expected", "What was read", "A form says which incarnation it was made for, so what somebody sends lands in what they have seen, or nowhere.",
			"storage/channel.go", "func (s *Store) ChannelAt("},
		{"once", "The key of a post", "A post inserts a row for its idempotency key, so the same form sent twice makes one post.",
			"storage/blog_post.go", "func (s *Store) insertPosts("},
		{"batch-gate", "The gate, each time", "If a key of a batch was used before, what is left is sent again behind the open gate, so it cannot land after the channel was deleted meanwhile.",
			"storage/blog_post.go", "func (s *Store) postTogether("},
		{"batch-once", "The keys, each time", "If a key of a batch was used before, what is left is sent again with the rows of its keys, so the same batch sent twice makes each post once.",
			"storage/blog_post.go", "func (s *Store) postTogether("},
		{"vote-counted", "The row of a vote", "A vote inserts or deletes its own row in its transaction, so what stood already is refused and not counted again.",
			"storage/vote.go", "func ratingOperations("},
		{"reservation", "The reservation", "The open gate takes the place of a reservation, which is used up by that, so a gate opens once in all time.",
			"storage/gate.go", "func (s *Store) openGate("},
		{"etag", "ETags never repeat", "This is a premise and no guard of ours: a late copy of the reservation has another version, so it cannot open the gate again.",
			"storage/gate.go", "func (s *Store) reserveGate("},
		{"late-row", "The version of the gate", "A creator who gives up removes the gate only if nobody has posted behind it, because a post changes its version.",
			"storage/gate.go", "func (s *Store) withdrawGate("},
		{"join", "The announcement", "A subscriber's row takes the place of an announcement, so whoever cleans up can make a late subscription fail.",
			"storage/subscription_join.go", "func (s *Store) swapJoin("},
		{"joined", "The feed reads the truth", "A feed reads the subscriber's row in each channel that it shows, because the user's own row may be out of date.",
			"storage/feed.go", "func (s *Store) verifySources("},
		{"look", "The look after the insert", "A creator reads the row, whatever the insert was answered, so an echo is not taken for a rival.",
			"storage/channel_create.go", "func (s *Store) resolveInsert("},
		{"made", "What a key has made", "What an idempotency key has made is recorded before the creator is answered, so the same request cannot make another channel later.",
			"storage/channel_once.go", "func (s *Store) recordMade("},
		{"own-key", "The key in the row", "A channel's row carries the hash of the key that made it, so a request that is sent again recognises its own channel.",
			"storage/channel_once.go", "func (s *Store) adopt("},
		{"ended", "The mark of a session's end", "Signing out marks the session's row and keeps it, so a late copy of the insert finds the row in its way.",
			"storage/session.go", "func (s *Store) SignOut("},
		{"used", "The mark of a used link", "A sign-in link that was used keeps its row, so a late copy cannot bring it back and an echo can be recognised.",
			"storage/session_link.go", "func (s *Store) useLink("},
		{"link-version", "The version of a link", "A link is marked as used in the version that was read, so of two people one is refused.",
			"storage/session_link.go", "func (s *Store) useLink("},
		{"used-by", "Who used the link", "The row of a used link says who used it, so whoever finds their own mark knows the echo of their own write.",
			"storage/session_link.go", "func (s *Store) useLink("},
		{"link-epoch", "The epoch of a link", "A link carries the number that the account had when it was made, so it ends together with all sessions.",
			"storage/session.go", "func (s *Store) carrySession("},
		{"address", "The version of the account", "A digest address is changed in the version of the account that was read, so a late request does not bring back an old address.",
			"storage/user.go", "func (s *Store) changeUser("},
		{"fresh-read", "The last look", "The shut gate goes only after a fresh read of an empty partition, so no row is left behind.",
			"worker/cascade.go", "func (c *cascade) pass("},
		{"queue-first", "The message first", "The message is on the queue before the channel is marked, so a mark without a message cannot happen.",
			"storage/deletion_ask.go", "func (s *Store) askDeletion("},
		{"listed", "The list first", "A deletion is on its user's list before its message is sent, so whoever asked finds it again.",
			"storage/deletion_list.go", "func (s *Store) listDeletion("},
		{"index-first", "The index first", "A deletion is on the index of open deletions before its channel is marked, so a pass finds it without reading every channel.",
			"storage/deletion_open.go", "func (s *Store) renewOpen("},
		{"index-version", "The version of an index row", "A pass removes an index row in the version that it scanned, so it leaves one that was renewed meanwhile.",
			"storage/deletion_open.go", "func (s *Store) removeOpen("},
		{"index-touch", "The write before the removal", "A pass writes the channel's row before it removes an index row, so a mark that is under way fails and begins again.",
			"storage/deletion_open.go", "func (p *pass) lookAtUnrecorded("},
		{"index-incarnation", "The incarnation of an index row", "A pass compares the incarnation in an index row with the channel's, so an old row does not touch a new channel.",
			"storage/deletion_open.go", "func (p *pass) lookAtDone("},
		{"wait", "No answer is no refusal", "A store that does not answer is waited for, so a deletion is not given up for it.",
			"worker/outcome.go", "func classify("},
		{"mark", "The mark before the copy", "A message is marked before its copy goes to the operator's queue, so there is one copy at most.",
			"storage/message_poison.go", "func (s *Store) copyToPoison("},
		{"record", "The record before the mark", "A deletion is recorded as given up before its message is marked, so an operator finds it even without a copy.",
			"storage/message_poison.go", "func (s *Store) copyToPoison("},
		{"record-unread", "The record of what nobody can read", "A message that cannot be read is recorded before it is copied, so it is copied once at most.",
			"storage/message_unread.go", "func (s *Store) poisonUnread("},
		{"page-version", "The version of a page", "A page that a process keeps is shown only while the channel's row and its gate have the versions that were read for it, so it is never out of date.",
			"storage/channel_version.go", "func ReadCached["},
		{"version-first", "The version before the content", "The version of a page is read before what the page shows, so a change in between ends what is kept instead of being hidden by it.",
			"storage/channel_version.go", "func ReadCached["},
		{"edit-gate", "The gate of an edit", "An edit merges the open gate, so a page that was kept before it has an old version.",
			"storage/blog_edit.go", "func (s *Store) Edit("},
		{"vote-gate", "The gate of a vote", "A vote merges the open gate, so a page that shows the old rating has an old version.",
			"storage/vote.go", "func ratingOperations("},
		{"removal-gate", "The gate of a removed post", "The deletion of a post merges the open gate, so a page that still shows the post has an old version.",
			"storage/blog_delete.go", "func (s *Store) removeBlog("},
		{"worker-gate", "The gate of a worker", "A worker that deletes a post in the place of a request that died merges the open gate too, so no page keeps the post.",
			"storage/blog_delete.go", "func (s *Store) finishBlog("},
		{"leaving-gate", "The gate of a leaving subscriber", "The end of a subscription merges the open gate, so a page that counts the subscriber has an old version.",
			"storage/subscription_leave.go", "func (s *Store) executeLeave("},
		{"feed-channel", "The mark in a feed", "A feed reads the row of each channel that it shows, after its posts, so a channel whose deletion was accepted is on no page.",
			"storage/feed.go", "func (s *Store) verifySources("},
		{"reconcile", "The reconciling pass", "From time to time a pass looks for deletions that have lost their message, and queues them again.",
			"storage/deletion_open.go", "func (p *pass) lookAt("},
	}
}
