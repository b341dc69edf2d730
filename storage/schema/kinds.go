package schema

import (
	"slices"

	"microblogging/domain"
)

// The tables.
const (
	TableChannels      = "Channels"
	TableBlogs         = "Blogs"
	TableDeletions     = "Deletions"
	TableUsers         = "Users"
	TableSessions      = "Sessions"
	TableThrottle      = "Throttle"
	TableSubscriptions = "Subscriptions"
	TableActivity      = "Activity"
)

// Tables names the tables. A copy of a store is a copy of these.
func Tables() []string {
	return []string{TableChannels, TableBlogs, TableDeletions, TableUsers, TableSessions, TableThrottle, TableSubscriptions, TableActivity}
}

// kinds is in the order in which a page explains them.
var kinds = []*Kind{
	Channel, OpenGate, ShutGate, ReservedGate,
	Blog, Once, Rate, Vote, Reply, PostingRule, Join, Sub, Subscription, Active,
	Poison, OpenDeletion, OpenBlog, Deletion, Version,
	Account, Requested, Made, UserOnce, Owned, Wrote, Replied, Voted,
	Session, Invitation, AddressFailures, Failures,
}

// The states of a user's row of a subscription: see package reader.
const (
	SubscriptionJoining = "joining"
	SubscriptionJoined  = "joined"
	SubscriptionLeaving = "leaving"
)

func texts[T ~string](values ...T) (texts []string) {
	for _, value := range values {
		texts = append(texts, string(value))
	}
	return texts
}

// Channel is the row that takes a name.
var Channel = &Kind{
	Table: TableChannels, Partition: "<key>", Name: "channel", Scenario: "creators",
	What:  "The channel itself. While this row is there, the name is taken.",
	Why:   "It says which incarnation has the name. A request sets it pending; the cascade sets it deleting and removes it last.",
	Check: "I1 I5 I8 I9", Oracle: "I1 I5 I8 I9", WithChannel: domain.StepRelease, WithAccount: domain.StepChannels,
	Words: map[string][]string{PropState: texts(domain.ChannelActive, domain.ChannelPending, domain.ChannelDeleting)},
	Properties: slices.Concat(always(PropName, PropOwner, PropIncarnation, PropState, PropCreatedOn), written(new(domain.About).Fields(), 1),
		sometimes(PropOnce, PropUndoCount, PropUndoableUntil)),
}

// The gates are what fences a partition: see package fence.
var (
	OpenGate = &Kind{
		Table: TableBlogs, Partition: "<key>", Form: "gate!open!<incarnation>", Name: "open gate", Scenario: "post", Ablation: "open-gate",
		What:  "The fence of this channel, open: what its pages show may change.",
		Why:   "A change of what a page shows merges this row, and fails if it is gone. Its ETag is in the pages’ version.",
		Check: "I1 I9", Oracle: "I9", WithChannel: domain.StepShut, WithAccount: domain.StepChannels, Requires: "behind the open gate", Swapped: true,
		Words:      map[string][]string{PropPosting: texts(domain.PostersMembers, domain.PostersOwner)},
		Properties: slices.Concat(always(PropIncarnation), sometimes(PropPosting)),
	}
	ShutGate = &Kind{
		Table: TableBlogs, Partition: "<key>", Form: "gate!shut!<incarnation>", Name: "shut gate", Scenario: "again", Ablation: "shut-gate",
		What:  "The fence of this channel, shut: rows may be removed.",
		Why:   "Each transaction of a sweep merges it. It goes before the name is free, so a late worker removes nothing.",
		Check: "I1 I9", Oracle: "I1 I9", WithChannel: domain.StepRemoveGate, WithAccount: domain.StepChannels, Requires: "behind the shut gate",
		Properties: always(PropIncarnation),
	}
	ReservedGate = &Kind{
		Table: TableBlogs, Partition: "<key>", Form: "gate!reserved!<incarnation>", Name: "reservation", Scenario: "stalled", Ablation: "reservation",
		What:  "A channel is being created. The open gate takes the place of this row, in the version that was read.",
		Why:   "An ETag never repeats, so the gate opens at most once, however late a copy of a request arrives.",
		Check: "A creation that died leaves it.", WithChannel: "A repair deletes it.", WithAccount: domain.StepChannels, Swapped: true,
		Properties: always(PropIncarnation),
	}
)

