package templates

import (
	"cmp"
	"strings"

	"microblogging/domain"
	"microblogging/templates/markdown"
)

// A Site is what its operator calls it and says about it. It is part of the entity tag of a page, so it holds no more
// than pages show. The zero Site has the name of the program.
type Site struct {
	// Name may be empty.
	Name string
	// Description says in a sentence or two what the site is for. It may be empty.
	Description string
	// Contact says whom to ask. It may be empty.
	Contact string
	// Registration says who may sign up.
	Registration domain.Registration
	// About reports whether the site has a page at AboutPath, and Rules whether that page has a heading "Rules".
	About, Rules bool
}

// An About is the page about the site, at [AboutPath].
type About struct {
	// Title may be empty.
	Title string
	// Rendered is the text of the operator. It may be empty.
	Rendered markdown.HTML
}

const (
	programName  = "MicroBlogging"
	programAbout = "Short posts in channels. What is deleted is gone, and never half gone."

	// rulesAnchor is the id of the heading "Rules".
	rulesAnchor = "rules"
	rulesPath   = AboutPath + "#" + rulesAnchor
)

// NewSite reads what the operator of a site says: its name, a text about it in Markdown, and whom to ask. Each may be
// empty. If the first line of the text is a heading of level 1, it is the title of the page about the site.
func NewSite(name, about, contact string) (Site, About) {
	title, text := "", strings.TrimSpace(about)
	if strings.HasPrefix(text, "# ") {
		title, text, _ = strings.Cut(text, "\n")
		title, text = markdown.Words(title), strings.TrimSpace(text)
	}
	first, _, _ := strings.Cut(text, "\n\n")
	site := Site{Name: name, Description: excerpt(first), Contact: contact, About: about != "" || contact != ""}
	page := About{Title: title}
	if text != "" {
		page.Rendered, site.Rules = markdown.RenderOwn(text, rulesAnchor)
	}
	return site, page
}

// Title is what the site is called: by its operator, or else by the name of the program.
func (s Site) Title() string { return cmp.Or(s.Name, programName) }

// own reports whether the operator has named the site, or said something about it. The program describes no such site.
func (s Site) own() bool { return s.Name != "" || s.About }

// Says describes the site in a sentence or two.
func (s Site) Says() string {
	if s.own() {
		return cmp.Or(s.Description, s.Title())
	}
	return programAbout
}

// In is the title of a feed. On a site with a name of its own, that is part of it.
func (s Site) In(title string) string {
	if s.Name == "" {
		return title
	}
	return title + " · " + s.Name
}
