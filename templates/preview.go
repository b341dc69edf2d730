package templates

import "microblogging/templates/markdown"

// A Preview is a text as its post would show it. The forms for posts send title and text to
// [PreviewPath], into a tab of its own, so that the form stays as it is.
type Preview struct {
	Form
	Title    string
	Rendered markdown.HTML
}