// The rows of a post.
var (
	Blog = &Kind{
		Table: TableBlogs, Partition: "<key>", Form: "blog!<id>", Name: "post", Scenario: "edit-sweep",
		What:  "A post. The time in its key counts down, so that the newest sorts first.",
		Why:   "An edit depends on its version, so an edit that comes after the removal changes nothing.",
		Check: "I1 I8", Oracle: "I1 I8", WithChannel: domain.StepSweep, WithAccount: domain.StepPosts,
		Properties: slices.Concat(written(new(domain.Draft).Fields(), 2), always(PropUserID, PropIncarnation, PropRevision, PropRevisions, PropRating, PropCreatedOn),
			sometimes(PropEditedOn, PropRepliedOn)),
	}
	Once = &Kind{
		Table: TableBlogs, Partition: "<key>", Form: "once!<hash>", Name: "idempotency key", Scenario: "one-key", Ablation: "once",
		Hash:  "of the author and the key",
		What:  "The idempotency key that made a post or a reply, as a hash, with a hash of what was sent.",
		Why:   "It is inserted together with the post or reply. A request that is sent twice finds it and makes one.",
		Check: "I1", Oracle: "I1", WithChannel: domain.StepSweep, WithAccount: "It is a hash, and names no user.",
		Properties: slices.Concat(always(PropBlog, PropIncarnation, PropBody), sometimes(PropReply)),
	}
	Rate = &Kind{
		Table: TableBlogs, Partition: "<key>", Form: "rate!<inverted>!<id>", Name: "rating index", Scenario: "edit-vote",
		What:  "An entry of the index by rating: the best rated post sorts first.",
		Why:   "It changes in one transaction with the post’s rating, so the index never disagrees with the posts.",
		Check: "I1 I8", Oracle: "I1 I8", WithChannel: domain.StepSweep, WithAccount: domain.StepVotes,
		Properties: always(PropIncarnation),
	}
	Vote = &Kind{
		Table: TableBlogs, Partition: "<key>", Form: "vote!<id>!<user>", Name: "vote", Scenario: "vote",
		What:  "The vote of one user on one post.",
		Why:   "It is inserted together with the new rating. The row is there, so the same vote does not count twice.",
		Check: "I1 I8 I12", Oracle: "I1 I8 I12", WithChannel: domain.StepSweep, WithAccount: domain.StepVotes, Ungated: true,
		Properties: always(PropIncarnation),
	}
	Reply = &Kind{
		Table: TableBlogs, Partition: "<key>", Form: "reply!<id>!<reply>", Name: "reply", Scenario: "reply", Ablation: "reply-gate",
		What:  "A reply to a post. The time in its key counts up, so that the oldest sorts first.",
		Why:   "Its transaction also merges the post, so none lands on a post that is gone. The post is the gate of its replies.",
		Check: "I1 I8", Oracle: "I1 I8", WithChannel: domain.StepSweep, WithAccount: domain.StepPosts, Ungated: true,
		Properties: always(PropText, PropUserID, PropIncarnation, PropCreatedOn),
	}
)

// PostingRule is the row that says who may post.
var PostingRule = &Kind{
	Table: TableBlogs, Partition: "<key>", Form: "posting!<revision>", Name: "posting rule", Scenario: "posting", Ablation: "posting-revision",
	What:  "Who may post: everybody, members, or the owner alone; and who is blocked. Without this row, its gate says it.",
	Why:   "Another user’s first post puts it up, and each merges it. A change replaces it, so nothing allowed before lands after.",
	Check: "I1 I11", Oracle: "I1 I11", WithChannel: domain.StepSweep, WithAccount: "It is the channel’s.", Requires: "if the rule that was read is unchanged", Swapped: true,
	Words:      map[string][]string{PropPosting: texts(domain.PostersOpen, domain.PostersMembers, domain.PostersOwner)},
	Properties: slices.Concat(always(PropIncarnation, PropPosting, PropBlocked), sometimes(PropMembers)),
}

// Active is the row by which the newest posts of all channels are found.
var Active = &Kind{
	Table: TableActivity, Partition: "active!<digit>", Form: "<back>!<key>", Name: "active channel", Scenario: "latest", Ablation: "active-first",
	What:  "A channel with a post in one hour. The newest hour sorts first.",
	Why:   "It is written before the post, so no post of the last year lacks it. It may be stale: who reads it checks the channel.",
	Check: "It may be stale.", WithChannel: "It expires.",
	Properties: always(PropCreatedOn, PropExpiresOn),
}

