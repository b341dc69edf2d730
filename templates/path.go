package templates

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"microblogging/domain"
)

// The paths of pages that have no parameters.
const (
	HomePath = "/"
	// LatestPath has the newest posts of all channels, as HomePath has for anonymous clients.
	LatestPath   = "/latest"
	ChannelsPath = "/channels"
	// SearchPath finds posts, channels and people by a text.
	SearchPath = "/search"
	// ChannelsByNamePath lists all channels, also those without a post.
	ChannelsByNamePath = ChannelsPath + "?order=name"
	NewChannelPath     = "/channels/new"
	// SubscriptionsPath lists what the reader subscribes to.
	SubscriptionsPath = "/subscriptions"
	SignUpPath        = "/sign-up"
	SignInPath        = "/sign-in"
	SignOutPath       = "/sign-out"
	AccountPath       = "/account"
	// ResetPath is where a link of user reset leads, with its token.
	ResetPath = "/sign-in/reset"
	// EraseAccountPath deletes the reader's account.
	EraseAccountPath = "/account/deletion"
	ExportPath       = "/account/export"
	ExportFilePath   = "/account/export.zip"
	// DeletionsPath lists the deletions that the reader asked for.
	DeletionsPath = "/account/deletions"
	LearnPath     = "/how-deletion-works"
	// AboutPath is what the operator says about the site.
	AboutPath = "/about"
	// KeysPath lists the keys of the keyboard that do something.
	KeysPath = "/keys"
	// OperatorPath is what operators of the site alone see: accounts, and what waits for them.
	OperatorPath = "/operator"
	// OperatorInvitationsPath lists invitations, and makes them.
	OperatorInvitationsPath = "/operator/invitations"
	// PreviewPath shows a text that is not saved.
	PreviewPath = "/preview"
	// LabIndexPath is the index of the lab.
	LabIndexPath = "/lab"
	// LearnGatePath is where LearnPath explains the gate.
	LearnGatePath = LearnPath + "#gate"
)

// ChannelPath is a channel's page. The name may be any text.
func ChannelPath(name domain.ChannelName) string {
	return ChannelsPath + "/" + url.PathEscape(string(name))
}

// TopRatedPath is a channel's page with the most popular posts first.
func TopRatedPath(name domain.ChannelName) string { return ChannelPath(name) + "?order=rating" }

// RatedPath is a channel's page of the posts with that number of votes.
func RatedPath(name domain.ChannelName, rating int64) string {
	return ChannelPath(name) + "?rating=" + strconv.FormatInt(rating, 10)
}

// NewerPath leads to the page of a channel's posts that ends right before a post.
func NewerPath(name domain.ChannelName, than domain.BlogID) string {
	return ChannelPath(name) + "?newer=" + string(than)
}

// OlderPath is the page of a channel's posts that starts at a continuation token. It is the first
// page if there is none.
func OlderPath(name domain.ChannelName, after string) string {
	return continued(ChannelPath(name), after)
}

// ChannelAtomPath is a channel's feed in the Atom format.
func ChannelAtomPath(name domain.ChannelName) string { return ChannelPath(name) + "/feed.atom" }

// ChannelJSONFeedPath is a channel's feed in the JSON Feed format.
func ChannelJSONFeedPath(name domain.ChannelName) string { return ChannelPath(name) + "/feed.json" }

// ChannelFeedPath explains a channel's feeds to people.
func ChannelFeedPath(name domain.ChannelName) string { return ChannelPath(name) + "/feed" }

// UserPath is the public page of a user. A valid name needs no escaping.
func UserPath(name domain.UserName) string { return "/users/" + url.PathEscape(string(name)) }

// UserChannelsPath is the page of the channels that a user owns.
func UserChannelsPath(name domain.UserName) string { return UserPath(name) + "?show=channels" }

// EditChannelPath is where the owner changes the description.
func EditChannelPath(name domain.ChannelName) string { return ChannelPath(name) + "/edit" }

// DeleteChannelPath is where the owner confirms the deletion.
func DeleteChannelPath(name domain.ChannelName) string { return ChannelPath(name) + "/delete" }

// DeletionPath is where the owner watches a deletion.
func DeletionPath(channel domain.ChannelName, incarnation domain.Incarnation) string {
	return ChannelPath(channel) + "/deletions/" + string(incarnation)
}

// ChannelRowsPath shows the rows behind a channel.
func ChannelRowsPath(channel domain.ChannelName) string { return ChannelPath(channel) + "/rows" }

