// Package reader is what users subscribe to: their subscriptions, and what is made of them, a feed
// and a digest.
//
// A subscription is two rows in two tables (subscription.go). A feed is made when it is read: from
// the posts of each channel, and then from the channel's row and the subscriber's row there, so
// that no page shows what was deleted before it was asked for.
package reader
