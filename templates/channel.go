package templates

import (
	"errors"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"microblogging/domain"
	"microblogging/templates/markdown"
)

// A Channel is the page of one channel. If the reader is signed in, it has a form
// that posts title, text, key and incarnation to [ChannelPath].
type Channel struct {
	domain.Channel
	// Rendered is Description as HTML.
	Rendered markdown.HTML
	// CanManage reports whether the reader owns the channel.
	CanManage bool
	// CanClose reports whether the reader may delete the channel because they act for the site.
	CanClose bool
	// Undo is for how long operators can undo that; 0 for not at all.
	Undo time.Duration
	// Posters says who may post besides the owner.
	Posters domain.Posters
	// MayNotPost says why the reader may not post. It is empty if they may.
	MayNotPost string
	// CanSeeRows reports whether the reader may see the rows behind the channel.
	CanSeeRows bool
	Readership Readership

	// View says which posts the page shows, and in which order.
	View  View
	Posts []Post
	// List shows Posts, if it is not nil.
	List templ.Component
	// Searched is how many posts were looked at to find these, and Back is when the oldest of
	// them was made.
	Searched int
	Back     time.Time
	Part

	Draft Draft
}

// A View selects and orders the posts of a channel. The zero value is all of
// them, newest first.
type View struct {
	// TopRated puts the most popular first.
	TopRated bool
	// Rating selects the posts with this number of votes. If nil, it selects all.
	Rating *int64
	// Find selects the posts that contain this text. If nothing of it can be found, the view is the
	// forms with which to find a post. If nil, it selects all.
	Find *string
	// Day is the last day whose posts are shown, from its start in UTC. If zero, it is today.
	Day time.Time
}

// MaxFind is the greatest number of characters of a text to find.
const MaxFind = 100

// Newest reports whether the view is all posts, newest first.
func (v View) Newest() bool { return v == View{} }

// Finds reports whether the view shows what was found.
func (v View) Finds() bool { return v.Find != nil && markdown.NewFinder(*v.Find).Text != "" }

// day is the view's last day, as a reader writes it.
func (v View) day() string { return v.Day.Format(dayLayout) }

// Link leads to the view's first page. Label is its name. The path is different for each view.
func (v View) Link(channel domain.ChannelName) Link {
	switch {
	case v.Find != nil:
		return Link{Label: "Find", URL: ChannelPath(channel) + "?find=" + url.QueryEscape(*v.Find)}
	case !v.Day.IsZero():
		return Link{Label: "Up to " + v.day(), URL: with(ChannelPath(channel), "day", v.Day.Format(time.DateOnly))}
	case v.Rating != nil:
		return Link{Label: "Posts with " + counted(*v.Rating, "vote"), URL: RatedPath(channel, *v.Rating)}
	case v.TopRated:
		return Link{Label: "Top rated", URL: TopRatedPath(channel)}
	}
	return Link{Label: "Newest", URL: ChannelPath(channel)}
}

// searched says how many of the posts match that were looked at.
func (v Channel) searched() string {
	if v.Searched == 0 {
		return "There are no posts to search."
	}
	of := " of "
	if v.After != "" {
		of = " of the next "
	} else if v.Next != "" {
		of = " of the newest "
	}
	said := strconv.Itoa(len(v.Posts)) + of + counted(v.Searched, "post")
	if len(v.Posts) == 1 {
		return said + " matches."
	}
	return said + " match."
}

// A Readership is how many people subscribe to a channel, and whether the reader
// does. If the reader is signed in, it has a form that posts incarnation, and
// action=subscribe or action=unsubscribe, to [ChannelPath].
type Readership struct {
	Subscribers int
	// More reports whether there are more than Subscribers says.
	More bool
	// Subscribed reports whether the reader is one of them.
	Subscribed bool
}

func (v Readership) words() string {
	if v.More {
		return count(int64(v.Subscribers)) + "+ subscribers"
	}
	return counted(v.Subscribers, "subscriber")
}

// frame describes the page as all its views are. The pages of a list have addresses of
// their own, because each shows other posts.
func (v Channel) frame(page Page) Frame {
	view := v.View.Link(v.Name)
	f := Frame{
		Title:   string(v.Name),
		About:   "Posts in " + string(v.Name) + ", a channel of @" + string(v.Owner) + ".",
		Path:    continued(view.URL, v.After),
		Channel: v.Name,
	}
	if !v.View.Newest() {
		f.Title = view.Label + " · " + f.Title
	}
	if v.Description != "" { // the owner's words
		f.About = excerpt(v.Description)
	}
	if v.CanSeeRows {
		f.Rows = ChannelRowsPath(v.Name)
	}
	return writes(f, page, page.User != "" && v.MayNotPost == "" && v.View.Newest() && v.After == "")
}

// MayNotPost says why a user may not post to a channel. It is empty if the user may.
func MayNotPost(in domain.Channel, why error) string {
	switch {
	case errors.Is(why, domain.ErrOwnerPosts):
		return "Only @" + string(in.Owner) + " posts here."
	case errors.Is(why, domain.ErrMembersPost):
		return "Only members post here. Ask @" + string(in.Owner) + " to become one."
	case errors.Is(why, domain.ErrBlocked):
		return "@" + string(in.Owner) + " has blocked you here."
	}
	return ""
}

// whoPosts is who may post, after what else is said about the channel. A blocked reader is not told that anyone may.
func (v Channel) whoPosts() string {
	switch {
	case v.Posters == domain.PostersOwner:
		return " · only " + string(v.Owner) + " posts"
	case v.Posters == domain.PostersMembers:
		return " · members post"
	case v.MayNotPost == "":
		return " · anyone may post"
	}
	return ""
}

