package web

import (
	"errors"
	"net/url"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// namedChannel reads the channel that the path names, for a page. If the path
// spells the name in another way than the channel's creator did, the response gets
// a Link to the canonical address.
func namedChannel(c echo.Context, store *storage.Store) (domain.Channel, error) {
	name, err := channelName(c)
	if err != nil {
		return domain.Channel{}, err
	}
	channel, err := store.Channel(c.Request().Context(), name.Key())
	if err == nil {
		linkCanonical(c, channel)
	}
	return channel, err
}

const headerLink = "Link"

// linkCanonical sets a Link to the canonical address if the path spells the channel's name
// in another way.
func linkCanonical(c echo.Context, channel domain.Channel) {
	if link := canonicalLink(c, channel); link != "" {
		c.Response().Header().Set(headerLink, link)
	}
}

func canonicalLink(c echo.Context, channel domain.Channel) string {
	if name, err := channelName(c); err != nil || name == channel.Name {
		return ""
	}
	return "<" + templates.ChannelPath(string(channel.Name)) + `>; rel="canonical"`
}

// formChannel reads the channel that the path names, for a form about it. The form says
// for which incarnation it was made. If another has the name now, formChannel returns a
// *domain.ReplacedError.
func formChannel(c echo.Context, store *storage.Store, form url.Values) (domain.Channel, error) {
	name, err := channelName(c)
	if err != nil {
		return domain.Channel{}, err
	}
	made, err := formIncarnation(form)
	if err != nil {
		current, readErr := store.Channel(c.Request().Context(), name.Key())
		if readErr != nil {
			return domain.Channel{}, readErr // which says more
		}
		return domain.Channel{}, &unknownIncarnation{err, current}
	}
	return store.ChannelAt(c.Request().Context(), domain.ChannelRef{Key: name.Key(), Incarnation: made}.Address())
}

// An unknownIncarnation refuses a form that does not say for which incarnation of a
// channel it was made.
type unknownIncarnation struct {
	error
	// current is the channel that has the name.
	current domain.Channel
}

func (e *unknownIncarnation) Unwrap() error { return e.error }

// ownedChannel is namedChannel for the channel's owner. For other visitors it
// returns domain.ErrForbidden.
func ownedChannel(c echo.Context, store *storage.Store, v visitor) (domain.Channel, error) {
	channel, err := namedChannel(c, store)
	if err == nil {
		err = requireOwner(channel, v)
	}
	return channel, err
}

// ownedBeside is ownedChannel for a visitor whose session is read meanwhile.
func ownedBeside(c echo.Context, store *storage.Store, who awaited) (domain.Channel, visitor, error) {
	channel, err := namedChannel(c, store)
	if err != nil {
		return domain.Channel{}, visitor{}, err
	}
	v, err := who.wait()
	if err == nil {
		err = requireOwner(channel, v)
	}
	return channel, v, err
}

// requireOwner returns domain.ErrForbidden unless the visitor owns the channel.
func requireOwner(channel domain.Channel, v visitor) error {
	if channel.Owner == v.User {
		return nil
	}
	return explain(domain.ErrForbidden, "", "", linkTo(channel))
}

// linkTo is a link to a channel that exists.
func linkTo(channel domain.Channel) templates.Link {
	return templates.Link{Label: "Back to " + string(channel.Name), URL: templates.ChannelPath(string(channel.Name))}
}

// pathChannel reads the channel that the path names.
func pathChannel(c echo.Context, store *storage.Store) (domain.Channel, error) {
	name, err := channelName(c)
	if err != nil {
		return domain.Channel{}, err
	}
	return store.Channel(c.Request().Context(), name.Key())
}

// withPathChannel does something with the channel that the path names, if If-Match accepts
// it. What do writes must depend on the incarnation of the channel that it is given.
func withPathChannel(c echo.Context, store *storage.Store, do func(channel domain.Channel) error) error {
	expected, _, err := ifMatch(c.Request().Header, incarnationOf)
	if err != nil {
		return err
	}
	name, err := channelName(c)
	if err != nil {
		return err
	}
	channel, err := store.ChannelAt(c.Request().Context(), domain.ChannelAddress{Key: name.Key(), Expected: expected})
	if err == nil {
		err = do(channel)
	}
	return unlessAccepted(c, err)
}

// unlessAccepted returns the error of a write to a channel that was read under If-Match.
// If another channel took the name after that, and If-Match accepts that one too, its
// condition has not failed: this channel is gone.
func unlessAccepted(c echo.Context, err error) error {
	var replaced *domain.ReplacedError
	if !errors.As(err, &replaced) {
		return err
	}
	expected, _, malformed := ifMatch(c.Request().Header, incarnationOf)
	if malformed == nil && expected.Holds(replaced.Current.Incarnation) {
		return domain.ErrNotFound
	}
	return err
}

// apiChannelPath is the path of a channel in the API.
func apiChannelPath(name domain.ChannelName) string {
	return apiPrefix + "/channels/" + url.PathEscape(string(name))
}
