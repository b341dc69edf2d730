package templates

import (
	"net/http"
	"strings"
	"time"

	"microblogging/domain"
)

// A Problem is an error page, and the problem details of RFC 9457 that programs get. If only Status is set, the page says in general words
// what happened and what to do.
type Problem struct {
	// Title says in a few words what happened. If empty, Status decides.
	Title string `json:"title"`
	// Status is the HTTP status of the response.
	Status int `json:"status"`
	// Detail says more, in one or two sentences that an anonymous client may read. If empty,
	// Status decides.
	Detail string `json:"detail,omitempty"`
	// Errors say what is wrong with the request, field by field.
	Errors []domain.FieldError `json:"errors,omitempty"`
	// Position says where in the request the mistake is, counted from 0. It is nil if the
	// mistake has no place. A page does not show it.
	Position *int `json:"position,omitempty"`
	// Links lead on from here. The page adds a link to the directory.
	Links []Link `json:"-"`
	// RetryAfter is how long to wait before trying again. It is zero if trying again
	// does not help.
	RetryAfter time.Duration `json:"-"`
	// RequestID identifies the request in the log.
	RequestID string `json:"requestId"`
	// Kept is what was typed into the form that was refused, or nil.
	Kept *KeptDraft `json:"-"`
	// SignIn is the form to show if signing in helps (401), and else nil.
	SignIn *SignIn `json:"-"`
}

// An Answer is what a page that another package makes is answered with.
type Response struct {
	Status    int
	MediaType string
	Body      []byte
}

// A Refusal is an error that knows the problem that its reader sees. Whatever has no error of
// package domain is refused by one.
type Refusal struct {
	Problem
	// Cause is what it puts into words, and nil if it is a cause itself.
	Cause error
}

func (r *Refusal) Error() string { return r.title() }

func (r *Refusal) Unwrap() error { return r.Cause }

func (v Problem) title() string {
	if v.Title != "" {
		return v.Title
	}
	title, _ := problemText(v.Status)
	return title
}

func (v Problem) detail() string {
	detail := v.Detail
	if detail == "" && v.SignIn != nil {
		detail = v.SignIn.why()
	}
	if detail == "" {
		_, detail = problemText(v.Status)
	}
	if v.RetryAfter > 0 {
		detail += " Try again in " + wait(v.RetryAfter) + "."
	}
	return detail
}

// problemText says what a status means, for people who do not know HTTP.
func problemText(status int) (title, detail string) {
	switch status {
	case http.StatusBadRequest:
		return "The request was damaged", "The address or the form was damaged on its way here. Nothing was changed."
	case http.StatusUnauthorized:
		return "Sign in to go on", "This page needs to know who you are."
	case http.StatusForbidden:
		return "This is not yours to change", "Only its owner may do that. Nothing was changed."
	case http.StatusNotFound:
		return "This page does not exist", "The address may be mistyped, or what was here is gone."
	case http.StatusMethodNotAllowed:
		return "That does not work here", "The page exists, but not for this kind of request."
	case http.StatusRequestEntityTooLarge:
		return "That is too much for one form", "One form holds at most 64 KiB. Nothing was saved."
	case http.StatusUnprocessableEntity:
		return "Please check what you entered", "Nothing was saved. This is what to fix:"
	case http.StatusTooManyRequests:
		return "Too many tries", "There were too many attempts in a short time."
	case http.StatusServiceUnavailable:
		return "The site cannot reach its data", "This is not your fault. It usually passes within a minute."
	}
	if status >= http.StatusInternalServerError {
		return "Something went wrong on this site", "This is not your fault. The error was written to the site’s log."
	}
	return "That did not work", "The server refused the request. Nothing was changed."
}

// scripts are what the page needs besides app.js, and in which order.
func (v Problem) scripts(page Page) []string {
	var scripts []string
	if !page.endsDrafts() && !page.Public {
		// A form that is refused ends no draft, also if its sender is not known any more.
		scripts = append(scripts, draftEndScript)
	}
	if v.Kept != nil && v.Kept.Send || v.mayHaveDrafts(page) {
		scripts = append(scripts, draftScripts...)
	}
	return scripts
}

// mayHaveDrafts reports whether the page is where the reader may have had a form, whose
// draft is still in the browser.
func (v Problem) mayHaveDrafts(page Page) bool {
	return v.Kept == nil && page.User != "" && v.missing()
}

// onward has the links that lead on from the page. There is at least one.
func (v Problem) onward(page Page) []Link {
	var links []Link
	passes := v.Status >= http.StatusInternalServerError || v.Status == http.StatusTooManyRequests
	if passes && v.RetryAfter < time.Minute && page.Path != "" {
		links = append(links, Link{Label: "Try again", URL: page.Path})
	}
	links = append(links, v.Links...)
	if page.User != "" && v.missing() {
		links = append(links, Link{Label: "To your feed", URL: HomePath})
	}
	links = append(links, Link{Label: "All channels", URL: ChannelsPath})
	// The page may be where a channel was that the reader has deleted.
	if v.missing() && page.User != "" && len(v.Links) == 0 && strings.HasPrefix(page.Path, ChannelsPath+"/") {
		links = append(links, Link{Label: "Your deletions", URL: DeletionsPath})
	}
	return links
}

// missing reports whether there is nothing at the address, or nothing any more.
func (v Problem) missing() bool {
	return v.Status == http.StatusNotFound || v.Status == http.StatusGone
}
