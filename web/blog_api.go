package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
)

// blogsAPI lists, creates, reads, edits and deletes the posts of a channel.
type blogsAPI struct {
	store    *storage.Store
	sessions *sessions
	// batches are those whose bodies are being read or stored.
	batches *shares[domain.UserName]
	// logFailure logs the cause of a failure that the server is to blame for.
	logFailure func(c echo.Context, message string, err error)
}

func (a *blogsAPI) routes(r router) {
	get(r, "/channels/:name/blogs", a.list)
	r.Add(http.MethodPost, "/channels/:name/blogs", a.sessions.writing(a.create))
	r.Add(http.MethodPost, batchPath, a.sessions.writing(a.createAll))
	get(r, "/channels/:name/blogs/:id", a.read)
	r.Add(http.MethodPut, "/channels/:name/blogs/:id", a.sessions.writing(a.edit))
	r.Add(http.MethodDelete, "/channels/:name/blogs/:id", a.sessions.writing(a.delete))
}

func (a *blogsAPI) list(c echo.Context) error {
	limit, limitErr := queryLimit(c)
	since, until, intervalErr := queryInterval(c)
	rating, rated, ratingErr := queryRating(c)
	if err := domain.JoinInvalid(limitErr, intervalErr, ratingErr); err != nil {
		return err
	}
	name, err := channelName(c)
	if err != nil {
		return err
	}
	ctx, after := c.Request().Context(), c.QueryParam("after")
	var channel domain.Channel
	var page storage.BlogPage
	if rated {
		channel, page, err = a.store.BlogsByRatingAt(ctx, name.Key(),
			storage.RatingQuery{Rating: rating, After: after, Limit: limit})
	} else {
		channel, page, err = a.store.BlogsAt(ctx, name.Key(),
			storage.BlogQuery{Since: since, Until: until, After: after, Limit: limit})
	}
	if err != nil {
		return err
	}
	return respondList(c, page.Items, page.Next, func(b domain.Blog) blogJSON {
		return newBlogJSON(channel.Name, b)
	})
}

func (a *blogsAPI) create(c echo.Context, v visitor) error {
	key, keyErr := idempotencyKey(c.Request().Header)
	draft, draftErr := readDraft(c)
	if err := domain.JoinInvalid(keyErr, draftErr); err != nil {
		return err
	}
	return withPathChannel(c, a.store, func(channel domain.Channel) error {
		blog, made, err := a.store.Post(c.Request().Context(),
			storage.Posting{Channel: channel.Ref(), By: v.User, Key: key, Draft: draft})
		if err != nil {
			return err
		}
		c.Response().Header().Set(echo.HeaderLocation, apiChannelPath(channel.Name)+"/blogs/"+string(blog.ID))
		status := http.StatusOK
		if made {
			status = http.StatusCreated
		}
		return respondBlog(c, status, channel, blog)
	})
}

func (a *blogsAPI) read(c echo.Context) error {
	name, err := channelName(c)
	if err != nil {
		return err
	}
	id, err := blogID(c)
	if err != nil {
		if _, readErr := pathChannel(c, a.store); readErr != nil {
			return readErr // which says more
		}
		return err
	}
	channel, blog, err := a.store.BlogAt(c.Request().Context(), name.Key(), id)
	if err != nil {
		return err
	}
	if etag := blogETag(blog); notModified(c.Request().Header, etag) {
		c.Response().Header().Set(headerETag, etag)
		return c.NoContent(http.StatusNotModified)
	}
	return respondBlog(c, http.StatusOK, channel, blog)
}

func (a *blogsAPI) edit(c echo.Context, v visitor) error {
	expected, made, err := ifMatch(c.Request().Header, revisionOf)
	switch {
	case err != nil:
		return err
	case !made:
		return refuse(http.StatusPreconditionRequired, "If-Match is missing",
			`Send If-Match with the ETag of the post that you read, or "*" to overwrite any version. Nothing was saved.`)
	}
	draft, err := readDraft(c)
	if err != nil {
		return err
	}
	channel, id, err := pathBlog(c, a.store)
	if err != nil {
		return err
	}
	blog, err := a.store.Edit(c.Request().Context(), channel.Ref(), id, v.User, expected, draft)
	if err != nil {
		return withCurrent(channel, err)
	}
	return respondBlog(c, http.StatusOK, channel, blog)
}

func (a *blogsAPI) delete(c echo.Context, v visitor) error {
	expected, _, err := ifMatch(c.Request().Header, revisionOf)
	if err != nil {
		return err
	}
	channel, id, err := pathBlog(c, a.store)
	if err != nil {
		return err
	}
	if err := a.store.DeleteBlog(c.Request().Context(), channel, id, v.User, expected); err != nil {
		return withCurrent(channel, err)
	}
	return c.NoContent(http.StatusNoContent)
}

func readDraft(c echo.Context) (domain.Draft, error) {
	var title, text string
	if err := readFields(c, optional("title", &title), required("text", &text)); err != nil {
		return domain.Draft{}, err
	}
	return domain.NewDraft(title, text)
}

func respondBlog(c echo.Context, status int, channel domain.Channel, blog domain.Blog) error {
	c.Response().Header().Set(headerETag, blogETag(blog))
	return respond(c, status, newBlogJSON(channel.Name, blog))
}

// withCurrent adds the current post and its ETag to the error of a stale request.
func withCurrent(channel domain.Channel, err error) error {
	var stale *domain.StaleError
	if !errors.As(err, &stale) {
		return err
	}
	return &staleRequest{error: err, etag: blogETag(stale.Current), current: newBlogJSON(channel.Name, stale.Current)}
}