// DeletionEventsPath is the stream of Server-Sent Events for DeletionPath. Each
// event "progress" carries what [DeletionProgress] renders. The event "end" is the
// last.
func DeletionEventsPath(channel domain.ChannelName, incarnation domain.Incarnation) string {
	return DeletionPath(channel, incarnation) + "/events"
}

// BlogPath is a post's permalink, with its day in UTC and its first words. Only the id at its
// end, which has no hyphen, is read. A valid id needs no escaping.
func BlogPath(channel domain.ChannelName, post domain.Blog) string {
	return ChannelPath(channel) + "/" + post.CreatedOn.UTC().Format(time.DateOnly) + "/" + slug(post.Draft) + string(post.ID)
}

// maxSlug is the length from which an address has no more words of its post, in bytes.
const maxSlug = 40

// slug has the first words of a post, each with a hyphen behind it.
func slug(d domain.Draft) (s string) {
	begun := cmp.Or(d.Title, d.Text)
	begun = begun[:min(len(begun), 4*maxSlug)]
	for word := range strings.FieldsFuncSeq(strings.ToLower(begun), func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.N, unicode.Mn, unicode.Mc) || unicode.Is(unicode.Variation_Selector, r) // of an emoji
	}) {
		if len(s)+len(word) > maxSlug {
			break
		}
		s += url.PathEscape(word) + "-"
	}
	return s
}

// plainBlogPath shows a post as BlogPath does, and needs nothing of it but its id.
func plainBlogPath(channel domain.ChannelName, id domain.BlogID) string {
	return ChannelPath(channel) + "/blogs/" + string(id)
}

// EditBlogPath is where the author edits the post.
func EditBlogPath(channel domain.ChannelName, id domain.BlogID) string {
	return plainBlogPath(channel, id) + "/edit"
}

// signInFrom is the path to sign in and then return to the page.
func signInFrom(page Page) string {
	return with(SignInPath, "next", page.returnPath(), "then", page.begun().String())
}

// signInToSubscribe is the path to sign in, which subscribes to the channel, and then return to the page.
func signInToSubscribe(page Page, to domain.Channel) string {
	return with(SignInPath, "next", page.returnPath(), "then", Begun{Channel: to.Name, Incarnation: to.Incarnation}.String())
}

// signInToVote is the path to sign in, which votes for a post on the page, and then return to the post. Home is another page
// for a reader who is signed in.
func signInToVote(page Page, p *Post) string {
	path := page.Path
	if page.current(HomePath) {
		path = LatestPath + strings.TrimPrefix(path, HomePath)
	}
	return with(SignInPath, "next", path+"#"+Anchor(p.ID), "then", Begun{p.In, p.Channel.Incarnation, p.ID}.String())
}

// signUpFrom is the path to sign up and then return to the page.
func signUpFrom(page Page) string {
	return with(SignUpPath, "next", page.returnPath(), "then", page.begun().String())
}

// InvitationPath is the sign-up with the secret of an invitation.
func InvitationPath(secret string) string { return with(SignUpPath, "invitation", secret) }

// directoryPath is the first page of the directory.
func directoryPath(contains string) string { return with(ChannelsPath, "contains", contains) }

// searchPath is the first page of a search.
func searchPath(text string) string { return with(SearchPath, "q", text) }

// continued is the page of a list that starts at a continuation token. It is the first page if
// there is none.
func continued(path, after string) string { return with(path, "after", after) }

// with adds fields and their values to the query of a path. It leaves out what is empty.
func with(path string, query ...string) string {
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	for i := 0; i < len(query); i += 2 {
		if value := query[i+1]; value != "" {
			path += separator + query[i] + "=" + url.QueryEscape(value)
			separator = "&"
		}
	}
	return path
}

// newChannelFrom is the form for a new channel. An anonymous client signs up first, or signs in,
// and then gets there.
func newChannelFrom(page Page, path string) string {
	switch {
	case page.User != "":
		return path
	case page.mustSignIn():
		return with(SignInPath, "next", path)
	}
	return with(SignUpPath, "next", path)
}

// mustSignIn reports whether the reader is an anonymous client who cannot sign up without more.
func (p Page) mustSignIn() bool { return p.User == "" && !p.Site.Registration.Open() }

// toCreate are the words of a link to that form.
func toCreate(page Page, what string) string {
	if page.mustSignIn() {
		return "sign in to create " + what
	}
	return "create " + what
}

// newChannelNamed is the form for a new channel with the name filled in.
func newChannelNamed(name string) string { return with(NewChannelPath, "name", name) }

// LabPath is the page of a scenario of the lab.
func LabPath(scenario string) string {
	return LabIndexPath + "/" + strings.ReplaceAll(url.PathEscape(scenario), "%2F", "/") // own/NAME
}
