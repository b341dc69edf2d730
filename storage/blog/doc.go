// Package blog makes the posts of a channel, one by one or in batches, and edits, deletes and lists
// them. It counts their votes.
//
// Everything about a post is in the channel's partition, so that one transaction behind the gate
// holds it together: a post with its idempotency key and its place by rating, a vote with the
// rating that counts it, a reply with its post. What two requests write concurrently is decided by the post's version. The
// votes on a post that was deleted, and the replies to it, are removed by a worker, since there may be
// more than fit in a transaction.
//
// A post, a reply, an edit and a vote take the four steps of permitted (permit.go): the posting rule, the
// user's list, the look at the account, and the transaction.
package blog
