package templates

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"microblogging/domain"
	"microblogging/templates/markdown"
)

// noon is the current time in all tests.
func noon() time.Time { return time.Date(2026, 7, 29, 12, 0, 0, 0, time.UTC) }

func ago(d time.Duration) time.Time { return noon().Add(-d) }

func pageAt(path string, user domain.UserName) Page {
	return Page{
		Path: path, User: user,
		Asset: func(name string) string { return "/static/" + name },
	}
}

// teaching is the page of a site that shows what is behind its pages.
func teaching(page Page) Page {
	page.Teach = true
	return page
}

// nasty is what a hostile user might write into any field.
const nasty = `"><script>alert('x')</script><b title='`

func longName() string { return strings.Repeat("Donaudampfschiff", 4) }

func samplePost() Post {
	return Post{
		In: "aurora",
		Blog: domain.Blog{
			ID: "2516789012345678901!abc", Draft: domain.Draft{Title: "Green arcs", Text: "One line.\nSee https://example.org/mag."},
			UserID: "ingrid", CreatedOn: ago(3 * time.Minute),
		},
		Rendered: markdown.Render("One line.\nSee https://example.org/mag.", markdown.BelowList),
	}
}

// sampleThread has a reply of another user, whom its reader may block, and one that its reader may remove as an operator.
func sampleThread() Thread {
	v := Thread{Post: samplePost(), Draft: Draft{Key: "k-1"}, Part: Part{After: "a"}}
	v.RepliedOn = ago(time.Minute)
	v.Replies = []Reply{
		{Reply: domain.Reply{ID: "1-a", Text: "Seen.", UserID: "jo", CreatedOn: ago(2 * time.Minute)}, Rendered: markdown.Render("# Seen", markdown.BelowDigest), CanDelete: true, CanBlock: true},
		{Reply: domain.Reply{ID: nasty, Text: nasty, UserID: nasty, CreatedOn: ago(time.Minute)}, Rendered: markdown.Render(nasty, markdown.BelowDigest), CanDelete: true, AsOperator: true, CanBlock: true},
	}
	return v
}

func sampleChannel() Channel {
	untitled := Post{
		In:       "aurora",
		Blog:     domain.Blog{ID: "2516789012345678902!abc", Draft: domain.Draft{Text: nasty}, UserID: "jo", CreatedOn: ago(time.Hour), EditedOn: ago(time.Minute)},
		Rendered: markdown.Render(nasty, markdown.BelowList),
	}
	return Channel{
		Channel:  domain.Channel{Name: "aurora", Owner: "ingrid", About: domain.About{Description: "Sightings.\nOne post each."}, CreatedOn: ago(50 * time.Hour)},
		Rendered: markdown.Render("Sightings.\nOne post each.", markdown.BelowTitle),
		Posts:    []Post{samplePost(), untitled}, Part: Part{Next: "older&more"}, Draft: Draft{Key: "k-1"},
	}
}

func sampleDeletion(state domain.DeletionState, step domain.Step) Deletion {
	d := Deletion{By: domain.By("ingrid"), Deletion: domain.Deletion{RequestedBy: "ingrid",
		Name: "aurora", Channel: domain.ChannelRef{Incarnation: "inc1"}, State: state, Step: step, RowsDeleted: 12345, Attempts: 2,
		RequestedOn: ago(time.Minute),
	}}
	if state == domain.DeletionDone {
		d.FinishedOn = ago(56 * time.Second)
	}
	if step != "" {
		d.StepLog = sampleStepLog(d.RequestedOn)
	}
	if state != domain.DeletionDone {
		d.StepLog = slices.DeleteFunc(d.StepLog, func(s domain.StepRecord) bool { return stepIndex(s.Step) > stepIndex(step) })
	}
	return d
}

