package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
)

// channelsAPI lists, creates, reads, describes and deletes channels.
type channelsAPI struct {
	store    *storage.Store
	sessions *sessions
	// maxChannels is how many channels one user may own.
	maxChannels int
}

func (a *channelsAPI) routes(r router) {
	get(r, "/channels", a.list)
	r.Add(http.MethodPost, "/channels", a.sessions.writing(a.create))
	get(r, "/channels/:name", a.read)
	r.Add(http.MethodPatch, "/channels/:name", a.sessions.writing(a.describe))
	r.Add(http.MethodDelete, "/channels/:name", a.sessions.writing(a.delete))
}

type channelJSON struct {
	Name        domain.ChannelName  `json:"name"`
	Owner       domain.UserName     `json:"owner"`
	Description string              `json:"description"`
	CreatedOn   apiTime             `json:"createdOn"`
	State       domain.ChannelState `json:"state"`
}

func newChannelJSON(c domain.Channel) channelJSON {
	return channelJSON{
		Name:        c.Name,
		Owner:       c.Owner,
		Description: c.Description,
		CreatedOn:   apiTime(c.CreatedOn),
		State:       c.State,
	}
}

func (a *channelsAPI) list(c echo.Context) error {
	limit, limitErr := queryLimit(c)
	text, textErr := queryContains(c)
	if err := domain.JoinInvalid(limitErr, textErr); err != nil {
		return err
	}
	page, err := a.store.Channels(c.Request().Context(), text, c.QueryParam("after"), limit)
	if err != nil {
		return err
	}
	return respondList(c, page.Items, page.Next, newChannelJSON)
}

func (a *channelsAPI) create(c echo.Context, v visitor) error {
	var name, description string
	key, keyErr := optionalIdempotencyKey(c.Request().Header)
	if err := domain.JoinInvalid(keyErr, readFields(c, required("name", &name), optional("description", &description))); err != nil {
		return err
	}
	channel, err := domain.NewChannel(name, description, v.User)
	if err != nil {
		return err
	}
	channel, made, err := createChannel(c, a.store, channel, key, a.maxChannels)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, apiChannelPath(channel.Name))
	status := http.StatusOK
	if made {
		status = http.StatusCreated
	}
	return respondChannel(c, status, channel)
}

func (a *channelsAPI) read(c echo.Context) error {
	channel, err := pathChannel(c, a.store)
	if err != nil {
		return err
	}
	return respondChannel(c, http.StatusOK, channel)
}

func (a *channelsAPI) describe(c echo.Context, v visitor) error {
	var description string
	if err := readFields(c, required("description", &description)); err != nil {
		return err
	}
	return withPathChannel(c, a.store, func(channel domain.Channel) error {
		channel, err := a.store.Describe(c.Request().Context(), channel.Ref(), v.User, description)
		if err != nil {
			return err
		}
		return respondChannel(c, http.StatusOK, channel)
	})
}

func (a *channelsAPI) delete(c echo.Context, v visitor) error {
	name, err := channelName(c)
	if err != nil {
		return err
	}
	expected, _, err := ifMatch(c.Request().Header, incarnationOf)
	if err != nil {
		return err
	}
	channel, err := a.store.AskDeletion(c.Request().Context(), name.Key(), v.User, expected)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, apiChannelPath(channel.Name)+"/deletions/"+string(channel.Incarnation))
	return c.NoContent(http.StatusAccepted)
}

func respondChannel(c echo.Context, status int, channel domain.Channel) error {
	c.Response().Header().Set(headerETag, channelETag(channel))
	return respond(c, status, newChannelJSON(channel))
}
