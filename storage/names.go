package storage

import (
	"microblogging/storage/account"
	"microblogging/storage/blog"
	"microblogging/storage/channel"
	"microblogging/storage/check"
	"microblogging/storage/deletion"
	"microblogging/storage/driver"
	"microblogging/storage/erasure"
	"microblogging/storage/reader"
)

// The types that callers pass to the packages of storage and get from them, each documented where it
// is declared, so that a role needs to import the Store alone.
type (
	Attempt       = account.Attempt
	SignUpRequest = account.SignUpRequest
	Removed       = erasure.Removed

	Page[T any] = driver.ListPage[T]

	BlogQuery   = blog.Query
	BlogsFound  = blog.Found
	RatingQuery = blog.RatingQuery
	NewPost     = blog.NewPost
	NewReply    = blog.NewReply
	PostResult  = blog.PostResult
	PostingRule = blog.PostingRule

	Backlog       = deletion.Backlog
	PoisonMessage = deletion.PoisonMessage
	Reconciled    = deletion.Reconciled

	FeedItem      = reader.FeedItem
	WrittenReply  = reader.WrittenReply
	Active        = reader.Active
	ActiveChannel = reader.ActiveChannel
	SearchPage    = reader.SearchPage
	DigestPage    = driver.ListPage[reader.DigestChannel]
	DigestSummary = reader.DigestSummary

	RowsQuery   = channel.RowsQuery
	ChannelRows = channel.ChannelRows
	// A Row is one row as it is stored. Code that shows it leaves out what is not of its kind.
	Row = driver.Entity

	CheckCounts = check.Counts

	Version      = channel.Version
	Kept[T any]  = channel.Kept[T]
	Cache[T any] = channel.Cache[T]
)

const (
	MaxNewPosts = blog.MaxNewPosts
	MaxMembers  = blog.MaxMembers
	MaxBlocked  = blog.MaxBlocked
	MaxDigest   = reader.MaxDigest
	MaxRanked   = reader.MaxRanked

	MaxDigestChannels = reader.MaxDigestChannels

	TextWindow = account.TextWindow
)