// sampleStepLog is of a worker that died, and of one that took over.
func sampleStepLog(asked time.Time) []domain.StepRecord {
	traced := func(step domain.Step, worker int, after, took time.Duration, rows int64, result domain.StepResult) domain.StepRecord {
		s := domain.StepRecord{Step: step, Worker: worker, Delivery: int64(worker), Began: asked.Add(after), Rows: rows, Result: result}
		if result != "" {
			s.Ended = s.Began.Add(took)
		}
		return s
	}
	return []domain.StepRecord{
		traced("receive", 1, 40*time.Millisecond, 2*time.Millisecond, 0, "done"),
		traced("pivot", 1, 42*time.Millisecond, 400*time.Microsecond, 0, "done"),
		traced("sweep", 1, 43*time.Millisecond, 0, 99, ""),
		traced("receive", 2, 31*time.Second, time.Millisecond, 0, "done"),
		traced("sweep", 2, 32*time.Second, 1500*time.Millisecond, 12246, "done"),
		traced("release", 2, 200*time.Second, 75*time.Second, 0, "overtaken"),
	}
}

func refused(fields ...string) Form {
	var f Form
	for _, name := range fields {
		f.Errors = append(f.Errors, domain.FieldError{Field: name, Detail: "must not be " + nasty})
	}
	return f
}

func sampleKept(kind DraftKind, signIn bool) *KeptDraft {
	return &KeptDraft{
		Kind: kind, Action: "/channels/" + nasty, Values: map[string]string{"title": nasty, "text": nasty, "name": nasty, "description": nasty},
		Rest: []Hidden{{"key", nasty}, {"incarnation", nasty}, {nasty, "x"}}, User: nasty, Send: true, SignIn: signIn,
	}
}

// everyPage has every page in every state that changes its content.
func everyPage() map[string]templ.Component {
	in, out := pageAt("/channels/aurora?after=a&b", "ingrid"), pageAt("/channels/aurora?after=a&b", "")
	pages := make(map[string]templ.Component)
	for _, some := range []map[string]templ.Component{
		directoryPages(in, out), channelPages(in, out), channelManagePages(in), blogPages(in, out), readerPages(in), accountPages(in, out), otherPages(in, out),
	} {
		maps.Copy(pages, some)
	}
	return pages
}

func directoryPages(in, out Page) map[string]templ.Component {
	items := []ListedChannel{
		{Channel: domain.Channel{Name: "aurora", Owner: "ingrid", About: domain.About{Description: "First line\nsecond line"}, CreatedOn: ago(time.Hour)}},
		{Channel: domain.Channel{Name: domain.ChannelName(longName()), Owner: "jo", About: domain.About{Description: nasty}}, On: ago(time.Hour), Subscribed: true},
	}
	return map[string]templ.Component{
		"directory":           DirectoryPage(out, Directory{Channels: items, Part: Part{Next: "n"}}),
		"directory, filtered": DirectoryPage(in, Directory{Channels: items, Contains: nasty, Part: Part{After: "a"}}),
		"directory, person":   DirectoryPage(out, Directory{Contains: "jo", People: []domain.UserName{"jo", "major"}, MorePeople: true, Channels: items}),
		"directory, empty":    DirectoryPage(out, Directory{}),
		"directory, no match": DirectoryPage(out, Directory{Contains: nasty}),
		"search":              SearchPage(in, Search{Text: "jo", Channels: items[:1], People: []domain.UserName{"jo"}, MoreNames: true, Posts: sampleFeed().Posts, Back: ago(time.Hour), Part: Part{Next: "n"}}),
		"search, names alone": SearchPage(out, Search{Text: nasty, People: []domain.UserName{"jo"}, Back: ago(time.Hour)}),
		"search, nothing":     SearchPage(out, Search{Text: nasty, Back: ago(time.Hour), Part: Part{Next: "n"}}),
		"search, past end":    SearchPage(out, Search{Text: "jo", Part: Part{After: "a"}}),
		"search, empty":       SearchPage(in, Search{}),
		"search, refused":     SearchPage(out, Search{Text: nasty, Refused: "is not valid UTF-8"}),
		"directory, past end": DirectoryPage(out, Directory{Part: Part{After: "a"}}),
	}
}

