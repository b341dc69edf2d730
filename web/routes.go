package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/templates"
)

// apiPrefix is the prefix of the API's paths. Another version would get its own.
const apiPrefix = "/api/v1"

// The routes that have a limit of their own for bodies.
const (
	batchPath    = `/channels/:name/blogs\:batch` // its colon belongs to the path
	votePath     = "/channels/:name/blogs/:id/vote"
	usersPath    = "/users"
	passwordPath = "/users/me/password"
	sessionsPath = "/sessions"
	blogPagePath = "/channels/:name/blogs/:id"
	// signInLinkPath is the path of a sign-in link, which signs in whoever opens it first.
	signInLinkPath = "/sign-in/link"
)

// pageRoutes registers the pages and the feeds.
func (s *server) pageRoutes(e *echo.Echo) {
	pages := []struct {
		path string
		who  access
		show handler
	}{
		{templates.HomePath, anyone, s.home},
		{templates.FeedNewsPath, signedIn, s.feedNews},
		{templates.ChannelsPath, anyone, s.directory},
		{templates.NewChannelPath, signedIn, s.newChannelForm},
		{"/channels/:name", anyone, s.showChannel},
		{"/channels/:name/edit", signedIn, s.editChannelForm},
		{"/channels/:name/delete", signedIn, s.deleteChannelForm},
		{"/channels/:name/news", everybody, s.channelNews},
		{"/channels/:name/feed", anyone, s.explainFeed},
		{"/channels/:name/feed.atom", everybody, s.atomFeed},
		{"/channels/:name/feed.json", everybody, s.jsonFeed},
		{"/channels/:name/rows", s.mayWatchRows(), s.showRows},
		{"/channels/:name/deletions/:incarnation", signedIn, s.showDeletion},
		{blogPagePath, anyone, s.showBlog},
		{blogPagePath + "/edit", signedIn, s.editBlogForm},
		{templates.SubscriptionsPath, signedIn, s.showSubscriptions},
		{"/users/:user", anyone, s.showUser},
		{templates.AccountPath, signedIn, s.showAccount},
		{templates.DeletionsPath, signedIn, s.showDeletions},
		{templates.SignUpPath, anyone, s.signUpForm},
		{templates.SignInPath, anyone, s.signInForm},
		{templates.SignOutPath, anyone, s.signOutForm},
		{templates.KeysPath, anyone, s.showKeys},
		{templates.LearnPath, anyone, s.showLesson},
	}
	for _, page := range pages {
		get(e, page.path, s.serve(page.who, page.show))
	}
	// Not with get: HEAD must not use up the link, and has nothing of a stream.
	e.GET(signInLinkPath, s.serve(everybody, s.followSignInLink))
	e.GET("/channels/:name/rows/events", s.serve(s.mayWatchRows(), s.streamRows))
	e.GET("/channels/:name/deletions/:incarnation/events", s.serve(signedIn, s.streamDeletion))
	forms := []struct {
		path string
		who  access
		take formHandler
	}{
		{"/channels/:name/delete", writer, s.deleteChannel},
		{"/channels/:name/deletions/:incarnation", writer, s.actOnDeletion},
		{templates.DeletionsPath, writer, s.undoByForm},
		{blogPagePath, writer, s.actOnBlog},
		{templates.SubscriptionsPath, writer, s.unsubscribeInList},
		{templates.PreviewPath, signedIn, s.preview},
		{templates.AccountPath, signedIn, s.changeAccount},
		{templates.SignUpPath, everybody, s.signUp},
		{templates.SignInPath, everybody, s.signIn},
		{templates.SignOutPath, anyone, s.signOut},
	}
	for _, form := range forms {
		e.POST(form.path, s.form(form.who, form.take))
	}
	e.POST("/channels/:name", s.drafting(templates.PostDraft, s.actOnChannel))
	e.POST(blogPagePath+"/edit", s.drafting(templates.EditDraft, s.editBlog))
	e.POST("/channels/:name/edit", s.drafting(templates.DescriptionDraft, s.editChannel))
	e.POST(templates.NewChannelPath, s.drafting(templates.ChannelDraft, s.createChannelByForm))
}

// apiRoutes registers the API.
func (s *server) apiRoutes(api *echo.Group) {
	for _, route := range []struct {
		method, path string
		who          access
		answer       handler
	}{
		{http.MethodPost, usersPath, everybody, s.createUser},
		{http.MethodPut, passwordPath, signedIn, s.replacePassword},
		{http.MethodPost, sessionsPath, everybody, s.createSession},
		{http.MethodDelete, sessionsPath, signedIn, s.endSessions},
		{http.MethodDelete, sessionsPath + "/current", signedIn, s.endSession},
		{http.MethodGet, "/channels", everybody, s.listChannels},
		{http.MethodPost, "/channels", writer, s.createChannel},
		{http.MethodGet, "/channels/:name", everybody, s.readChannel},
		{http.MethodPatch, "/channels/:name", writer, s.describeChannel},
		{http.MethodDelete, "/channels/:name", writer, s.askDeletion},
		{http.MethodGet, "/channels/:name/deletions/:incarnation", signedIn, s.readDeletion},
		{http.MethodPost, "/channels/:name/deletions/:incarnation/undo", writer, s.undo},
		{http.MethodGet, "/channels/:name/blogs", everybody, s.listBlogs},
		{http.MethodPost, "/channels/:name/blogs", writer, s.createBlog},
		{http.MethodPost, batchPath, writer, s.createBlogs},
		{http.MethodGet, "/channels/:name/blogs/:id", everybody, s.readBlog},
		{http.MethodPut, "/channels/:name/blogs/:id", writer, s.replaceBlog},
		{http.MethodDelete, "/channels/:name/blogs/:id", writer, s.removeBlog},
		{http.MethodPut, votePath, writer, s.voting(s.store.Vote)},
		{http.MethodDelete, votePath, writer, s.voting(s.store.Unvote)},
		{http.MethodGet, "/deletions", signedIn, listOf(s.store.DeletionsOf, newListedDeletion)},
		{http.MethodGet, "/subscriptions", signedIn, listOf(s.store.SubscriptionPage, newSubscriptionJSON)},
		{http.MethodPut, "/subscriptions/:name", writer, s.subscribe},
		{http.MethodDelete, "/subscriptions/:name", writer, s.unsubscribe},
		{http.MethodGet, "/feed", signedIn, listOf(s.store.Feed, newFeedJSON)},
	} {
		h := s.serve(route.who, route.answer)
		if route.method == http.MethodGet {
			get(api, route.path, h)
		} else {
			api.Add(route.method, route.path, h)
		}
	}
}

// bodyLimit is the most bytes that the body of a request to a route may hold.
func bodyLimit(route string) int64 {
	switch route {
	case apiPrefix + batchPath:
		return maxBatchBody
	case apiPrefix + usersPath, apiPrefix + sessionsPath, apiPrefix + votePath,
		templates.SignUpPath, templates.SignInPath, blogPagePath:
		return maxSmallBody
	case apiPrefix + passwordPath, templates.AccountPath:
		return maxPasswordsBody
	case blogPagePath + "/edit":
		return maxEditBody
	}
	return maxBody
}
