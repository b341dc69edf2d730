package web

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
)

// apiPrefix is the prefix of the API's paths. Another version would get its own.
const apiPrefix = "/api/v1"

const (
	batchPath     = `/channels/:name/blogs\:batch` // its colon belongs to the path
	blockedPath   = "/channels/:name/blocked/:user"
	memberPath    = "/channels/:name/members/:user"
	votePath      = "/channels/:name/blogs/:id/vote"
	plainBlogPath = "/channels/:name/blogs/:id"
	blogPagePath  = "/channels/:name/:day/:id"
	repliesPath   = plainBlogPath + "/replies"
	// signInLinkPath is the path of a sign-in link, which signs in the client that opens it first.
	signInLinkPath = "/sign-in/link"
)

// pageRoutes registers the pages and the feeds.
func (s *server) pageRoutes(e *echo.Echo) {
	rows := signedIn // each reader may see those of a channel with --teach, and else its owner alone
	if s.Teach {
		rows = anyone
	}
	for _, page := range []struct {
		path string
		who  access
		show handler
	}{
		{templates.HomePath, anyone, s.home},
		{templates.LatestPath, anyone, s.showLatest},
		{templates.ChannelsPath, anyone, s.directory},
		{templates.SearchPath, anyone, s.showSearch},
		{templates.NewChannelPath, signedIn, s.newChannelForm},
		{templates.WritePath, signedIn, s.showWrite},
		{"/channels/:name", anyone, s.showChannel},
		{"/channels/:name/edit", signedIn, s.editChannelForm},
		{"/channels/:name/delete", signedIn, about(own(s.shownChannel), s.deleteChannelForm)},
		{"/channels/:name/feed", anyone, about(s.shownChannel, s.explainFeed)},
		{"/channels/:name/feed.atom", everybody, s.channelFeed(atomType, templates.ChannelAtomPath, encodeAtom)},
		{"/channels/:name/feed.json", everybody, s.channelFeed(jsonFeedType, templates.ChannelJSONFeedPath, encodeJSONFeed)},
		{"/channels/:name/rows", rows, s.showRows},
		{"/channels/:name/deletions/:incarnation", signedIn, s.showDeletion},
		{blogPagePath, anyone, s.showBlog},
		{plainBlogPath, everybody, about(s.activeChannel, s.leadToBlog)},
		{plainBlogPath + "/edit", signedIn, s.editBlogForm},
		{blogPagePath + "/edit", signedIn, s.editBlogForm},
		{templates.SubscriptionsPath, signedIn, s.showSubscriptions},
		{templates.YoursPath, signedIn, s.showYours},
		{"/users/:user", anyone, s.showUser},
		{templates.AccountPath, signedIn, s.showAccount},
		{templates.ExportPath, signedIn, s.still(templates.ExportPage)},
		{templates.EraseAccountPath, anyone, s.eraseAccountForm},
		{templates.DeletionsPath, signedIn, s.showDeletions},
		{templates.OperatorPath, signedIn, forOperators(s.showOperator)},
		{templates.OperatorInvitationsPath, signedIn, forOperators(s.showInvitations)},
		{templates.SignUpPath, anyone, s.signUpForm},
		{templates.SignInPath, anyone, s.signInForm},
		{templates.SignOutPath, anyone, s.signOutForm},
		{templates.ResetPath, anyone, s.resetForm},
		{templates.KeysPath, anyone, s.still(templates.KeysPage)},
		{templates.LearnPath, anyone, s.still(templates.LearnPage)},
	} {
		get(e, page.path, s.serve(page.who, page.show))
	}
	if s.site.About {
		get(e, templates.AboutPath, s.serve(anyone, func(c echo.Context, v visitor) error {
			return render(c, http.StatusOK, templates.AboutPage(s.page(c, v), s.about))
		}))
	}
	// Not with get: HEAD must not use up the link, and has nothing of a stream.
	e.GET(signInLinkPath, s.serve(anyone, s.followSignInLink))
	e.GET("/channels/:name/deletions/:incarnation/events", s.serve(signedIn, s.streamDeletion))
	e.GET(templates.ExportFilePath, s.serve(signedIn, s.export))
	for _, form := range []struct {
		path string
		body int64
		take echo.HandlerFunc
	}{
		{"/channels/:name", maxBody, s.drafting(templates.PostDraft, formAbout(s.activeChannel, s.actOnChannel))},
		{"/channels/:name/edit", maxBody, s.drafting(templates.DescriptionDraft, formAbout(own(s.shownChannel), s.editChannel))},
		{"/channels/:name/delete", maxBody, s.form(writer, s.deleteChannel)},
		{"/channels/:name/deletions/:incarnation", maxBody, s.form(writer, s.undoByForm)},
		{templates.DeletionsPath, maxBody, s.form(writer, s.undoByForm)},
		{templates.NewChannelPath, maxBody, s.drafting(templates.ChannelDraft, s.createChannelByForm)},
		{templates.WritePath, maxBody, s.drafting(templates.PostDraft, s.writeByForm)},
		{plainBlogPath, maxBody, s.drafting(templates.ReplyDraft, formAbout(s.activeChannel, s.actOnBlog))},
		{blogPagePath, maxBody, s.drafting(templates.ReplyDraft, formAbout(s.activeChannel, s.actOnBlog))},
		{plainBlogPath + "/edit", maxEditBody, s.drafting(templates.EditDraft, formAbout(s.activeChannel, s.editBlog))},
		{templates.SubscriptionsPath, maxBody, s.form(writer, s.unsubscribeInList)},
		{templates.OperatorPath, maxSmallBody, s.form(writer, s.operateByForm)},
		{templates.OperatorInvitationsPath, maxSmallBody, s.form(writer, s.inviteByForm)},
		{templates.PreviewPath, maxBody, s.form(signedIn, s.preview)},
		{templates.AccountPath, maxPasswordsBody, s.form(signedIn, s.changeAccount)},
		{templates.EraseAccountPath, maxPasswordsBody, s.form(signedIn, s.eraseAccountByForm)},
		{templates.SignUpPath, maxSmallBody, s.form(anyone, s.signUp)},
		{templates.SignInPath, maxSmallBody, s.form(anyone, s.signIn)},
		{templates.SignOutPath, maxBody, s.form(anyone, func(c echo.Context, v visitor, _ url.Values) error {
			return s.done(c, s.leaveSession(c, v), "signed-out", templates.HomePath)
		})},
		{templates.ResetPath, maxSmallBody, s.form(anyone, s.resetPassword)},
	} {
		e.POST(form.path, form.take)
		s.bodies[form.path] = form.body
	}
}