// The rows of a subscription.
var (
	Join = &Kind{
		Table: TableBlogs, Partition: "<key>", Form: "join!<user>", Name: "joining subscriber", Scenario: "subscribe-again", Ablation: "join",
		What:  "A subscription that has begun. The subscriber’s row takes the place of this one, in the version that was read.",
		Why:   "So a delayed duplicate of a request cannot bring back a subscription that has ended.",
		Check: "I1", Oracle: "I1", WithChannel: domain.StepSweep, WithAccount: domain.StepSubscriptions, Swapped: true, Ungated: true,
		Properties: always(PropIncarnation, PropSubscribedOn),
	}
	Sub = &Kind{
		Table: TableBlogs, Partition: "<key>", Form: "sub!<user>", Name: "subscriber", Scenario: "subscribe",
		What:  "A subscriber of the channel. This row is the truth about the subscription.",
		Why:   "It is behind the gate and is swept with the channel. The sweep finds the user’s own row by it.",
		Check: "I1 I8", Oracle: "I1 I8 I12", WithChannel: domain.StepSweep, WithAccount: domain.StepSubscriptions,
		Properties: always(PropIncarnation, PropSubscribedOn),
	}
	Subscription = &Kind{
		Table: TableSubscriptions, Partition: "<user>", Form: "<key>!<incarnation>", Name: "subscription", Scenario: "leave-late",
		What:  "One channel that this user subscribes to, by which their feed is read.",
		Why:   "No transaction spans it and the channel’s row. So it says how far it has come, and readers repair it.",
		Check: "I8", Oracle: "I8", WithChannel: domain.StepSweep, WithAccount: domain.StepSubscriptions,
		Words: map[string][]string{
			PropState: {SubscriptionJoining, SubscriptionJoined, SubscriptionLeaving},
			PropRole:  texts(domain.RoleOwner, domain.RoleReader),
		},
		Properties: always(PropName, PropRole, PropState, PropSubscribedOn),
	}
)

// The rows of a deletion.
var (
	Deletion = &Kind{
		Table: TableDeletions, Partition: "<key>", Form: "<incarnation>", Name: "deletion", Scenario: "workers-die",
		What:  "The progress of one deletion. It stays when the channel is gone.",
		Why:   "Workers report here. An undo and reconciling passes read it. It says so if the deletion waits for an operator.",
		Check: "I5 I8", Oracle: "I5 I8", WithChannel: "A pass deletes it, months later.",
		Words: map[string][]string{
			PropState: texts(domain.DeletionPending, domain.DeletionUndone, domain.DeletionQueued, domain.DeletionRunning, domain.DeletionDone, domain.DeletionPoisoned),
			PropStep: append(texts(domain.StepPivot, domain.StepShut, domain.StepSweep, domain.StepRemoveGate, domain.StepRelease,
				domain.StepChannels, domain.StepFence, domain.StepPosts, domain.StepVotes, domain.StepSubscriptions), ""), // before the first
		},
		Properties: slices.Concat(
			always(PropIncarnation, PropName, PropRequestedBy, PropState, PropStep, PropRowsDeleted, PropAttempts,
				PropLastDelivery, PropRequestedOn, PropUpdatedOn, PropWaiting),
			sometimes(PropWaitingSince, PropRetryOn, PropFinishedOn, PropSteps, PropUndoCount, PropUndoableUntil, PropKeepPosts, PropByOperator,
				PropRevision, PropRevisions)),
	}
	OpenDeletion = &Kind{
		Table: TableDeletions, Partition: "open!<digit>", Form: "<key>!<incarnation>", Name: "open deletion", Scenario: "index",
		What:  "A deletion that may be open: that was asked for, and is not known to be done.",
		Why:   "It is written before the message is sent. A pass that replaces lost messages reads these and not every channel.",
		Check: "It says only that a deletion may be open.", WithChannel: "A pass deletes it once the deletion is over.",
		Properties: always(PropRequestedOn, PropDueOn),
	}
	OpenBlog = &Kind{
		Table: TableDeletions, Partition: "open!<digit>", Form: "<key>!<incarnation>!<id>", Name: "open deletion of a post", Scenario: "reply-forgotten", Ablation: "reply-index",
		What:  "The deletion of a post that had replies: some of them may be left.",
		Why:   "It is written before the post is removed. A pass that reads it removes the replies, if the message was lost.",
		Check: "It says only that a deletion may be open.", WithChannel: "A pass deletes it once the post and its replies are gone.",
		Properties: always(PropRequestedOn, PropDueOn),
	}
	Poison = &Kind{
		Table: TableDeletions, Partition: PoisonPartition, Form: "<hash>", Name: "poison message", Scenario: "requeue-again", Ablation: "poison-version",
		Hash:  "of the message’s text",
		What:  "A message that failed too often, or that cannot be decoded, with its text. It waits for an operator.",
		Why:   "It is written before the message leaves the queue. It goes once another was sent, unless that is stopped again.",
		Check: "I5", Oracle: "I5", WithChannel: "An operator queues it again.",
		Properties: always(PropUpdatedOn),
	}
)

