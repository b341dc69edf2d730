package feed

import (
	"strconv"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	t.Run("is made of markup", textOfMarkup)
	t.Run("that says it is Markdown is what a post can have, whatever file it is of", textOfMarkdown)
	t.Run("does not grow with depth", textOfDeepMarkup)
	t.Run("of many elements takes seconds, and not minutes", textOfManyElements)
}

func textOfMarkdown(t *testing.T) {
	for marked, want := range map[string]string{
		"*a* <b>": "*a* <b>", "a\r\nb": "a\nb", "a\x00*b*": "a\\*b*", "\x00": "",
	} {
		if got, _ := NewConverter().textOf(markdownMark+marked, nil); got != want {
			t.Errorf("%q becomes %q, want %q", marked, got, want)
		}
	}
}

func textOfMarkup(t *testing.T) {
	c := NewConverter()
	for name, text := range map[string]struct{ markup, want string }{
		"paragraphs":              {"<p>one</p><p>two</p>", "one\n\ntwo"},
		"divisions":               {"<div>one</div><div>two</div>three", "one\n\ntwo\n\nthree"},
		"inline elements":         {"a<b>b</b><i>c</i> <span> d </span> e", "a**b**c d e"},
		"space is collapsed":      {"<p>  a \n\t b  </p>\n\n\n<p> c</p>", "a b\n\nc"},
		"line breaks":             {"<p>a<br>b<br/> c</p>", "a\nb\nc"},
		"one blank line at most":  {"<p>a</p><br><br><br><p></p><p> </p><p>&nbsp;</p><hr><p>b</p>", "a\n\n---\n\nb"},
		"a no-break space stays":  {"<p>10&nbsp;km</p>", "10\u00a0km"},
		"line separators":         {"<p>a\u2028b\u2029c</p>", "a\nb\nc"},
		"headings":                {"<h2>A</h2>b<h3>C</h3>", "## A\n\nb\n\n### C"},
		"a list":                  {"a<ul><li>b<li>c</ul>d", "a\n\n- b\n- c\n\nd"},
		"a numbered list":         {"<ol><li>a</li><li>b</li></ol>", "1. a\n2. b"},
		"a list within a list":    {"<ul><li>a<ol><li>b</li></ol></li><li>c</li></ul>", "- a\n  1. b\n- c"},
		"an empty item":           {"<ul><li></li><li>a</li><li> </li></ul>b", "- a\n\nb"},
		"an item without a list":  {"<li>a", "a"},
		"items of more lines":     {"<ul><li>a<br>b</li></ul>", "- a\n  b"},
		"a quotation":             {"a<blockquote><p>b</p><p>c</p></blockquote>d", "a\n\n> b\n>\n> c\n\nd"},
		"preformatted":            {"<pre>if x {\n\n\n\ty  z \n}</pre>", "```\nif x {\n\n\n\ty  z\n}\n```"},
		"a table":                 {"<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "a | b\n1 | 2"},
		"a picture":               {`<p><img src="x.png" alt="A cat"></p>`, "A cat"},
		"entities":                {"<p>&lt;b&gt; &amp;amp; &eacute; &#x1F600; &unknown;</p>", "\\<b> &amp;amp; é 😀 &unknown;"},
		"comments":                {"a<!-- b -->c<!DOCTYPE d>", "ac"},
		"unknown elements":        {"<blink>a</blink> <o:p>b</o:p> <T>c", "a b \\<T>c"},
		"not a tag":               {"<p>1 < 2 > 0 <3</p>", "1 < 2 > 0 <3"},
		"no tag, but lines":       {"a  b\n  c &amp; d\n\n\n\ne", "a b\nc & d\n\ne"},
		"hidden":                  {"a<style>b</style><script>c('<p>')</script><iframe src=x>e</iframe><title>f</title>g", "ag"},
		"a picture's sources":     {`<picture><source srcset="https://a.example/l 1x"><img src="data:,"></picture>`, "![picture](https://a.example/l)"},
		"a comma in a set":        {`<img srcset="https://a.example/l, https://a.example/m 2x" alt="y">`, "![y](https://a.example/l)"},
		"forms":                   {`a <textarea>b</textarea> <input value="c"> <input type="submit" value="d"> <input type="hidden" value="e"><input type="password" value="p"><input type="radio" value="r"><input type="range" value="5"><input type="color" value="#fff"><input type="image" src="https://a.example/f" alt="f">`, "a b c d ![f](https://a.example/f)"},
		"an image map":            {`<map><area href="https://a.example/b" alt="c"></map>`, "[c](https://a.example/b)"},
		"links with queries":      {`<a href="https://a.example/?a=1,2;b=c/d">c</a> <img src="https://a.example/?é" alt="f">`, "[c](https://a.example/?a=1,2;b=c/d) ![f](https://a.example/?é)"},
		"a link with brackets":    {`<a href="https://a.example/[b]">c</a>`, "[c](https://a.example/%5Bb%5D)"},
		"boxes":                   {`<ul><li><input type="checkbox" checked> a<li><input type="checkbox">b</ul>`, "- ☑ a\n- ☐ b"},
		"what is never closed":    {"a <textarea>b <script>c <title/>d <iframe>e <!--f", "a \\<textarea>b \\<script>c d e <!--f"},
		"a closing mark is none":  {"a</b <i>c</i>", "a</b *c*"},
		"hidden within hidden":    {"a<template>b<template>c</template>d</template>e", "ae"},
		"control characters":      {"<p>a\x00\x07\x1b\x7fb\u0081</p>", "ab"},
		"those of windows-1252":   {"<p>It\u0092s \u0093\u008akoda\u0094\u0085 &#146;n &#133;</p>", "It’s “Škoda”… ’n …"},
		"nothing to see":          {"<p> <br>\u3000</p>", ""},
		"a link":                  {`<a href="https://a.example/b">c</a>, d`, "[c](https://a.example/b), d"},
		"a link around a heading": {`<a href="https://a.example/b"><h2>c</h2></a><p>d`, "## [c](https://a.example/b)\n\nd"},
		"a link with space":       {`a <a href=" https://a.example/b "> c </a> d`, "a [c](https://a.example/b) d"},
		"a link that says so":     {`<a href="https://a.example/b">https://a.example/b</a>`, "<https://a.example/b>"},
		"a link nearly says so":   {`see <a href="https://www.a.example/b/">a.example/b</a>.`, "see [a.example/b](https://www.a.example/b/)."},
		"a link within its text":  {`<a href="https://a.example/">go to https://a.example/ now</a>`, "[go to https://a.example/ now](https://a.example/)"},
		"a link without text":     {`<a href="https://a.example/"></a>`, "<https://a.example/>"},
		"a link around a picture": {`<a href="https://a.example/"><img src="https://a.example/x" alt=""></a>`, "![picture](https://a.example/x) [link](https://a.example/)"},
		"a link never closed":     {`<a href="https://a.example/">a<a href="https://b.example/">b`, "[a](https://a.example/)[b](https://b.example/)"},
		"a relative link":         {`<a href="/b">c</a>`, "c"},
		"a link that is no page":  {`<a href="javascript:alert(1)">a</a> <a href="mailto:b@c">b</a> <a href="https://">c</a> <a>d</a>`, "a [b](mailto:b@c) c d"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, _ := c.textOf(text.markup, nil); got != text.want {
				t.Errorf("%s\n got %q\nwant %q", text.markup, got, text.want)
			}
		})
	}
}