func channelPages(in, out Page) map[string]templ.Component {
	noticed := in
	noticed.Notice = "Saved " + nasty
	empty, paged, strange := sampleChannel(), sampleChannel(), sampleChannel()
	empty.Posts, empty.Next, empty.Description, empty.Rendered = nil, "", "", markdown.HTML{}
	paged.After, paged.CanManage, paged.CanSeeRows = "x", true, true
	paged.Posts[0].CanEdit, paged.Posts[0].CanDelete, paged.Posts[1].CanDelete, paged.Posts[1].CanBlock = true, true, true, true
	strange.Name, strange.Draft = nasty, Draft{Form: refused("title", "text", "key"), Key: nasty}
	for _, field := range append(strange.Fields(), strange.Draft.Fields()...) {
		*field.Text = nasty
	}
	rated, crowded := sampleChannel(), sampleChannel()
	three := int64(3)
	rated.View, rated.Posts, rated.Name = View{Rating: &three}, nil, nasty
	crowded.View, crowded.After, crowded.Readership = View{TopRated: true}, "x", Readership{Subscribers: 1000, More: true, Subscribed: true}
	crowded.Posts[0].Rating = 3
	found, unfound, dated, undated := sampleChannel(), sampleChannel(), sampleChannel(), sampleChannel()
	found.View, found.Searched, found.Back = View{Find: new(nasty)}, 20000, ago(time.Hour)
	unfound.View, unfound.Posts, unfound.Next = View{Find: new("x y")}, nil, ""
	dated.View.Day, undated.View.Day, undated.Posts, undated.Next = ago(24*time.Hour), ago(24*time.Hour), nil, ""
	blank := unfound
	blank.View = View{Find: new("")}
	return map[string]templ.Component{
		"channel":             ChannelPage(in, sampleChannel()),
		"channel, anonymous":  ChannelPage(out, sampleChannel()),
		"channel, empty":      ChannelPage(in, empty),
		"channel, empty, out": ChannelPage(out, empty),
		"channel, paged":      ChannelPage(in, paged),
		"channel, nasty":      ChannelPage(noticed, strange),
		"channel, top rated":  ChannelPage(in, crowded),
		"channel, none rated": ChannelPage(out, rated),
		"channel, found":      ChannelPage(in, found),
		"channel, not found":  ChannelPage(out, unfound),
		"channel, to find":    ChannelPage(out, blank),
		"channel, dated":      ChannelPage(in, dated),
		"channel, undated":    ChannelPage(out, undated),
	}
}

func channelManagePages(in Page) map[string]templ.Component {
	return map[string]templ.Component{
		"new channel":        NewChannelPage(in, NewChannel{}),
		"new channel, no":    NewChannelPage(in, NewChannel{Form: refused("name", "description"), Channel: domain.Channel{Name: nasty, About: domain.About{Description: nasty}}}),
		"edit channel":       EditChannelPage(in, EditChannel{Channel: domain.Channel{Name: "aurora", About: domain.About{Description: "d"}}}),
		"edit channel, no":   EditChannelPage(in, EditChannel{Form: refused("description"), Channel: domain.Channel{Name: nasty, About: domain.About{Description: nasty}}}),
		"delete channel":     DeleteChannelPage(in, DeleteChannel{Channel: domain.Channel{Name: "aurora", Incarnation: "inc1", CreatedOn: ago(time.Hour)}}),
		"delete channel, no": DeleteChannelPage(in, DeleteChannel{Form: Form{Message: nasty}, Channel: domain.Channel{Name: nasty, Incarnation: nasty}}),
		"operator": OperatorPage(in, Operating{Operators: domain.Operators{"ingrid"}, Accounts: []domain.User{
			{Name: "ingrid", CreatedOn: ago(time.Hour)}, {Name: "bob", CreatedOn: ago(time.Hour)},
			{Name: "eve", CreatedOn: ago(time.Hour), Ends: ago(-time.Hour), Closed: true}, {Name: "zoe", CreatedOn: ago(time.Hour), Ends: ago(-time.Hour)},
		}}),
		"operator, none": OperatorPage(in, Operating{Contains: "x"}),
		"operator, invitations": InvitationsPage(in, Invitations{Link: "https://blog.example/sign-up?invitation=x", Until: ago(0), Items: []domain.Invitation{
			{ID: "a", By: "ingrid", CreatedOn: ago(time.Hour), ExpiresOn: ago(0)}, {ID: "b", CreatedOn: ago(time.Hour), ExpiresOn: ago(0), UsedBy: "eve"},
		}}),
		"operator, password link": PasswordLinkPage(in, PasswordLink{For: "bob", Link: "https://blog.example/sign-in/reset?token=x", Until: ago(0)}),
		"deletion queued":         DeletionPage(in, sampleDeletion(domain.DeletionQueued, "")),
		"deletion running":        DeletionPage(in, sampleDeletion(domain.DeletionRunning, "sweep")),
		"deletion poisoned":       DeletionPage(in, sampleDeletion(domain.DeletionPoisoned, "sweep")),
		"deletions": DeletionsPage(in, Deletions{Part: Part{Next: "n"}, Items: []domain.Deletion{
			{Name: "aurora", Channel: domain.ChannelRef{Incarnation: "inc1"}, State: domain.DeletionDone, RowsDeleted: 12345, RequestedOn: ago(time.Hour)},
			{Name: domain.ChannelName(longName()), Channel: domain.ChannelRef{Incarnation: "inc2"}, State: domain.DeletionPoisoned, RequestedOn: ago(time.Hour)},
		}}),
		"deletions, none":     DeletionsPage(in, Deletions{}),
		"deletions, past end": DeletionsPage(in, Deletions{Part: Part{After: "a"}}),
		"deletions, a gap":    DeletionsPage(in, Deletions{Part: Part{Next: "n"}}),
		"rows": ChannelRowsPage(in, ChannelRows{
			Channel: nasty, Part: Part{Next: "n"}, UnderWay: true, Deletion: "/x",
			State: nasty, Tables: []TableBlock{{Key: "t", Name: "Channels"}}, Queue: sampleQueue(), Partition: sampleTable(),
		}),
		"rows, gone":    ChannelRowsPage(in, ChannelRows{Channel: "aurora"}),
		"deletion done": DeletionPage(in, sampleDeletion(domain.DeletionDone, "release")),
	}
}