// CurrentVersion is the version of what this program stores, as two numbers. The second one grows with a
// change that only adds, and the first one with any other. format.txt says what the version is the number of.
const CurrentVersion = "1.1"

// Version is the row that says of which version the store is: its rows, and the messages on its queue.
var Version = &Kind{
	Table: TableDeletions, Partition: VersionPartition, Name: "version",
	What:  "The version of the store: of all rows, and of the messages on its queue.",
	Why:   "It is written before any other row. A program that does not know the version leaves the store alone.",
	Check: "A store without it is refused.", WithChannel: "It is of the whole store.",
	Properties: always(PropVersion),
}

// The rows of a user.
var (
	Account = &Kind{
		Table: TableUsers, Partition: "<user>", Name: "account", Scenario: "digest-address",
		What:  "The account: a hash of the password, a number that ends all sessions when it grows, and its deletion.",
		Why:   "A change depends on the version that was read, so what was revoked stays so. Name and number outlive the account.",
		Check: "I5 I8 I12", Oracle: "I5 I8 I12", WithChannel: "It is a user’s.", WithAccount: "The name and the epoch stay.",
		Words: map[string][]string{PropState: texts(domain.AccountActive, domain.AccountPending, domain.AccountErasing, domain.AccountGone)},
		Properties: slices.Concat(always(PropPassword, PropRevision, PropRevisions, PropCreatedOn, PropEpoch),
			sometimes(PropOnce, PropDigestSecret, PropSignIns, PropState, PropIncarnation, PropRequestedOn, PropUndoableUntil, PropKeepPosts, PropByOperator, PropResetBy, PropResetOn, PropFinishedOn)),
	}
	Requested = &Kind{
		Table: TableUsers, Partition: "<user>", Form: "requested!<back>!<key>!<incarnation>", Name: "deletion asked for", Scenario: "web-dies",
		What:  "A deletion that this user asked for, the newest first.",
		Why:   "It is written before the message is sent, so no deletion that was accepted is missing from their list.",
		Check: "I8", Oracle: "I8", WithChannel: "A pass deletes it after the record.", WithAccount: domain.StepRelease,
	}
	Made = &Kind{
		Table: TableUsers, Partition: "<user>", Form: "made!<hash>", Name: "what a key made", Scenario: "create-once",
		Hash:  "of the user and the idempotency key",
		What:  "The incarnation that a request to create a channel made.",
		Why:   "It is inserted before anybody is answered, so two requests with one key get one answer.",
		Check: "It names nothing that must be there.", WithChannel: "A delayed duplicate must find it.", WithAccount: domain.StepRelease,
		Properties: always(PropIncarnation),
	}
	UserOnce = &Kind{
		Table: TableUsers, Partition: "<user>", Form: "once!<hash>", Name: "idempotency key", Scenario: "create-once",
		Hash:  "of the user and the idempotency key",
		What:  "The idempotency key of a request to create a channel, as a hash.",
		Why:   "It is never changed, and deleted only with the account, so a delayed duplicate changes nothing.",
		Check: "It names nothing that must be there.", WithChannel: "A delayed duplicate must find it.", WithAccount: domain.StepRelease,
		Properties: always(PropBody),
	}
	Owned = &Kind{
		Table: TableUsers, Partition: "<user>", Form: "owned!<key>", Name: "owned channel", Scenario: "create-room",
		What:  "The name of a channel that this user has, or had.",
		Why:   "It is written before the channel is created. A reader of it trusts only the channel.",
		Check: "I8", Oracle: "I8", WithChannel: "A pass deletes it within a day, or a creation if the list is full.", WithAccount: domain.StepChannels,
		Properties: always(PropWrittenOn),
	}
	Wrote = &Kind{
		Table: TableUsers, Partition: "<user>", Form: "wrote!<id>", Name: "post of an author", Scenario: "author", Ablation: "author-first",
		What:  "A post that this user wrote, or was about to write, the newest first.",
		Why:   "It is written before the post, so their page misses none. A reader of it trusts only the channel and the post.",
		Check: "I8", Oracle: "I8", WithChannel: domain.StepSweep, WithAccount: domain.StepPosts,
		Properties: always(PropChannel, PropIncarnation),
	}
	Replied = &Kind{
		Table: TableUsers, Partition: "<user>", Form: "replied!<id>!<reply>", Name: "reply of an author", Scenario: "reply-erasure", Ablation: "reply-listed",
		What:  "A reply that this user wrote, or was about to write.",
		Why:   "It is written before the reply, so a deletion of the account finds it. A reader of it trusts only the reply.",
		Check: "I8", Oracle: "I8", WithChannel: domain.StepSweep, WithAccount: domain.StepPosts,
		Properties: always(PropChannel, PropIncarnation),
	}
	Voted = &Kind{
		Table: TableUsers, Partition: "<user>", Form: "voted!<id>", Name: "vote of a user", Scenario: "vote", Ablation: "voted-first",
		What:  "A post that this user voted on, or was about to vote on.",
		Why:   "It is written before the vote, so a list of their votes misses none. A reader of it trusts only the vote.",
		Check: "I8", Oracle: "I8", WithChannel: domain.StepSweep, WithAccount: domain.StepVotes,
		Properties: always(PropChannel, PropIncarnation),
	}
	Session = &Kind{
		Table: TableSessions, Partition: "<hash>", Name: "session", Scenario: "sign-out",
		Hash:  "of the token",
		What:  "A session, a sign-in link, or the idempotency key of a sign-up, under a hash.",
		Why:   "Ending one sets this row to ended and does not delete it, so a delayed duplicate of its insert has no effect.",
		Check: "It names nothing that must be there.", WithChannel: "It is a user’s.", WithAccount: "The account’s epoch ends it. It expires.",
		Properties: slices.Concat(always(PropExpiresOn),
			sometimes(PropEpoch, PropSignIns, PropEnded, PropLink, PropByOperator, PropUser, PropOnce, PropRevision, PropRevisions)),
	}
	Invitation = &Kind{
		Table: TableSessions, Partition: InvitationPartition, Form: "<hash>", Name: "invitation", Scenario: "invitation", Ablation: "invitation-version",
		Hash:  "of the secret in its link",
		What:  "An invitation, which makes one account. It says who made it and, once it is used, the account’s name.",
		Why:   "A sign-up writes its name and key here, in the version that was read, before the account. So it makes one.",
		Check: "It names nothing that must be there.", WithChannel: "It is of the whole site.", WithAccount: "It expires.",
		Properties: slices.Concat(always(PropCreatedOn, PropExpiresOn),
			sometimes(PropInvitedBy, PropEnded, PropUser, PropOnce, PropRevision, PropRevisions)),
	}
)

// The rows that keep clients from guessing, and from filling the disk.
var (
	Failures = &Kind{
		Table: TableThrottle, Partition: "<what>!<hash>", Name: "failures",
		What:  "In a period of time, how many sign-ins failed, how many accounts an address made, or how many bytes were stored.",
		Why:   "Enough of them refuse more for a while. No guarantee about channels depends on it.",
		Check: "No guarantee about channels depends on it.", WithChannel: "It is of no channel.", WithAccount: "It expires.",
		Properties: always(PropFailures, PropWindowEnds, PropExpiresOn, PropRevision, PropRevisions),
	}
	AddressFailures = &Kind{
		Table: TableThrottle, Partition: "user!<hash>", Form: "address!<hash>", Name: "address of a user",
		Hash:  "of the address",
		What:  "How often a user’s sign-in has failed from one address, and until when the address is known.",
		Why:   "Anonymous clients who guess cannot lock out a user who has signed in from there lately.",
		Check: "No guarantee about channels depends on it.", WithChannel: "It is of no channel.", WithAccount: "It expires.",
		Properties: slices.Concat(always(PropExpiresOn, PropRevision, PropRevisions),
			sometimes(PropFailures, PropWindowEnds, PropKnownUntil)),
	}
)
