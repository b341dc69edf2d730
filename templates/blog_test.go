package templates

import (
	"testing"
	"time"

	"microblogging/domain"
)

func TestBlogPath(t *testing.T) {
	t.Run("has the first words of a post, and nothing of an emoji", func(t *testing.T) {
		for text, want := range map[string]string{"🎉 Party": "party-", "❤️ Party": "party-", "1️⃣ Party": "1-party-", "👩‍🚀🏽": "", "Straße": "stra%C3%9Fe-"} {
			if got := BlogPath("c", domain.Blog{ID: "id", Draft: domain.Draft{Text: text}}); got != "/channels/c/0001-01-01/"+want+"id" {
				t.Errorf("%q is at %s, want %s", text, got, want)
			}
		}
	})
}

func TestBlogPage(t *testing.T) {
	t.Run("offers only what the reader may do", func(t *testing.T) {
		const path = "/channels/aurora/2026-07-29/green-arcs-2516789012345678901!abc"
		v := Thread{Post: samplePost()}
		v.Revision = "r"
		expect(t, BlogPage(pageAt(path, ""), v),
			in("h1", says("Green arcs")), in("title", says("Green arcs · aurora")), in("a[href=/channels/aurora]"),
			in("main", without("details")), without("a[href="+path+"/edit]"),
		)
		v.CanDelete = true
		expect(t, BlogPage(pageAt(path, "owner"), v),
			in("details", in("form[method=post][action="+path+"]", in("input[name=action][value=delete]"), in(`input[name=etag][value="r-0"]`))),
			without("details[open]"), without("a[href="+path+"/edit]"),
		)
		v.CanEdit = true
		expect(t, BlogPage(pageAt(path, "ingrid"), v), in("a[href="+plainBlogPath("aurora", v.ID)+"/edit]"))
	})
	t.Run("without a title is named by its first words, and its text is what one reads first", func(t *testing.T) {
		post := samplePost()
		post.Title = ""
		expect(t, BlogPage(pageAt("/x", ""), Thread{Post: post}), in("h1[class=unseen]", says("One line.")), in("title", says("One line.")), in("article[class=post alone]", in("p", says("One line."))), silent("Post by"))
	})
	t.Run("says when it was written and edited, in words that do not touch", func(t *testing.T) {
		post := samplePost()
		post.CreatedOn, post.EditedOn = ago(time.Hour), ago(time.Minute)
		expect(t, BlogPage(pageAt("/x", ""), Thread{Post: post}), says("11:00:00 UTC edited 29 July 2026, 11:59:00 UTC"))
	})
}
