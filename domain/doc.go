// Package domain holds the types and the rules of MicroBlogging that do not
// depend on the store.
//
// # The problem
//
// Channels hold short posts (the code calls a post a blog). Deleting a channel must
// remove everything that belongs to it. Those rows are in several tables of a store that
// has no transaction across tables, and none across partitions of one table. A process
// may die between any two writes. A queue may lose a message, or deliver it more than once. A
// worker may stall past its lease and wake up later. Any call may take effect although its caller
// saw it fail.
//
// # The model
//
// A [Channel] has a name and an [Incarnation]: a random identity made when it
// is created. The same name created again is another incarnation. Everything
// that must not outlive a channel is stored in one partition, so one transaction can contain a write
// there and a condition on a gate row of the incarnation. (The exceptions are the channel's row, and
// rows in the partitions of users, which are lists of what they do in channels.)
//
//   - a post of incarnation i requires the open gate of i, which is created at most
//     once, and is deleted before the rows are swept;
//   - a sweep of i requires the shut gate of i, which is deleted before the name is
//     free again;
//   - a reply requires the open gate, and its post: the post is the gate of its replies. It
//     is deleted before they are swept, and the id of a post never returns.
//
// The store checks the gate together with the write, so it does not matter how
// late a request arrives. This is a fence (a fencing token that the store itself
// checks), not a lock: no request ever waits for it.
//
// A request to delete makes the channel unreadable immediately: its row becomes pending (or
// deleting, on a site where nothing can be undone). The user who asked can undo that (if an operator of the
// site has asked, each of them can, and the owner cannot) until a worker passes the pivot, which sets the
// row to deleting before the gate is touched. The undo and the pivot are
// conditional writes of the same version of the row, so only one of them succeeds. Each undo increments
// the undo count in the row, also of an active one, whose request may have died. (A reconciling pass
// undoes a request that has recorded nothing for an hour.) A worker carries out a message only if it has
// the row's count. The gate stays open while the channel is pending. So a post
// that was sent before may still be accepted: an undo keeps it, and otherwise the sweep removes it.
//
// Deleting an account removes everything that its user has made ([Erasure]). Package erasure in
// storage says how.
//
// A [Message] on a queue asks for a deletion. It may be lost. So before the one for a channel or an account is
// sent, an index row is written, and a reconciling pass sends a new message for what the index names. (The
// request to delete a post deletes it itself. If it has had replies, that is on the index before, and a pass
// removes them.) A [Deletion] records the progress
// and outlives the channel. A worker that handles the message takes one [Step] after another. Any number of
// workers may repeat each step at any time.
//
// # What survives failure: the invariants
//
// They hold for every interleaving of requests, workers, crashes, lost responses
// and re-sent requests. The system is idle if no request is in flight and no message
// is on the queue.
//
//   - I1 no orphan. When the system is idle, every row of a channel in the table Blogs (its posts,
//     replies, votes, subscribers and gates) belongs to the incarnation that the channel's row in the table
//     Channels names, except the reservation or gate of a creation that died (I9). There is no reply without
//     its post.
//   - I2 no collateral. Deleting one incarnation never removes or changes a row
//     of another. A write that was sent to one incarnation never takes effect in another.
//   - I3 no lost post. An acknowledged post stays in the store until its author, the channel's
//     owner, an operator of the site, or the channel's deletion removes it, and is readable while its
//     channel is active. A removed post never appears again. The same holds for a reply, until its post
//     ends. After an undo is acknowledged, the deletion removes nothing.
//     A deletion removes nothing before the time that the user was told, by the clock of the process
//     that told it. There are two exceptions: a channel ends when its owner's account ends, and an
//     account may end earlier if two clocks differ by more than [ClockMargin].
//   - I4 no ghost read. After a deletion is acknowledged, no page, feed or API response shows the
//     channel or its posts, unless the deletion is undone. The exception is the page that lists a
//     channel's rows in the store, until the sweep removes them: the owner may see it, and every
//     client on a site that is started with --teach.
//   - I5 termination. Every accepted deletion that is not undone either completes, once
//     some worker runs for long enough, whatever crashed before; or it is recorded as
//     poisoned until an operator requeues it.
//   - I6 repeatable. Handling a message again, late, or twice concurrently changes
//     nothing more.
//   - I7 one post. A request sent twice with one idempotency key to one
//     incarnation, or retried by any layer, makes one post or one reply. A request to create a
//     channel that is sent twice with one key is answered with one incarnation, and one to create
//     an account with one account.
//   - I8 indexes agree. Each post has exactly one row in the index by rating,
//     with its rating; its rating equals its votes. Each row of a channel about a post, such as a
//     vote, is about one that exists, but the idempotency key that made a post may outlive it, and so
//     may its votes if the message that deletes it is lost. Each
//     post and reply is on its author's list, each vote on its voter's, each channel on its owner's, and each
//     deletion of a channel on the list of the user who asked for it (no one asks for one that ends
//     with its owner's account). Each subscriber has the row by
//     which their feed is read, and a feed shows no other channels. Each post of the last year has a
//     row in the index of active channels. Each wrong password is counted.
//   - I9 gates. Every active or pending channel has exactly its own open gate; a deleting
//     one has at most one gate of its own. An incarnation's open gate is created at most once,
//     ever. If a creation dies, its gate is harmless, because no client has learned its
//     incarnation. A delayed duplicate of an insert may leave a channel's row without a gate.
//     It is harmless too: the store accepts no post for it, and no page shows it. The next creator
//     of the name, a worker, the reconciling pass (while the deletion is on its index) or a repair
//     deletes it. If the store loses the gate of a channel, the channel's page and the lists of
//     channels do not show it; but personal feeds, exports and its authors' pages show its posts, and its
//     owner can delete it.
//   - I10 what ended stays ended. Once it is acknowledged, a session that was ended, a password that
//     was replaced and a secret address that was revoked never work again. A response that had begun
//     reads for ten seconds at most; or it is a stream, which looks at its session again at least each
//     five seconds, and ends with it. A sign-in link gives one session or sets one password, and ends
//     with all others of its user.
//   - I11 posting rules hold. After the owner has closed a channel to others, taken a member off its
//     list, or blocked a user there, no post, reply or edit that this forbids takes effect, until the
//     owner allows it again.
//     At most one row of an incarnation says who may post. No page offers to post what is refused.
//   - I12 deleted accounts leave nothing. Once a request to delete an account is acknowledged, no
//     earlier session works. Once the account is gone, nothing that its user sent takes effect: no
//     session, post, reply, vote, subscription or channel, even if another user has the name by then. When
//     the system is idle, nothing of theirs can be read, except posts and replies that they chose to keep, which
//     no longer carry their name. Until the pivot, their rows stay, and no page shows their channels,
//     their posts, or their name with posts that they keep. The exception is the page that lists a
//     channel's rows, on a site that is started with --teach. A channel's lists of members and blocked
//     accounts may keep the name; no page shows it, and the next account of the name is on none of them.
//     A web process learns of the request within seconds.
//
// The package imports no other package of MicroBlogging, and does no input or output.
package domain