// A title is made of markup.
func TestTitle(t *testing.T) {
	for markup, want := range map[string]string{
		"  a\n b<br>c <em>d</em> ":             "a b c d",
		"Why List<T> is &lt;not&gt; a List<I>": "Why List<T> is <not> a List",
		`<a href="https://a.example/">a</a>`:   "a",
		"a\u2028b\u00a0c":                      "a b c",
		"R&D, AT&amp;T":                        "R&D, AT&T",
		"<script>a</script>":                   "",
	} {
		if got := titleOf(markup); got != want {
			t.Errorf("%s\n got %q\nwant %q", markup, got, want)
		}
	}
}

// Deep nesting must not overflow a stack, and must not multiply the text.
func textOfDeepMarkup(t *testing.T) {
	for _, tag := range []string{"<ul><li><blockquote>", "<b><i>", "<div>", "<li>", "<p>", "<table><tr><td>"} {
		for _, times := range []int{80, 50_000} {
			deep := strings.Repeat(tag, times) + strings.Repeat("a<br>", 100) + `<a href="https://b.example">b</a>`
			got, in := NewConverter().textOf(deep, nil)
			if len(got) > 100*6*maxDepth || strings.Count(got, "a") < 100 || missing(got, in.toLinks) > 0 {
				t.Errorf("%d times %s became %d bytes: %.200s", times, tag, len(got), got)
			}
		}
	}
}

func textOfManyElements(t *testing.T) {
	for _, element := range []string{"<b></b>", "<sup></sup>", "<img src=/%d>"} {
		var b strings.Builder
		for i := 0; b.Len() < maxMarkup; i++ {
			b.WriteString(strings.Replace(element, "%d", strconv.Itoa(i), 1))
		}
		if draft, loss := NewConverter().Draft(Entry{Content: b.String() + "end", base: "https://a.example/"}); !loss.Cut {
			t.Errorf("%s: %d bytes, %+v", element, len(draft.Text), loss)
		}
	}
}