func blogPages(in, out Page) map[string]templ.Component {
	post, popular, mine := samplePost(), samplePost(), samplePost()
	mine.CanEdit, mine.CanDelete = true, true
	popular.Rating, popular.Voted = 3, true
	conflict, unmerged := sampleConflict(), sampleConflict()
	unmerged.Form, unmerged.Title, unmerged.Text = refused("title", "text"), nasty, nasty
	unmerged.Conflict.Theirs.Title = ""
	unmerged.Conflict = NewConflict(unmerged.Draft, unmerged.Conflict.Theirs, domain.Draft{}, false)
	return map[string]templ.Component{
		"blog":                BlogPage(in, Thread{Post: mine}),
		"blog, nasty":         BlogPage(out, Thread{Post: Post{In: nasty, Blog: domain.Blog{ID: nasty, Draft: domain.Draft{Text: nasty}, UserID: nasty, RepliedOn: noon()}, CanDelete: true, CanBlock: true, CanUnblock: true}, MayNotPost: nasty}),
		"blog, voted":         BlogPage(in, Thread{Post: popular}),
		"blog, replies":       BlogPage(in, sampleThread()),
		"blog, no replies":    BlogPage(in, Thread{Post: sampleThread().Post}),
		"blog, past end":      BlogPage(out, Thread{Post: sampleThread().Post, Part: Part{After: nasty}}),
		"blog, part":          BlogPage(in, Thread{Post: sampleThread().Post, Part: Part{Next: nasty}}),
		"blog, refused":       BlogPage(in, Thread{Post: post, Draft: Draft{Form: refused("text", "key"), Draft: domain.Draft{Text: nasty}, Key: nasty}}),
		"yours":               YoursPage(in, []Post{sampleThread().Post, {In: nasty, Blog: domain.Blog{ID: nasty, Draft: domain.Draft{Title: nasty}}}}),
		"yours, none":         YoursPage(in, nil),
		"preview":             PreviewPage(in, Preview{Draft: domain.Draft{Title: nasty}, Rendered: post.Rendered}),
		"preview, no":         PreviewPage(in, Preview{Form: refused("title", "text")}),
		"edit blog":           EditBlogPage(in, EditBlog{Channel: domain.Channel{Name: "aurora"}, ID: post.ID, Draft: domain.Draft{Title: post.Title, Text: post.Text}, ETag: "e"}),
		"edit blog, refused":  EditBlogPage(in, EditBlog{Form: refused("title", "text"), Channel: domain.Channel{Name: "aurora"}, ID: post.ID, Draft: domain.Draft{Title: nasty, Text: nasty}}),
		"edit blog, stale":    EditBlogPage(in, conflict),
		"edit blog, unmerged": EditBlogPage(in, unmerged),
	}
}

