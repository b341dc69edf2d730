package web

import (
	"net/url"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// formPost reads the channel that the path names, for a form about one of its posts, and
// parses the id of the post. It does not read the post.
func formPost(c echo.Context, store *storage.Store, form url.Values) (domain.Channel, domain.BlogID, error) {
	channel, err := formChannel(c, store, form)
	if err != nil {
		return domain.Channel{}, "", err
	}
	id, err := linkedID(c, channel)
	return channel, id, err
}

// linkedID parses the id of the post that the path names. Its errors link back to the
// channel.
func linkedID(c echo.Context, channel domain.Channel) (domain.BlogID, error) {
	id, err := blogID(c)
	if err != nil {
		err = explain(err, "", "", linkTo(channel))
	}
	return id, err
}

// namedPost reads the channel and the post that the path names. Its errors link
// back to the channel.
func namedPost(c echo.Context, store *storage.Store) (domain.Channel, domain.Blog, error) {
	name, err := channelName(c)
	if err != nil {
		return domain.Channel{}, domain.Blog{}, err
	}
	id, err := blogID(c)
	if err != nil {
		channel, readErr := namedChannel(c, store)
		if readErr != nil {
			return domain.Channel{}, domain.Blog{}, readErr
		}
		return domain.Channel{}, domain.Blog{}, explain(err, "", "", linkTo(channel))
	}
	channel, blog, err := store.BlogAt(c.Request().Context(), name.Key(), id)
	if channel.Name != "" {
		linkCanonical(c, channel)
	}
	if err != nil && channel.Name != "" {
		err = explain(err, "", "", linkTo(channel))
	}
	return channel, blog, err
}

func postOf(blog domain.Blog) templates.Post {
	return templates.Post{
		ID:          string(blog.ID),
		Incarnation: string(blog.Channel.Incarnation),
		Title:       blog.Title,
		Text:        blog.Text,
		Author:      string(blog.UserID),
		Rating:      blog.Rating,
		CreatedOn:   blog.CreatedOn,
		EditedOn:    blog.EditedOn,
	}
}

// pathBlog reads the channel that the path names, and parses the id of the post.
// It does not read the post.
func pathBlog(c echo.Context, store *storage.Store) (domain.Channel, domain.BlogID, error) {
	channel, err := pathChannel(c, store)
	if err != nil {
		return domain.Channel{}, "", err
	}
	id, err := blogID(c)
	return channel, id, err
}

type blogJSON struct {
	ID        domain.BlogID      `json:"id"`
	Channel   domain.ChannelName `json:"channel"`
	Title     string             `json:"title"`
	Text      string             `json:"text"`
	UserID    domain.UserName    `json:"userId"`
	Rating    int64              `json:"rating"`
	CreatedOn apiTime            `json:"createdOn"`
	EditedOn  apiTime            `json:"editedOn"`
}

func newBlogJSON(channel domain.ChannelName, b domain.Blog) blogJSON {
	return blogJSON{
		ID:        b.ID,
		Channel:   channel,
		Title:     b.Title,
		Text:      b.Text,
		UserID:    b.UserID,
		Rating:    b.Rating,
		CreatedOn: apiTime(b.CreatedOn),
		EditedOn:  apiTime(b.EditedOn),
	}
}
