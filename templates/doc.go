// Package templates turns view models into HTML.
//
// # The problem
//
// A page must say the same to everybody: with a mouse, a keyboard, a screen
// reader, a phone 360 px wide, or without JavaScript. It shows text that other people
// wrote. And it is rendered for every request, so its cost counts.
//
// # The model
//
// Each page is a component XPage(Page, X). [Page] is what every page needs; X, the
// view model, is a plain struct with what this page shows, in the types of package domain.
// The package imports none that knows a row, so a stored row cannot get into a page by
// accident. The comment on a view model names the path that its form posts to and
// the fields that the form sends; the handler must expect the same. Only this
// package spells paths ([ChannelPath] and its neighbours); routes and redirects
// use them.
//
// Everything is escaped. Package markdown makes HTML of what people wrote, and only that
// package can make a [markdown.HTML]. No component writes an inline script, an inline style
// or an external address, so the Content-Security-Policy can forbid all three.
// HTML is written in .templ files. A time is in it as it is on the clock, so no page becomes
// untrue; the script says how long ago it was.
//
// # What survives failure
//
// Nothing here keeps state, so there is nothing to repair. A render can fail half
// way. Render into a buffer before the first header is sent: then the reader gets
// an error page and not half a page. A form that was refused comes back with what
// was typed, except passwords ([Form]). A page works without the script; the
// script only updates it.
//
// # Files
//
// A file is named by its noun, then its verb if the noun has several files:
// blog.templ, blog_edit.templ. A view model has the file name of its component, or
// is in the .templ file itself if it is short, as [Frame] is.
package templates

//go:generate go tool -modfile=../.ci/tools.mod templ generate