// part is what the pager leads on from. It leads to newer posts if the list goes by time and does
// not begin with the newest one.
func (v Channel) part() Part {
	newest := v.View.Newest()
	byTime := newest || !v.View.Day.IsZero()
	if byTime && !(newest && v.After == "") && len(v.Posts) > 0 {
		v.Newer = NewerPath(v.Name, v.Posts[0].ID)
	}
	return v.Part
}

// A Directory is the list of channels at [ChannelsPath]. Its filter is a GET form to [ChannelsPath] with the field contains.
type Directory struct {
	// Contains is the filter, without the white space around it and a leading @.
	Contains string
	// People are users whose names contain it. MorePeople reports whether there are more.
	People     []domain.UserName
	MorePeople bool
	Channels   []ListedChannel
	// ByName reports whether they are in the order of their names. Otherwise, those with the newest post come first.
	ByName bool
	Part
}

// firstLine is the part of a description that a list of channels shows.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return markdown.Words(line)
}

func (v Directory) frame() Frame {
	return Frame{Title: "Channels", About: directoryAbout, Path: continued(v.path(), v.After), Sought: v.Contains}
}

// path is the first page of the list.
func (v Directory) path() string {
	if v.ByName && v.Contains == "" {
		return ChannelsByNamePath
	}
	return directoryPath(v.Contains)
}

// newPath is the form for a new channel, with what was sought if a channel can have that name.
func (v Directory) newPath() string {
	if _, err := domain.ParseNewChannelName(v.Contains); err != nil {
		return NewChannelPath
	}
	return newChannelNamed(v.Contains)
}

const directoryAbout = "Places for short posts. Anyone may read. Signed-in users may post, unless the owner of a channel has limited that."

// A NewChannel is the form that creates a channel. It posts name, the words of a [domain.About], posting and add-member
// to [NewChannelPath].
type NewChannel struct {
	Form
	domain.Channel
	Posting PostingForm
	// Key is the idempotency key: a form that is sent twice creates one channel.
	Key string
}

// gap is what is between the words of a name.
var gap = regexp.MustCompile(`[^\p{L}\p{Nd}\p{M}]+`)

// hyphenated is a refused name with a hyphen for all that is not allowed between two words, if that is a name.
func hyphenated(typed string) string {
	words := strings.TrimFunc(typed, func(r rune) bool { return gap.MatchString(string(r)) })
	name, err := domain.ParseNewChannelName(gap.ReplaceAllStringFunc(words, func(between string) string {
		if strings.Contains("-_.", between) {
			return between
		}
		return "-"
	}))
	if _, refused := domain.ParseNewChannelName(typed); refused == nil || err != nil {
		return ""
	}
	return string(name)
}

// fields are those of the form.
func (v NewChannel) fields() []field {
	fields := channelFields(ChannelDraft, v.Channel)
	fields[0].First = !v.failed()
	fields[0].Allowed, fields[0].Holder = hyphenated(string(v.Name)), ChannelPath(v.Name)
	return fields
}

// A PostingForm says in a form who may post. The form posts posting; member and blocked, for each name that keeps its
// tick; and add-member and add-blocked, with names.
type PostingForm struct {
	Posters               domain.Posters
	Members, Blocked      []Ticked
	AddMember, AddBlocked string
}

// A Ticked is a name on a list, and whether it has its tick.
type Ticked struct {
	Name domain.UserName
	On   bool
}

// PostersWords is the choice of who may post, as a form offers it to an owner.
func PostersWords(posters domain.Posters) string {
	return map[domain.Posters]string{
		domain.PostersOwner: "Only me", domain.PostersMembers: "Members", domain.PostersOpen: "Anyone with an account",
	}[posters]
}

// namesField is the field for names that are added to a list.
func namesField(name, label, value, hint string) field {
	return field{Name: name, Label: label, Value: value, Hint: hint, Type: "text", Autocomplete: "off", Literal: true, Plain: true}
}

// An EditChannel has the form with the settings of a channel. It posts the words of a [domain.About], what a PostingForm
// does, base, and incarnation, to [EditChannelPath].
type EditChannel struct {
	Form
	domain.Channel
	// Base is what the form was shown with, as [Pack] writes it. The form posts it as base.
	Base    string
	Posting PostingForm
	// Undo is how long a deletion can be undone; 0 for not at all.
	Undo time.Duration
}

// settingsFields are the fields of a channel's settings that can be marked.
func settingsFields() []string {
	return append(DescriptionDraft.Fields(), "posting", "add-member", "add-blocked")
}

// A DeleteChannel asks the owner to confirm a deletion. It posts incarnation to
// [DeleteChannelPath]. The owner confirms the deletion of this incarnation; a later channel of
// the same name is not deleted.
type DeleteChannel struct {
	Form
	domain.Channel
	// Undo is how long it can be undone; 0 for not at all.
	Undo time.Duration
	// Posts counts the posts, and People who wrote them. More tells that there are more posts.
	Posts, People int
	More          bool
}

// described is what goes with the channel's name.
func (v DeleteChannel) described() string {
	if v.Description == "" {
		return ""
	}
	return " with its description"
}

// extent says what goes.
func (v DeleteChannel) extent() string {
	people := strconv.Itoa(v.People) + " people"
	if v.People == 1 {
		people = "1 person"
	}
	switch {
	case v.More:
		return "more than " + counted(v.Posts, "post")
	case v.Posts == 0:
		return "no posts"
	}
	return counted(v.Posts, "post") + " by " + people
}

// A ChannelFeed is the page that explains the feeds of a channel.
type ChannelFeed struct {
	Channel domain.ChannelName
	// Posts is how many posts a feed holds at most.
	Posts int
}
