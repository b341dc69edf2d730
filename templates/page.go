package templates

import (
	"context"
	"hash/crc32"
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"microblogging/domain"
	"microblogging/templates/markdown"
)

// A Page is what every page needs.
type Page struct {
	// Path is the path and query of this page. Signing in returns to it. It is empty if a
	// browser would read it as another host: anyone can send people to such a path.
	Path string
	// User is the name of the signed-in reader. It is empty for an anonymous client.
	User domain.UserName
	// Operator reports whether the reader acts for the site.
	Operator bool
	// Notice is one sentence that confirms what the last request did. It may be
	// empty. Any page can have one.
	Notice string
	// Origin is the scheme and the host of the site, such as https://blog.example. It
	// goes before the addresses that other sites and programs read.
	Origin string
	// Public reports whether the page is the same for each anonymous client, so that a cache may keep it.
	Public bool
	// Site is what its operator says of it.
	Site Site
	// Lab reports whether the site has pages at LabIndexPath.
	Lab bool
	// Teach reports whether pages lead to what is behind them: to rows, to the lab, and to how deletion works.
	Teach bool
	// CallPanel, if not nil, makes each page but a public one end in a fold with what it cost.
	// It is called once, while the page is rendered.
	CallPanel func() CallPanel
	// Asset is the versioned URL of an embedded file, such as "app.css".
	Asset func(name string) string
}

// A Part is the part of a list that a page shows.
type Part struct {
	// After is the continuation token where it starts. It is empty on the first page.
	After string
	// Next is the continuation token of the next page. It is empty on the last.
	Next string
	// Newer leads to the page before. It is empty if there is none, or if none can be found.
	Newer string
}

// A Link leads on from a page that would otherwise be a dead end.
type Link struct {
	Label string
	URL   string
	// Aside opens it in another tab, because this page has what would be lost.
	Aside bool
}

// leadsToLab reports whether the page has links to the lab.
func (p Page) leadsToLab() bool { return p.Lab && p.Teach }

// Actor is the reader as the one who asks for something.
func (p Page) Actor() domain.Actor { return domain.Actor{User: p.User, Operator: p.Operator} }

// endsDrafts reports whether the page may be the answer to a form that has ended a draft.
func (p Page) endsDrafts() bool { return p.User != "" || p.Notice != "" }

// maxReturnPath is longer than the address of any page that there is, in bytes. A page that refuses
// a longer one does not repeat it in its links.
const maxReturnPath = 4096

// returnPath is the path to return to after signing in from this page. It is empty
// if that is home. From a page about signing in, it is where that page leads to.
func (p Page) returnPath() string {
	switch own, query, _ := strings.Cut(p.Path, "?"); own {
	case "/", SignOutPath:
		return ""
	case SignInPath, SignUpPath:
		values, err := url.ParseQuery(query)
		if err != nil {
			return ""
		}
		return values.Get("next") // the form checks it
	}
	if len(p.Path) > maxReturnPath {
		return ""
	}
	return p.Path
}

// begun is what the reader began before they came to this page, if it is about signing in.
func (p Page) begun() Begun {
	own, query, _ := strings.Cut(p.Path, "?")
	values, err := url.ParseQuery(query)
	if own != SignInPath && own != SignUpPath || err != nil {
		return Begun{}
	}
	return ParseBegun(values.Get("then"))
}

// latestPath has the newest posts: the home of an anonymous client.
func (p Page) latestPath() string {
	if p.Public {
		return LatestPath
	}
	return HomePath
}

// writePath leads to the form for a post.
func (f Frame) writePath() string {
	if f.Writes {
		return "#text"
	}
	return WritePath
}

// colours is how many colours channels have. static/app.css has them.
const colours = 8

// colour is the class of a channel's colour. A name has the same one in any letters.
func colour(name domain.ChannelName) string {
	return "c" + strconv.Itoa(int(crc32.ChecksumIEEE([]byte(strings.ToLower(string(name))))%colours))
}

// current reports whether a link of the navigation leads to this page, whatever their queries are.
func (p Page) current(path string) bool {
	own, _, _ := strings.Cut(p.Path, "?")
	path, _, _ = strings.Cut(path, "?")
	return own == path
}

// amongChannels marks the link to the channels on their page, and on each page of a channel.
func (p Page) amongChannels() templ.OrderedAttributes {
	own, _, _ := strings.Cut(p.Path, "?")
	switch {
	case own == ChannelsPath:
		return templ.OrderedAttributes{templ.KV[string, any]("aria-current", "page")}
	case strings.HasPrefix(own, ChannelsPath+"/"):
		return templ.OrderedAttributes{templ.KV[string, any]("aria-current", "true")}
	}
	return nil
}

const (
	// sheetColor and darkSheetColor are the colours of the header, as in static/app.css.
	sheetColor, darkSheetColor = "#ffffff", "#16191d"

	// maxAbout is the greatest number of characters of a description. Search engines
	// and chats show about as many.
	maxAbout = 200
)

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

// markup shows a text that a user wrote. Package markdown made its HTML, and vouches
// for it.
func markup(text markdown.HTML) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, text.String())
		return err
	})
}
