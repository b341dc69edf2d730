package templates

import "net/url"

// The paths of pages that have no parameters.
const (
	HomePath       = "/"
	ChannelsPath   = "/channels"
	NewChannelPath = "/channels/new"
	SignUpPath     = "/sign-up"
	SignInPath     = "/sign-in"
	SignOutPath    = "/sign-out"
	AccountPath    = "/account"
	LearnPath      = "/how-deletion-works"
)

// ChannelPath is a channel's page. The name may be any text.
func ChannelPath(name string) string { return ChannelsPath + "/" + url.PathEscape(name) }

// EditChannelPath is where the owner changes the description.
func EditChannelPath(name string) string { return ChannelPath(name) + "/edit" }

// DeleteChannelPath is where the owner confirms that the channel shall go.
func DeleteChannelPath(name string) string { return ChannelPath(name) + "/delete" }

// DeletionPath is where whoever asked for a deletion watches it.
func DeletionPath(channel, incarnation string) string {
	return ChannelPath(channel) + "/deletions/" + incarnation
}

// DeletionEventsPath is the stream of Server-Sent Events behind DeletionPath.
// Each event "progress" carries what [DeletionProgress] renders; the event
// "end" says that nothing will follow.
func DeletionEventsPath(channel, incarnation string) string {
	return DeletionPath(channel, incarnation) + "/events"
}

// BlogPath is a post's permalink. The id is a real one: it needs no escaping.
func BlogPath(channel, id string) string { return ChannelPath(channel) + "/blogs/" + id }

// EditBlogPath is where the author edits the post.
func EditBlogPath(channel, id string) string { return BlogPath(channel, id) + "/edit" }

// signInFrom is the way to sign in and come back to the page.
func signInFrom(page Page) string { return withNext(SignInPath, page.returnPath()) }

func signUpFrom(page Page) string { return withNext(SignUpPath, page.returnPath()) }

func withNext(path, next string) string {
	if next == "" {
		return path
	}
	return path + "?next=" + url.QueryEscape(next)
}

// directoryPath is one page of the directory.
func directoryPath(prefix, after string) string {
	query := ""
	if prefix != "" {
		query = "?prefix=" + url.QueryEscape(prefix)
	}
	if after != "" {
		if query == "" {
			query = "?after="
		} else {
			query += "&after="
		}
		query += url.QueryEscape(after)
	}
	return ChannelsPath + query
}

// olderPath is the page of a channel that starts after a continuation.
func olderPath(channel, after string) string {
	return ChannelPath(channel) + "?after=" + url.QueryEscape(after)
}

// newChannelNamed is the form for a new channel with the name filled in.
func newChannelNamed(name string) string {
	return NewChannelPath + "?name=" + url.QueryEscape(name)
}
