package web

import (
	"errors"
	"net/url"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
)

// A channelHandler answers a visitor about the channel that its route names.
type channelHandler func(c echo.Context, v visitor, in domain.Channel) error

// A channelFormHandler answers a visitor who has sent a form about that channel.
type channelFormHandler func(c echo.Context, v visitor, in domain.Channel, form url.Values) error

// A channelRead reads the channel at an address for a visitor.
type channelRead func(c echo.Context, v visitor, at domain.ChannelAddress) (domain.Channel, error)

// about makes a channelHandler a handler, which reads the channel first.
func about(read channelRead, h channelHandler) handler {
	return func(c echo.Context, v visitor) error {
		return inChannel(c, v, nil, read, func(in domain.Channel) error { return h(c, v, in) })
	}
}

// formAbout makes a channelFormHandler a formHandler, which reads the channel first.
func formAbout(read channelRead, h channelFormHandler) formHandler {
	return func(c echo.Context, v visitor, form url.Values) error {
		return inChannel(c, v, form, read, func(in domain.Channel) error { return h(c, v, in, form) })
	}
}

// inChannel does something with the channel that a request is for. What do writes must depend on
// the incarnation of the channel that it is given. If another channel takes the name meanwhile whose
// incarnation the sender accepts too, the condition has not failed: this channel is gone.
func inChannel(c echo.Context, v visitor, form url.Values, read channelRead, do func(in domain.Channel) error) error {
	at, err := address(c, form)
	if err != nil {
		return err
	}
	in, err := read(c, v, at)
	if err != nil {
		return err
	}
	return goneIfAccepted(at, do(in))
}

// goneIfAccepted makes a channel that was replaced by one that the sender accepts too domain.ErrNotFound.
func goneIfAccepted(at domain.ChannelAddress, err error) error {
	if replaced, ok := errors.AsType[*domain.ReplacedError](err); ok && at.Expected.Holds(replaced.Current.Incarnation) {
		return domain.ErrNotFound
	}
	return err
}

// address is the channel that the path names, in an incarnation that the sender accepts. A form, which
// is nil for all other requests, was shown for one. The If-Match of a program that writes names some,
// but where the path names a post, it is about that.
func address(c echo.Context, form url.Values) (domain.ChannelAddress, error) {
	name, err := channelName(c)
	switch {
	case err != nil:
		return domain.ChannelAddress{}, err
	case form != nil:
		return formAddress(name, form.Get("incarnation"))
	case isRead(c.Request().Method) || c.Param("id") != "":
		return name.Key().Address(), nil
	}
	expected, _, err := ifMatch(c.Request().Header, incarnationOf)
	return domain.ChannelAddress{Key: name.Key(), Expected: expected}, err
}

// formAddress is the channel with a name, in the incarnation that a form was shown for and in no other.
func formAddress(name domain.ChannelName, shownFor string) (domain.ChannelAddress, error) {
	if shownFor == "" {
		return domain.ChannelAddress{}, withoutVersion()
	}
	return domain.ChannelRef{Key: name.Key(), Incarnation: domain.Incarnation(shownFor)}.Address(), nil
}

// activeChannel reads a channel for what depends on its gate: the transactions of its partition do, and
// without a gate it has no posts.
func (s *server) activeChannel(c echo.Context, _ visitor, at domain.ChannelAddress) (domain.Channel, error) {
	channel, err := s.store.Channels.Get(c.Request().Context(), at)
	if err == nil {
		exchangeOf(c).channel = channel
	}
	return channel, err
}

// shownChannel reads a channel to show it, or to change its row: one without its gate is not found.
func (s *server) shownChannel(c echo.Context, _ visitor, at domain.ChannelAddress) (domain.Channel, error) {
	channel, _, err := s.store.Channels.GetVersion(c.Request().Context(), at, "")
	if err == nil {
		exchangeOf(c).channel = channel
	}
	return channel, err
}

// own reads a channel for its owner. For other visitors it returns domain.ErrForbidden. It is for what
// is shown to the owner alone, or read for them: the store itself decides about each write.
func own(read channelRead) channelRead {
	return func(c echo.Context, v visitor, at domain.ChannelAddress) (domain.Channel, error) {
		channel, err := read(c, v, at)
		if err == nil && channel.Owner != v.User {
			err = domain.ErrForbidden
		}
		return channel, err
	}
}

// listedChannel reads a channel that a form names in a field, in the incarnation that its list had.
func (s *server) listedChannel(c echo.Context, v visitor, name, incarnation string) (domain.Channel, error) {
	parsed, err := domain.ParseChannelName(name)
	if err != nil {
		return domain.Channel{}, err
	}
	at, err := formAddress(parsed, incarnation)
	if err != nil {
		return domain.Channel{}, err
	}
	return s.activeChannel(c, v, at)
}