// apiRoutes registers the API.
func (s *server) apiRoutes(api *echo.Group) {
	for _, route := range []struct {
		method, path string
		body         int64
		who          access
		answer       handler
	}{
		{http.MethodPost, "/users", maxSmallBody, everybody, s.createUser},
		{http.MethodGet, "/users", maxSmallBody, anyone, s.listUsers},
		{http.MethodGet, "/users/:user", maxBody, everybody, s.describeUser},
		{http.MethodDelete, "/users/:user", maxBody, writer, forOperators(s.requestClosing)},
		{http.MethodPost, "/users/:user/undo", maxBody, writer, nothing(forOperators(s.undoClosing))},
		{http.MethodPost, "/users/:user/password-link", maxBody, writer, forOperators(s.createPasswordLink)},
		{http.MethodGet, "/invitations", maxBody, signedIn, forOperators(s.listInvitations)},
		{http.MethodPost, "/invitations", maxBody, writer, forOperators(s.createInvitation)},
		{http.MethodDelete, "/invitations/:id", maxBody, writer, nothing(forOperators(s.deleteInvitation))},
		{http.MethodGet, "/users/:user/blogs", maxBody, anyone, s.listWritten},
		{http.MethodPut, "/users/me/password", maxPasswordsBody, signedIn, s.replacePassword},
		{http.MethodPost, "/sessions", maxSmallBody, everybody, s.createSession},
		{http.MethodDelete, "/sessions", maxSmallBody, signedIn, nothing(s.leaveSessions)},
		{http.MethodDelete, "/sessions/current", maxBody, signedIn, nothing(s.leaveSession)},
		{http.MethodGet, "/latest", maxBody, anyone, s.readLatest},
		{http.MethodGet, "/search", maxBody, anyone, s.listFound},
		{http.MethodGet, "/channels", maxBody, everybody, s.listChannels},
		{http.MethodPost, "/channels", maxBody, writer, s.createChannel},
		{http.MethodGet, "/channels/:name", maxBody, everybody, about(s.shownChannel, s.readChannel)},
		{http.MethodPatch, "/channels/:name", maxBody, writer, s.changeChannel},
		{http.MethodDelete, "/channels/:name", maxBody, writer, s.requestDeletion},
		{http.MethodGet, "/channels/:name/deletions/:incarnation", maxBody, signedIn, s.readDeletion},
		{http.MethodPost, "/channels/:name/deletions/:incarnation/undo", maxBody, writer, s.undo},
		{http.MethodGet, "/channels/:name/blogs", maxBody, anyone, s.listBlogs},
		{http.MethodPost, "/channels/:name/blogs", maxBody, writer, about(s.activeChannel, s.createBlog)},
		{http.MethodPost, batchPath, maxBatchBody, writer, about(s.activeChannel, s.createBlogs)},
		{http.MethodGet, "/channels/:name/blogs/:id", maxBody, everybody, about(s.activeChannel, s.readBlog)},
		{http.MethodPut, "/channels/:name/blogs/:id", maxBody, writer, about(s.activeChannel, s.replaceBlog)},
		{http.MethodDelete, "/channels/:name/blogs/:id", maxBody, writer, about(s.activeChannel, s.removeBlog)},
		{http.MethodGet, repliesPath, maxBody, everybody, about(s.activeChannel, s.listReplies)},
		{http.MethodPost, repliesPath, maxBody, writer, about(s.activeChannel, s.createReply)},
		{http.MethodDelete, repliesPath + "/:reply", maxBody, writer, nothing(about(s.activeChannel, func(c echo.Context, v visitor, in domain.Channel) error {
			return s.removeReply(c, v, in, pathParam(c, "reply"))
		}))},
		{http.MethodPut, votePath, maxSmallBody, writer, nothing(about(s.activeChannel, voting(s.store.Posts.Vote)))},
		{http.MethodDelete, votePath, maxSmallBody, writer, nothing(about(s.activeChannel, voting(s.store.Posts.Unvote)))},
		{http.MethodPut, blockedPath, maxBody, writer, nothing(about(own(s.activeChannel), func(c echo.Context, v visitor, in domain.Channel) error {
			return s.block(c, v, in, pathParam(c, "user"))
		}))},
		{http.MethodDelete, blockedPath, maxBody, writer, nothing(about(own(s.activeChannel), func(c echo.Context, v visitor, in domain.Channel) error {
			return s.unblock(c, v, in, pathParam(c, "user"))
		}))},
		{http.MethodGet, "/channels/:name/members", maxBody, signedIn, about(own(s.shownChannel), s.listMembers)},
		{http.MethodPut, memberPath, maxBody, writer, nothing(about(own(s.activeChannel), s.addMember))},
		{http.MethodDelete, memberPath, maxBody, writer, nothing(about(own(s.activeChannel), s.removeMember))},
		{http.MethodGet, templates.ExportPath, maxBody, signedIn, s.export},
		{http.MethodDelete, templates.AccountPath, maxSmallBody, signedIn, s.eraseAccount},
		{http.MethodGet, templates.EraseAccountPath, maxBody, signedIn, s.readErasure},
		{http.MethodPost, templates.EraseAccountPath + "/undo", maxBody, signedIn, nothing(s.undoErasure)},
		{http.MethodGet, "/deletions", maxBody, signedIn, listOf(s.store.Deletions.List, newDeletionJSON)},
		{http.MethodGet, "/subscriptions", maxBody, signedIn, listOf(s.store.Subscriptions.List, newSubscriptionJSON)},
		{http.MethodPut, "/subscriptions/:name", maxBody, writer, nothing(about(s.activeChannel, s.join))},
		{http.MethodDelete, "/subscriptions/:name", maxBody, writer, nothing(about(s.activeChannel, s.leave))},
		{http.MethodGet, "/feed", maxBody, signedIn, s.readFeed},
	} {
		h := s.serve(route.who, route.answer)
		if route.method == http.MethodGet {
			get(api, route.path, h)
		} else {
			api.Add(route.method, route.path, h)
		}
		s.bodies[apiPrefix+route.path] = route.body
	}
}
