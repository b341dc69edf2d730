package markdown

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// linked is how a link to an address that says so appears.
func linked(address string) string { return linkedAs(address, address) }

func linkedAs(address, text string) string {
	return `<a href="` + address + `" rel="nofollow ugc noopener">` + text + "</a>"
}

func paragraph(html string) string { return `<p dir="auto">` + html + "</p>" }

func TestRender(t *testing.T) {
	t.Run("reads CommonMark", func(t *testing.T) {
		expectHTML(t, map[string]struct{ text, want string }{
			"plain text is a paragraph":        {"Hello", paragraph("Hello")},
			"a newline breaks the line":        {"a\nb", paragraph("a<br>\nb")},
			"a blank line ends a paragraph":    {"a\n\n\nb", paragraph("a") + "\n" + paragraph("b")},
			"quotes and ampersands are safe":   {`a & "b" 'c'`, paragraph("a &amp; &quot;b&quot; 'c'")},
			"stress and strikethrough":         {"*a* **b** ~~c~~", paragraph("<em>a</em> <strong>b</strong> <del>c</del>")},
			"code":                             {"a `<b>`", paragraph("a <code>&lt;b&gt;</code>")},
			"a block of code":                  {"```go\nif a < b {\n```", `<pre tabindex="0"><code>if a &lt; b {` + "\n</code></pre>"},
			"a list":                           {"- a\n- b", `<ul dir="auto">` + "\n<li>a</li>\n<li>b</li>\n</ul>"},
			"a list that starts later":         {"3. a", `<ol start="3" dir="auto">` + "\n<li>a</li>\n</ol>"},
			"a quotation":                      {"> a\n> b", `<blockquote dir="auto"><p>a<br>` + "\nb</p>\n</blockquote>"},
			"a rule":                           {"a\n\n---", paragraph("a") + "\n<hr dir=\"auto\">"},
			"a backslash takes marks away":     {`\*a\* \# b`, paragraph("*a* # b")},
			"a heading of nothing is text":     {"## ", paragraph("##")},
			"what defines links alone is text": {"[a]: https://a.example", paragraph("[a]: https://a.example")},
		})
	})
	t.Run("reads tables and tasks", func(t *testing.T) {
		const begin, body, end = `<table dir="auto" tabindex="0">` + "\n<thead>\n<tr>\n", "</tr>\n</thead>\n<tbody>\n<tr>\n", "</tr>\n</tbody>\n</table>"
		const header = begin + "<th>a</th>\n<th>b</th>\n"
		expectHTML(t, map[string]struct{ text, want string }{
			"a table": {"a|b\n-|-\n1|*2*", header + body + "<td>1</td>\n<td><em>2</em></td>\n" + end},
			"cells keep their alignment": {"| a | b |\n|:--|--:|\n| 1 | 2 |", begin + "<th align=\"left\">a</th>\n<th align=\"right\">b</th>\n" + body +
				"<td align=\"left\">1</td>\n<td align=\"right\">2</td>\n" + end},
			"a bar in code":                 {"|a|b|\n|-|-|\n|`1\\|2`|", header + body + "<td><code>1|2</code></td>\n<td></td>\n" + end},
			"a script in a table":           {"|a|b|\n|-|-|\n|<b>|[c](x:y)|", header + body + "<td>&lt;b&gt;</td>\n<td>[c](x:y)</td>\n" + end},
			"bars without a line are text":  {"a | b\n1 | 2", paragraph("a | b<br>\n1 | 2")},
			"a line of other width is text": {"|a|b|\n|-|\n|1|2|", paragraph("|a|b|<br>\n|-|<br>\n|1|2|")},
			"more cells than text are text": {"|a|b|c|d|\n|-|-|-|-|\n\\\n\\\n\\\n\\", paragraph("|a|b|c|d|<br>\n|-|-|-|-|<br>\n<br>\n<br>\n<br>\n\\")},
			"tasks":                         {"- [ ] a\n- [x] b", `<ul dir="auto">` + "\n<li>☐ a</li>\n<li>☑ b</li>\n</ul>"},
			"brackets elsewhere are text":   {"[ ] a\n\n- b [x]", paragraph("[ ] a") + "\n" + `<ul dir="auto">` + "\n<li>b [x]</li>\n</ul>"},
		})
	})
	t.Run("makes links", func(t *testing.T) {
		const a = "https://a.example/"
		expectHTML(t, map[string]struct{ text, want string }{
			"with a text":                         {"[b](https://a.example/)", paragraph(linkedAs(a, "b"))},
			"with a title":                        {`[b](https://a.example/ "c")`, paragraph(`<a href="` + a + `" title="c" rel="nofollow ugc noopener">b</a>`)},
			"by reference":                        {"[b][1]\n\n[1]: https://a.example/", paragraph(linkedAs(a, "b"))},
			"to an address of mail":               {"<b@c.example>", paragraph(linkedAs("mailto:b@c.example", "b@c.example"))},
			"of an image":                         {"![b](https://a.example/)", paragraph(linkedAs(a, "b"))},
			"of an image that says nothing":       {"![](https://a.example/)", paragraph(linked(a))},
			"of an image within a link once":      {"[![b](https://c.example/)](https://a.example/)", paragraph(linkedAs(a, "b"))},
			"of an address":                       {"see https://example.org/a?b=c#d now", paragraph("see " + linked("https://example.org/a?b=c#d") + " now")},
			"of an address in capitals":           {"HTTPS://example.org", paragraph(linked("HTTPS://example.org"))},
			"of an address on this machine":       {"http://localhost:8080/x", paragraph(linked("http://localhost:8080/x"))},
			"without the full stop":               {"At https://example.org/a.", paragraph("At " + linked("https://example.org/a") + ".")},
			"without the brackets around":         {"(https://example.org/a)", paragraph("(" + linked("https://example.org/a") + ")")},
			"with the brackets inside":            {"https://example.org/a_(b)", paragraph(linked("https://example.org/a_(b)"))},
			"with an ampersand":                   {"https://example.org/?a=1&b=2", paragraph(linkedAs("https://example.org/?a=1&amp;b=2", "https://example.org/?a=1&amp;b=2"))},
			"that ends at a quote":                {`https://example.org/"onclick="x`, paragraph(linked("https://example.org/") + "&quot;onclick=&quot;x")},
			"that ends with its line":             {"https://example.org\nb", paragraph(linked("https://example.org") + "<br>\nb")},
			"two are two":                         {"https://a.example https://b.example", paragraph(linked("https://a.example") + " " + linked("https://b.example"))},
			"after text of any script":            {"見よhttps://example.org/", paragraph("見よ" + linked("https://example.org/"))},
			"with a path of any script":           {"https://example.org/山", paragraph(linkedAs("https://example.org/%E5%B1%B1", "https://example.org/山"))},
			"with marks of emphasis in it":        {"https://example.org/_a_/*b*/c", paragraph(linked("https://example.org/_a_/*b*/c"))},
			"with an underscore at its end":       {"https://youtu.be/vhIPYQjX8_", paragraph(linked("https://youtu.be/vhIPYQjX8_"))},
			"with a tilde at its end":             {"https://example.org/~ now", paragraph(linked("https://example.org/~") + " now")},
			"with a bar in its query":             {"https://example.org/?q=a|b", paragraph(linkedAs("https://example.org/?q=a%7Cb", "https://example.org/?q=a|b"))},
			"within emphasis":                     {"*https://example.org/a* _https://example.org/b_ __https://example.org/c__ ~~https://example.org/d~~", paragraph("<em>" + linked("https://example.org/a") + "</em> <em>" + linked("https://example.org/b") + "</em> <strong>" + linked("https://example.org/c") + "</strong> <del>" + linked("https://example.org/d") + "</del>")},
			"within emphasis of more words":       {"_see https://example.org/b_", paragraph("<em>see " + linked("https://example.org/b") + "</em>")},
			"with marks of emphasis around it":    {"**https://example.org/a**", paragraph("<strong>" + linked("https://example.org/a") + "</strong>")},
			"in brackets":                         {"<https://example.org/a>", paragraph(linked("https://example.org/a"))},
			"in its own text once":                {"[https://a.example/](https://a.example/)", paragraph(linked(a))},
			"not in code":                         {"`https://example.org`", paragraph("<code>https://example.org</code>")},
			"not of a scheme alone":               {"http:// and https://", paragraph("http:// and https://")},
			"not of the tail of a scheme":         {"xhttp://example.org", paragraph("xhttp://example.org")},
			"not without a scheme":                {"www.example.org", paragraph("www.example.org")},
			"of what comes after what looks like": {"a://b, then https://example.org", paragraph("a://b, then " + linked("https://example.org"))},
		})
	})
	t.Run("shows what it refuses as it was typed", func(t *testing.T) {
		expectHTML(t, map[string]struct{ text, want string }{
			"a tag":                       {"<script>alert(1)</script>", paragraph("&lt;script&gt;alert(1)&lt;/script&gt;")},
			"a tag among words":           {"a <b onclick=x>b</b>", paragraph("a &lt;b onclick=x&gt;b&lt;/b&gt;")},
			"a block of tags":             {"<div>\n*a*\n</div>", paragraph("&lt;div&gt;<br>\n<em>a</em><br>\n&lt;/div&gt;")},
			"a comment":                   {"<!-- a -->", paragraph("&lt;!-- a --&gt;")},
			"a script in a link":          {"[a](javascript:alert(1))", paragraph("[a](javascript:alert(1))")},
			"a script behind a reference": {"[a](java&#115;cript:alert)", paragraph("[a](java&amp;#115;cript:alert)")},
			"a script with a break":       {"[a](<java\tscript:alert>)", paragraph("[a](java\tscript:alert)")},
			"a script in brackets":        {"<javascript:alert(1)>", paragraph("&lt;javascript:alert(1)&gt;")},
			"data":                        {"![a](data:image/png;base64,AA)", paragraph("![a](data:image/png;base64,AA)")},
			"another scheme":              {"[a](ftp://example.org) <ftp://example.org>", paragraph("[a](ftp://example.org) &lt;ftp://example.org&gt;")},
			"an address of this site":     {"[a](/channels) [b](//example.org) [c](#d)", paragraph("[a](/channels) [b](//example.org) [c](#d)")},
			"no host":                     {"[a](https:b) [c](https:///d)", paragraph("[a](https:b) [c](https:///d)")},
			"a footnote of one word":      {"a[^1]\n\n[^1]: note", paragraph("a[^1]") + "\n" + paragraph("[^1]: note")},
			"a footnote of several":       {"a[^1]\n\n[^1]: a note", paragraph("a[^1]") + "\n" + paragraph("[^1]: a note")},
			"a reference to a script":     {"[a][b] ![b]\n\n[b]: javascript:c 'd'\ne", paragraph("[a][b] ![b]") + "\n" + paragraph("[b]: javascript:c 'd'") + "\n" + paragraph("e")},
			"the first of two meanings":   {"[b]\n\n[b]: c\n[b]: https://a.example/", paragraph(linkedAs("https://a.example/", "b")) + "\n" + paragraph("[b]: c")},
			"a definition in a quotation": {"> [b]\n>\n> [b]: c", `<blockquote dir="auto"><p>[b]</p>` + "\n<p>[b]: c</p>\n</blockquote>"},
			"marks within are read":       {"[*a*](x:y)", paragraph("[<em>a</em>](x:y)")},
		})
	})
	t.Run("keeps headings below the page's own", func(t *testing.T) {
		for text, want := range map[string]string{
			"# a":                               "h3",
			"a\n===":                            "h3",
			"### a":                             "h3",
			"# a\n### b\n# c":                   "h3 h4 h3",
			"## a\n# b\n###### c\n## d":         "h3 h3 h4 h4",
			"# a\n## a\n### a\n#### a\n##### a": "h3 h4 h5 h6 h6",
		} {
			var got []string
			for _, level := range strings.Split(Render(text, BelowList).String(), "<h")[1:] {
				got = append(got, "h"+level[:1])
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%q has the headings %v, want %s", text, got, want)
			}
		}
		if got := Render("# a", BelowTitle).String(); got != `<h2 dir="auto">a</h2>`+"\n" {
			t.Errorf("below a title: %s", got)
		}
	})
	t.Run("does not grow with depth", func(t *testing.T) {
		for _, mark := range []string{">", "> ", "- ", "1. ", ">- ", "*a ", "**a ", "_", "[", "![", "`", "~~a ", "<", "&", "\"", "a\n\n", "# \n", "-\n", "<a:", "](a)", "[a](b", "\\", "a\n|-|\n", "|", "- [ ] "} {
			source := strings.Repeat(mark, 5000/len(mark))
			if got := Render(source, BelowList).String(); len(got) > 20*len(source) {
				t.Errorf("%d times %q became %d bytes", 5000/len(mark), mark, len(got))
			}
		}
		wide := strings.Repeat("|a", 800) + "\n" + strings.Repeat("|-", 800)
		for _, rows := range []string{strings.Repeat("\na", 900), strings.Repeat("\n|", 900), "\n" + strings.Repeat("|a", 900)} {
			if got := Render(wide+rows, BelowList).String(); len(got) > 20*len(wide+rows) {
				t.Errorf("a table of 800 columns became %d bytes", len(got))
			}
		}
	})
	// The parser looks at each open quotation for each line, so its work is the length times the depth.
	t.Run("is not parsed deeper than some levels", func(t *testing.T) {
		for _, marks := range []string{">", "> ", "- ", "1. ", "> - ", "- > "} {
			source := strings.Repeat(marks, 1000) + "a\n" + strings.Repeat(marks, 1000) + "b"
			deepest := 0
			for _, n := range descendants(machine().read.Parse(text.NewReader([]byte(source)), parser.WithContext(&bound{Context: parser.NewContext(), left: 1 << 20}))) {
				deepest = max(deepest, depthOf(n))
			}
			if deepest != maxDepth {
				t.Errorf("%q is parsed to a depth of %d, want %d", marks, deepest, maxDepth)
			}
		}
	})
	// A definition is written once, and each link by reference repeats it.
	t.Run("does not grow with references", func(t *testing.T) {
		for sentence, definition := range map[string]string{
			"an address":                  "[a]: https://b.example/" + strings.Repeat("x", 2400),
			"an address that is escaped":  "[a]: https://b.example/" + strings.Repeat("😀", 2400),
			"a title that is escaped":     "[a]: https://b.example/ '" + strings.Repeat("&", 2400) + "'",
			"an address that is no link":  "[a]: ftp://b.example/" + strings.Repeat("x", 2400),
			"a title that is never shown": "[a]: ftp://b.example/ '" + strings.Repeat("&", 2400) + "'",
		} {
			for _, use := range []string{"[a]", "![a]", "[![a]][a]"} {
				source := definition + "\n\n" + strings.Repeat(use, 2400/len(use))
				if got := Render(source, BelowList).String(); len(got) > 20*len(source) {
					t.Errorf("%s, used as %s: %d bytes became %d", sentence, use, len(source), len(got))
				}
			}
		}
		few := "[a]: https://b.example/" + strings.Repeat("x", 200) + "\n\n" + strings.Repeat("[a] ", 20)
		if got := strings.Count(Render(few, BelowList).String(), "<a "); got != 20 {
			t.Errorf("20 links by reference became %d", got)
		}
	})
}

func expectHTML(t *testing.T, cases map[string]struct{ text, want string }) {
	t.Helper()
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			got := strings.TrimSpace(Render(c.text, BelowList).String())
			if got != c.want {
				t.Errorf("%q\ngot  %s\nwant %s", c.text, got, c.want)
			}
		})
	}
}

func BenchmarkRender(b *testing.B) {
	for name, source := range map[string]string{
		"plain": strings.Repeat("it's faint & far. ", 23)[:400],
		"marks": strings.Repeat("*It's* `faint` & [far](https://example.org/aurora).\n\n- a\n- b\n\n", 7)[:400],
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Render(source, BelowList)
			}
		})
	}
}
