// Package templates turns view models into HTML.
//
// # The problem
//
// A page must say the same thing to someone with a mouse, a keyboard, a screen
// reader, a phone 360 px wide, or no JavaScript; it shows text that strangers
// wrote; and it is rendered for every request, so what it costs is paid all day.
//
// # The model
//
// Each page is a component XPage(Page, X). [Page] is what every page needs,
// whatever it shows; X is a plain struct shaped like that page. The package
// imports nothing of ours: a stored record cannot slip into a page, and what a
// page shows can be read off its struct. The comment on each view model names
// the path that its form posts to and the fields that it sends, because those
// are the handlers' side of the bargain. Paths are spelled in this package
// alone ([ChannelPath] and its neighbours); routes and redirects follow them.
//
// Everything is escaped. Text that people wrote goes through one function that
// keeps newlines and makes http and https links clickable. No component writes
// an inline script, an inline style or an external address, so that the
// Content-Security-Policy can forbid all three.
//
// Render into a buffer before the first header is sent: a render that fails
// then becomes an error page, not half a page.
package templates

//go:generate go tool -modfile=../.ci/tools.mod templ generate
