package templates

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// eachPage runs the test on every page in every state.
func eachPage(t *testing.T, test func(t *testing.T, root *html.Node)) {
	for name, component := range everyPage() {
		t.Run(name, func(t *testing.T) { test(t, parse(t, render(t, component))) })
	}
}

func TestEveryPage(t *testing.T) {
	t.Run("is among those that are looked at", everyPageIsLookedAt)
	for rule, test := range map[string]func(*testing.T, *html.Node){
		"has one heading and its landmarks": func(t *testing.T, root *html.Node) {
			err := all([]check{
				in("html[lang=en]"), in("title", says(" · "+meta(root, "property=og:site_name"))), times(1, "h1"), times(1, "main[id=main]"),
				times(1, "header[class=top]"), times(1, "footer"), in("a[href=#main]"), in("nav[aria-label=Main]"),
				in(`meta[name=viewport]`),
			})(root)
			if err != nil {
				t.Error(err)
			}
		},
		"is no dead end": func(t *testing.T, root *html.Node) {
			main := find(root, "main")[0]
			if len(find(main, "a[href]"))+len(find(main, "button")) == 0 {
				t.Error("nothing in the page leads on")
			}
		},
		"has no inline script or style and loads nothing from elsewhere": loadsNothingElse,
		"links only to the web":                        linksOnlyToTheWeb,
		"has a label for each control and no id twice": labelsEachControl,
		// The generator takes a component call for text if other text is on its line.
		"shows no template source": func(t *testing.T, root *html.Node) {
			if leak := regexp.MustCompile(`@\w+[.(]|[{}]`).FindString(textOf(root)); leak != "" {
				t.Errorf("the page says %q", leak)
			}
		},
		"has no side column if it is a card, whose style it loads": func(t *testing.T, root *html.Node) {
			cards, styles := len(find(root, "main[class=card]")), len(find(root, "link[rel=stylesheet][href=/static/card.css]"))
			if sides := len(find(root, "aside")); cards != styles || cards*sides > 0 {
				t.Errorf("%d cards, %d of their style sheets and %d side columns", cards, styles, sides)
			}
		},
		"never takes what users write for markup": func(t *testing.T, root *html.Node) {
			if all, modules := find(root, "script"), find(root, "script[type=module][src]"); len(all) != len(modules) {
				t.Errorf("%d of %d scripts are not modules of a page", len(all)-len(modules), len(all))
			}
			if err := without("b[title]")(root); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(rule, func(t *testing.T) { eachPage(t, test) })
	}
	// Without it, the form of a page that is older than the channel would reach the channel.
	t.Run("says in each form about a channel which incarnation it is for", func(t *testing.T) {
		forms := 0
		eachPage(t, func(t *testing.T, root *html.Node) {
			for _, form := range find(root, "form[method=post]") {
				action, _ := attribute(form, "action")
				about := strings.HasPrefix(action, ChannelsPath+"/") && action != NewChannelPath || action == SubscriptionsPath
				about = about && !strings.Contains(action, "/deletions/") // the address has it
				if !about {
					continue
				}
				forms++
				if len(find(form, "input[name=incarnation]")) != 1 {
					t.Errorf("a form that posts to %s does not", action)
				}
			}
		})
		if forms < 10 {
			t.Errorf("only %d forms are about a channel", forms)
		}
	})
	// A browser silently mends markup that does not nest, and the result may be another
	// page. So a page that is parsed and rendered again must have the same tags.
	t.Run("needs no browser to mend its markup", func(t *testing.T) {
		for name, component := range everyPage() {
			t.Run(name, func(t *testing.T) {
				sent := render(t, component)
				var read strings.Builder
				if err := html.Render(&read, parse(t, sent)); err != nil {
					t.Fatal(err)
				}
				want, got := tags(sent), tags(read.String())
				if !slices.Equal(got, want) {
					t.Errorf("read as:\n%s\nsent:\n%s", strings.Join(got, " "), strings.Join(want, " "))
				}
			})
		}
	})
}

// everyPageIsLookedAt fails for a page that everyPage does not make.
func everyPageIsLookedAt(t *testing.T) {
	samples, err := os.ReadFile("sample_test.go")
	sources, globErr := filepath.Glob("*.templ")
	if err = errors.Join(err, globErr); err != nil || len(sources) == 0 {
		t.Fatal(err)
	}
	for _, name := range sources {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range regexp.MustCompile(`(?m)^templ ([A-Z]\w*Page\()`).FindAllSubmatch(source, -1) {
			if !bytes.Contains(samples, page[1]) {
				t.Errorf("%s has %s…), which no test looks at: add a sample of it to sample_test.go", name, page[1])
			}
		}
	}
}

// The Content-Security-Policy forbids all of this, so a browser would silently ignore it.
func loadsNothingElse(t *testing.T, root *html.Node) {
	for n := range root.Descendants() {
		if n.Data == "style" || n.Data == "script" && n.FirstChild != nil {
			t.Errorf("inline %s", n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
			loads := a.Key == "src" || a.Key == "href" && n.Data == "link" || a.Key == "action" || a.Key == "data-events"
			if loads && !strings.HasPrefix(a.Val, "/") {
				t.Errorf("<%s %s=%q> is not on this site", n.Data, a.Key, a.Val)
			}
		}
	}
}

func linksOnlyToTheWeb(t *testing.T, root *html.Node) {
	for _, a := range find(root, "a[href]") {
		href, _ := attribute(a, "href")
		rel, _ := attribute(a, "rel")
		switch {
		case strings.HasPrefix(href, "/"):
		case strings.HasPrefix(href, "#") && len(find(root, "[id="+href[1:]+"]")) == 1:
		case strings.HasPrefix(href, "https://") && rel == "nofollow ugc noopener":
		default:
			t.Errorf("link to %q, rel %q", href, rel)
		}
	}
}

func labelsEachControl(t *testing.T, root *html.Node) {
	var ids []string
	for _, n := range find(root, "[id]") {
		id, _ := attribute(n, "id")
		if slices.Contains(ids, id) {
			t.Errorf("two elements with the id %q", id)
		}
		ids = append(ids, id)
	}
	for _, n := range append(find(root, "input"), find(root, "textarea")...) {
		kind, _ := attribute(n, "type")
		_, concealed := attribute(n, "hidden")
		if _, labelled := attribute(n, "aria-label"); labelled {
			continue
		}
		if id, _ := attribute(n, "id"); kind != "hidden" && !concealed && len(find(root, "label[for="+id+"]")) != 1 {
			t.Errorf("the control %q has no label", id)
		}
	}
	for _, key := range []string{"aria-describedby", "aria-labelledby"} {
		for _, n := range find(root, "["+key+"]") {
			value, _ := attribute(n, key)
			for _, id := range strings.Fields(value) {
				if !slices.Contains(ids, id) {
					t.Errorf("%s names %q, which is nowhere", key, id)
				}
			}
		}
	}
}

// tags lists the tags of a document in order.
func tags(document string) []string {
	var list []string
	tokenizer := html.NewTokenizer(strings.NewReader(document))
	for {
		kind := tokenizer.Next()
		switch kind {
		case html.ErrorToken:
			return list
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			name, _ := tokenizer.TagName()
			tag := string(name)
			if kind == html.EndTagToken {
				tag = "/" + tag
			}
			// The SVG elements may be written either way.
			if tag != "/path" && tag != "/rect" {
				list = append(list, tag)
			}
		}
	}
}