func readerPages(in Page) map[string]templ.Component {
	quiet, made, part := sampleDigest(), sampleDigest(), sampleDigest()
	quiet.Channels, quiet.Later, quiet.HasAddress = nil, "", true
	part.After, part.Next, part.Channels[1].First = "after", "more", 101
	made.HasAddress, made.Address = true, "https://example.org/"+nasty
	return map[string]templ.Component{
		"feed":                FeedPage(in, sampleFeed()),
		"feed, empty":         FeedPage(in, Feed{}),
		"feed, past end":      FeedPage(in, Feed{Part: Part{After: "a"}}),
		"latest":              LatestPage(in, sampleLatest()),
		"latest, empty":       LatestPage(in, Latest{}),
		"latest, a hole":      LatestPage(in, Latest{Part: Part{After: "a", Next: "n"}}),
		"latest, past end":    LatestPage(in, Latest{Part: Part{After: "a"}}),
		"feed, composer":      FeedPage(in, Feed{Posts: sampleFeed().Posts, Seen: ago(time.Hour), Composer: sampleComposer()}),
		"feed, starts":        FeedPage(in, Feed{Starts: true, Newcomer: true, Posts: sampleFeed().Posts, Channels: sampleLatest().Channels, Composer: sampleComposer()}),
		"write":               WritePage(in, *sampleComposer()),
		"write, no":           WritePage(in, Composer{Draft: Draft{Form: refused("title", "text", "channel", "name", "key"), Key: nasty}, Name: nasty, Next: nasty}),
		"subscriptions":       SubscriptionsPage(in, Subscriptions{{Name: nasty, Role: domain.RoleOwner, SubscribedOn: ago(time.Hour)}}),
		"subscriptions, none": SubscriptionsPage(in, nil),
		"digest":              DigestPage(in, sampleDigest()),
		"digest, quiet":       DigestPage(in, quiet),
		"digest, part":        DigestPage(in, part),
		"digest, address":     DigestPage(in, made),
		"digest, no":          DigestPage(in, Digest{Form: refused("day", "tz"), Day: nasty, Zone: nasty}),
	}
}

func accountPages(in, out Page) map[string]templ.Component {
	return map[string]templ.Component{
		"sign up":       SignUpPage(out, SignUp{Next: "/channels/a"}),
		"sign up, no":   SignUpPage(out, SignUp{Form: refused("name", "password"), Name: nasty, Next: nasty}),
		"sign in":       SignInPage(out, SignIn{}),
		"sign in, no":   SignInPage(out, SignIn{Form: Form{Message: "Wrong name or password."}, Name: nasty, Next: nasty}),
		"sign out":      SignOutPage(in),
		"export":        ExportPage(in),
		"erase":         ErasurePage(in, Erasure{Undo: 7 * 24 * time.Hour}),
		"erase-asked":   ErasurePage(in, Erasure{Undo: 7 * 24 * time.Hour, Ends: noon().Add(time.Hour)}),
		"erase-way":     ErasurePage(out, Erasure{Progress: &domain.Deletion{State: domain.DeletionRunning, Step: domain.StepPosts, RowsDeleted: 12}}),
		"erase-out":     ErasurePage(out, Erasure{Undo: 7 * 24 * time.Hour}),
		"sign up, link": SignUpPage(out, SignUp{Invitation: nasty, Until: ago(-time.Hour)}),
		"reset":         ResetPage(out, Reset{For: "bob", Token: "token"}),
		"reset, no":     ResetPage(out, Reset{Form: refused("password"), For: "bob", Token: "token"}),
		"account":       AccountPage(in, Account{}),
		"account, no":   AccountPage(in, Account{Form: refused("old", "new")}),
	}
}

func sampleUser() User {
	return User{
		User: domain.User{Name: "ingrid", CreatedOn: ago(3 * 365 * 24 * time.Hour)}, Owns: true, Part: Part{Next: "n&m"},
		Channels: []domain.Channel{
			{Name: "Füchse", Owner: "ingrid", About: domain.About{Description: "Foxes.\nNot shown."}, CreatedOn: ago(2 * time.Hour)},
			{Name: nasty, Owner: "ingrid", About: domain.About{Description: nasty}, CreatedOn: ago(time.Hour)},
		},
	}
}

