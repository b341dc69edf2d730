package web

import (
	"strings"
	"testing"

	"microblogging/domain"
)

func TestTexts(t *testing.T) {
	t.Run("a text is rendered once", textIsRenderedOnce)
	t.Run("a text is never shown in place of another", textIsNeverShownInPlaceOfAnother)
	t.Run("a list shows the beginning of a long text", listShowsTheBeginningOfALongText)
	t.Run("what is kept is bounded in bytes", whatIsKeptIsBounded)
}

func sampleBlog(revision, text string) domain.Blog {
	return domain.Blog{
		Channel: domain.ChannelRef{Key: "k", Incarnation: "i"}, ID: "id", Revision: domain.Revision(revision), Text: text,
	}
}

func textIsRenderedOnce(t *testing.T) {
	texts := newTexts(maxTexts)
	blog := sampleBlog("r", "*a*")
	first := texts.post(blog, inList)
	if got := first.Rendered.String(); !strings.Contains(got, "<em>a</em>") {
		t.Fatalf("rendered as %s", got)
	}
	blog.Text = "b" // which no store would do
	if texts.post(blog, inList).Rendered != first.Rendered {
		t.Error("the text was rendered again")
	}
	if allocs := testing.AllocsPerRun(100, func() { texts.blog(blog, inList) }); allocs != 0 {
		t.Errorf("%v allocations for a text that is kept", allocs)
	}
}

func textIsNeverShownInPlaceOfAnother(t *testing.T) {
	texts := newTexts(maxTexts)
	blog := sampleBlog("r", "# a")
	seen := map[string]bool{texts.content(blog) + "in a feed": true}
	for name, change := range map[string]func(*domain.Blog) place{
		"an edit":             func(b *domain.Blog) place { b.Revision, b.Text = "s", "# b"; return alone },
		"another post":        func(b *domain.Blog) place { b.ID, b.Text = "other", "# c"; return alone },
		"another incarnation": func(b *domain.Blog) place { b.Channel.Incarnation, b.Text = "j", "# d"; return alone },
		"a list":              func(*domain.Blog) place { return inList },
		"a digest":            func(*domain.Blog) place { return inDigest },
	} {
		other := blog
		place := change(&other)
		texts.post(other, place)
		got := texts.post(other, place).Rendered.String() // what is kept
		if seen[got] {
			t.Errorf("%s shows %s", name, got)
		}
		seen[got] = true
	}
	channel := domain.Channel{Incarnation: "i", Description: "a"}
	before := texts.description(channel)
	channel.Description = "b"
	if texts.description(channel) == before {
		t.Error("a new description shows the old one")
	}
}

func listShowsTheBeginningOfALongText(t *testing.T) {
	texts := newTexts(maxTexts)
	blog := sampleBlog("r", strings.Repeat("word ", 200)+"\n\n"+strings.Repeat("more ", 200))
	for place, folds := range map[place]bool{inList: true, inDigest: true, alone: false} {
		post := texts.post(blog, place)
		if got := post.Rendered.String(); post.Folded != folds || strings.Contains(got, "more") == folds {
			t.Errorf("place %d: folded %v, %s", place, post.Folded, got)
		}
	}
	if got := texts.content(blog); !strings.Contains(got, "more") {
		t.Errorf("a feed has %s", got)
	}
	blog.ID, blog.Text = "short", strings.Repeat("a", foldedText)
	if texts.post(blog, inList).Folded {
		t.Error("a text of 1,200 characters is folded")
	}
}

func whatIsKeptIsBounded(t *testing.T) {
	const limit = 10_000
	texts := newTexts(limit)
	for i := range 200 {
		blog := sampleBlog(strings.Repeat("r", i), strings.Repeat("a ", i))
		if got := texts.content(blog); strings.Count(got, "a ") < i-1 {
			t.Fatalf("text %d: %s", i, got)
		}
		held := 0
		for _, text := range texts.kept.Values() {
			held += text.size()
		}
		if held != texts.size || held > limit {
			t.Fatalf("after %d texts %d bytes are kept and %d counted", i, held, texts.size)
		}
	}
	texts.content(sampleBlog("huge", strings.Repeat("a ", limit)))
	if texts.size > limit {
		t.Errorf("%d bytes are kept", texts.size)
	}
}
