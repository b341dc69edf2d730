package templates

import "microblogging/templates/markdown"

const (
	siteName  = "MicroBlogging"
	siteAbout = "Channels of short posts, and a deletion that is right."

	// paper and darkPaper are the colors around the page, as in static/app.css.
	paper, darkPaper = "#fbfaf7", "#15181a"

	// maxAbout is the greatest number of characters of a description. Search engines
	// and chats show about as many.
	maxAbout = 200
)

func (f frame) about() string {
	if f.About == "" {
		return siteAbout
	}
	return f.About
}

// kind is the type of the page in the Open Graph protocol.
func (f frame) kind() string {
	if f.Article {
		return "article"
	}
	return "website"
}

// excerpt is the beginning of a text, on one line.
func excerpt(text string) string { return cut(text, maxAbout) }

// cut is the text on one line and without marks. A text of more characters is cut between
// two words.
func cut(text string, characters int) string {
	// To read all of a long text costs more than the page around it.
	begun, _ := markdown.CutWords(text, 4*characters)
	short, _ := markdown.CutWords(markdown.Words(begun), characters)
	return short
}
