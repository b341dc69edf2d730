// Package domain holds the types and the rules of MicroBlogging that do not
// depend on the store.
//
// # The problem
//
// Channels hold blogs (short posts). Deleting a channel must remove everything
// that belongs to it. Those rows lie in several tables of a store that has no
// transaction across tables, and none across partitions of one table. A process
// may die between any two writes. A queue delivers a message at least once. A
// worker may stall past its lease and wake up later. Any call may take effect
// although its caller saw it fail.
//
// # The model
//
// A [Channel] has a name and an [Incarnation]: a random identity minted when it
// is created. The same name created again is another incarnation. Everything
// that must not outlive a channel is stored in one partition, but for the channel's
// row and its readers' own rows, which name the incarnation. So one transaction
// can hold a write there and a condition on a gate row of the incarnation:
//
//   - a post of incarnation i requires the open gate of i, which is put up once,
//     and disappears before the rows are swept;
//   - a sweep of i requires the shut gate of i, which disappears before the
//     name is free again.
//
// The store checks the gate together with the write, so it does not matter how
// late a request arrives. This is a fence (a fencing token that the store itself
// checks), not a lock: nobody ever waits for it.
//
// A deletion hides the channel at once, and can be undone until a worker passes the pivot:
// a swap of the channel's row, before it touches the gate. To undo is the same swap the
// other way, so one of the two takes effect. It counts, so no message of before is obeyed.
//
// An account is deleted with all that its user has made. What they do in the channels of others is
// on a list of theirs first, then they look whether their account stands, and then do it, with a
// token that they read before ([Erasure], package erasure in storage). The deletion passes its
// pivot, reads the lists, and turns each token.
//
// A [Message] on a queue asks for a deletion. An index row, written before the
// channel is marked, outlasts the message: a reconciling pass queues again what
// was lost. A [Deletion] reports the progress and outlives the channel. A
// worker that handles the message takes one [Step] after another. Any number of
// workers may repeat each step at any time.
//
// # What survives failure: the invariants
//
// They hold for every interleaving of requests, workers, crashes, lost replies
// and re-sent requests. "At rest" means: no request is under way and no message
// is left on the queue.
//
//   - I1 no orphan. At rest, every row in a Blogs partition belongs to the live
//     incarnation in Channels.
//   - I2 no collateral. Deleting one incarnation never removes or changes a row
//     of another. What was sent to one incarnation never lands in another.
//   - I3 no lost post. An acknowledged post is readable until its author, the
//     channel's owner, or the channel's deletion removes it, and then never
//     again. No request to delete whose undoing was acknowledged removes anything, and none is
//     carried out before the time until which its user was told that it can be undone, unless two
//     clocks differ by more than ClockMargin.
//   - I4 no ghost read. After a deletion is acknowledged, no page or API answer
//     shows the channel or its posts, unless it is undone.
//   - I5 it ends. Every accepted deletion that is not undone completes once some
//     worker lives long enough, whatever crashed before, or stands visibly in poison
//     until an operator re-queues it.
//   - I6 repeatable. Handling a message again, late, or twice at once changes
//     nothing more.
//   - I7 one post. A request sent twice with one idempotency key to one
//     incarnation, or retried by any layer, makes one post. A request to create a
//     channel that is sent twice with one key is answered with one incarnation.
//   - I8 indexes agree. Each post has exactly one row in the index by rating,
//     with its rating; its rating equals its votes. It is on its author's list, and each
//     vote is on its voter's. Whoever asked for the deletion of a channel has it on
//     their list.
//   - I9 gates. Every active channel has exactly its own open gate; a deleting
//     one has at most one gate of its own. The gate of a creation that died is
//     harmless, because nobody ever learned its incarnation. So is the row that a late
//     copy of a creation's insert leaves: it has no gate, nobody can write behind it, and
//     it goes when somebody wants the name, or with a repair. An incarnation's
//     open gate is put up at most once in all time. If the store lost it, nobody puts it up
//     again: the channel can be read, and its owner can delete it.
//   - I10 what ended stays ended. A session whose end was acknowledged signs nobody
//     in, a sign-in link gives one session and ends with all others of its user, and a
//     digest address that was revoked never works again.
//   - I11 who may not post does not. After the owner has closed a channel to others, or
//     blocked somebody there, no post lands that this forbids, until it is taken back. At most
//     one row of an incarnation says who may post.
//   - I12 who is gone is gone. From the answer to a request to delete an account on, no session
//     that began before works. Once the account is gone, nothing that its user sent lands: no
//     session, post, vote, subscription or channel, also when somebody else has the name. At
//     rest nothing of theirs can be read, but posts without the name if they chose so.
//
// The package imports nothing of ours and does no input or output.
package domain