// withSite is a page of a site of which its operator says this.
func withSite(page Page, site Site) Page {
	page.Site = site
	return page
}

// registered is a site on which these may sign up.
func registered(site Site, registration domain.Registration) Site {
	site.Registration = registration
	return site
}

func otherPages(in, out Page) map[string]templ.Component {
	club, aboutClub := NewSite("Lakeside Rowing Club", "# About us\n\nWe row.\n\n## Rules\n\n1. No selling.\n", "the desk")
	nastySite, aboutNasty := NewSite(nasty, nasty, nasty)
	pages := map[string]templ.Component{
		"keys":             KeysPage(out),
		"learn":            LearnPage(out),
		"about":            AboutPage(withSite(out, club), aboutClub),
		"about, nasty":     AboutPage(withSite(in, nastySite), aboutNasty),
		"latest, named":    LatestPage(withSite(out, nastySite), sampleLatest()),
		"sign up, invited": NoSignUpPage(withSite(out, registered(club, domain.RegistrationInvited)), NoSignUp{}),
		"sign up, closed":  NoSignUpPage(withSite(out, registered(nastySite, domain.RegistrationClosed)), NoSignUp{}),
		"sign up, over":    NoSignUpPage(out, NoSignUp{Over: true}),
		"sign in, invited": SignInPage(withSite(out, registered(club, domain.RegistrationInvited)), SignIn{}),
		"latest, closed":   LatestPage(withSite(out, registered(club, domain.RegistrationClosed)), sampleLatest()),
		"sign in, named":   SignInPage(withSite(out, nastySite), SignIn{}),
		"problem, nasty":   ProblemPage(in, Problem{Status: 422, Title: nasty, Detail: nasty, Errors: refused(nasty).Errors, Links: []Link{{Label: nasty, URL: "/x", Aside: true}}, RequestID: nasty}),
		"problem, post":    ProblemPage(out, Problem{Status: 401, Kept: sampleKept(PostDraft, true)}),
		"problem, reply":   ProblemPage(in, Problem{Status: 410, Kept: sampleKept(ReplyDraft, false)}),
		"problem, channel": ProblemPage(in, Problem{Status: 503, Kept: sampleKept(ChannelDraft, false)}),
		"problem, edit":    ProblemPage(in, Problem{Status: 404, Kept: &KeptDraft{Kind: EditDraft, Values: map[string]string{"title": nasty, "text": nasty}}}),
		"problem, sign in": ProblemPage(out, Problem{Status: 401, SignIn: &SignIn{Next: "/channels/new"}}),
		"user":             UserPage(out, sampleUser()),
		"user, posts":      UserPage(in, User{User: sampleUser().User, Posts: sampleFeed().Posts}),
		"user, owns none":  UserPage(in, User{User: sampleUser().User, Owns: true}),
		"user, own, none":  UserPage(in, User{User: domain.User{Name: "ingrid", CreatedOn: ago(365 * 24 * time.Hour)}}),
		"user, none":       UserPage(out, User{User: domain.User{Name: nasty, CreatedOn: ago(365 * 24 * time.Hour)}}),
		"user, past end":   UserPage(out, User{User: domain.User{Name: "jo", CreatedOn: ago(365 * 24 * time.Hour)}, Part: Part{After: "a"}}),
		"user, a hole":     UserPage(out, User{User: domain.User{Name: "jo", CreatedOn: ago(365 * 24 * time.Hour)}, Part: Part{After: "a", Next: "n"}}),
		"feeds":            ChannelFeedPage(out, ChannelFeed{Channel: "aurora", Posts: 50}),
		"feeds, nasty":     ChannelFeedPage(in, ChannelFeed{Channel: nasty}),
	}
	for _, status := range []int{400, 401, 403, 404, 405, 409, 410, 412, 413, 418, 422, 429, 500, 503} {
		pages[fmt.Sprint("problem ", status)] = ProblemPage(in, Problem{Status: status, RequestID: "r-1"})
	}
	return pages
}
