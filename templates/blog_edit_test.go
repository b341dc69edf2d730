package templates

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

func sampleConflict() EditBlog {
	theirs := samplePost()
	theirs.EditedOn = ago(120_000_000_000)
	return EditBlog{
		Channel: "aurora", ID: theirs.ID, Title: "Green and red arcs", Text: "One line.\nNo link.", ETag: "new",
		Conflict: &Conflict{Theirs: theirs, Revision: "THEIRSABC", Base: "BASEABCDE"},
	}
}

func TestEditBlogPage(t *testing.T) {
	t.Run("shows both versions of a conflict and what differs", whereEditsMeetBothVersionsAreShownWithWhatDiffers)
	t.Run("offers three ways out of a conflict", whereEditsMeetThereAreThreeWaysOn)
	t.Run("says that a version has no title", versionWithoutATitleSaysSo)
}

func whereEditsMeetBothVersionsAreShownWithWhatDiffers(t *testing.T) {
	expect(t, EditBlogPage(pageAt("/e", "ingrid"), sampleConflict()),
		in("h1", says("Two versions")), in("header[class=head]", says("nothing is lost")),
		in("section[aria-labelledby=theirs]",
			says("Saved by ingrid 2 minutes ago"), says("revision THEIRS."), in("h3", says("Green arcs"), without("del")),
			in("del", says("See https://example.org/mag")), without("ins")),
		in("section[aria-labelledby=yours]",
			says("Sent by you, ingrid"), says("from revision BASEAB,"), in("h3", says("Green and red arcs"), in("ins", says("and red"))),
			in("ins", says("No link")), without("del")),
		says("If-Match"), says("Only its author can edit a post."),
	)
}

func whereEditsMeetThereAreThreeWaysOn(t *testing.T) {
	const path = "/channels/aurora/blogs/2516789012345678901!abc"
	v := sampleConflict()
	expect(t, EditBlogPage(pageAt("/e", "ingrid"), v),
		in("a[href="+path+"]", says("Take theirs")),
		in("form[action="+path+"/edit]", in("button", says("Keep mine")),
			in("input[name=title][value=Green and red arcs]"), in("input[name=text][value=One line.\nNo link.]"), in("input[name=etag][value=new]")),
		in("form[action="+path+"/edit]", in("button", says("Save the merged version")),
			in("input[name=title][value=Green and red arcs]"), in("textarea", says("One line. No link.")), in("input[name=etag][value=new]")),
	)
	v.Errors = []FieldError{{"text", "must not be blank"}}
	expect(t, EditBlogPage(pageAt("/e", "ingrid"), v), silent("Keep mine"), in("[id=text-error]", says("Text must not be blank.")))
}

func versionWithoutATitleSaysSo(t *testing.T) {
	v := sampleConflict()
	v.Conflict.Theirs.Title, v.Conflict.Base = "", ""
	expect(t, EditBlogPage(pageAt("/e", "ingrid"), v), silent("made it from"),
		in("section[aria-labelledby=theirs]", says("No title"), without("h3")),
		in("section[aria-labelledby=yours]", in("h3", in("ins", says("Green and red arcs")))),
	)
}

// sides are both versions as the page has them, marks and all.
func sides(t *testing.T, from, to string) (before, after string) {
	t.Helper()
	c := compare(from, to)
	return render(t, c.before()), render(t, c.after())
}

func TestCompare(t *testing.T) {
	t.Run("marks whole words", comparisonMarksWholeWords)
	t.Run("loses nothing", comparisonLosesNothing)
}

func comparisonMarksWholeWords(t *testing.T) {
	for _, test := range []struct{ from, to, before, after string }{
		{"same", "same", "same", "same"},
		{"", "new", "", "<ins>new</ins>"},
		{"old", "", "<del>old</del>", ""},
		{"the cat sat", "the cot sat", "the <del>cat</del> sat", "the <ins>cot</ins> sat"},
		{"a <b>", "a <i>", "a &lt;<del>b</del>&gt;", "a &lt;<ins>i</ins>&gt;"},
		{"Grüße 👩‍🚀!", "Grüße 👩‍🔬!", "Grüße <del>👩‍🚀</del>!", "Grüße <ins>👩‍🔬</ins>!"},
		{"one\ntwo", "one\n\ntwo", "one\ntwo", "one\n<ins>↵\n</ins>two"},
	} {
		if before, after := sides(t, test.from, test.to); before != test.before || after != test.after {
			t.Errorf("%q and %q: %q and %q", test.from, test.to, before, after)
		}
	}
}

func comparisonLosesNothing(t *testing.T) {
	plain := func(marked string) string {
		for _, mark := range []string{"<del>", "</del>", "<ins>", "</ins>", "↵"} {
			marked = strings.ReplaceAll(marked, mark, "")
		}
		return html.UnescapeString(marked)
	}
	text := rapid.StringOfN(rapid.SampledFrom([]rune("aaab  \n<&é👩\u200d🚀漢")), 0, 80, -1)
	rapid.Check(t, func(r *rapid.T) {
		from, to := text.Draw(r, "from"), text.Draw(r, "to")
		if before, after := sides(t, from, to); plain(before) != from || plain(after) != to {
			r.Fatalf("%q and %q became %q and %q", from, to, before, after)
		}
	})
}

// Two texts of the greatest length with nothing in common are the worst case.
func BenchmarkCompare(b *testing.B) {
	from, to := strings.Repeat("a b\n", 1250), strings.Repeat("c.d\t", 1250)
	b.ReportAllocs()
	for b.Loop() {
		compare(from, to)
	}
}
