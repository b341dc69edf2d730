package templates

import (
	"testing"

	"microblogging/domain"
	"microblogging/templates/merge"
)

func sampleConflict() EditBlog {
	theirs := samplePost().Blog
	theirs.Revision, theirs.EditedOn = "THEIRSABC", ago(120_000_000_000)
	return EditBlog{
		Channel: domain.Channel{Name: "aurora"}, ID: theirs.ID,
		Draft: domain.Draft{Title: "Green and red arcs", Text: "One line.\nNo link."}, ETag: "new",
		Conflict: &Conflict{Theirs: theirs},
	}
}

func TestEditBlogPage(t *testing.T) {
	shows(t, "shows both versions of a conflict and what differs", EditBlogPage(pageAt("/e", "ingrid"), sampleConflict()),
		in("h1", says("Two versions")), in("header[class=head]", says("nothing is lost")),
		in("section[aria-labelledby=theirs]", in("h2", says("Saved in your other tab")), says("29 July 2026, 11:58 UTC"),
			in("h3", says("Green arcs"), without("ins")),
			in("ins[class=theirs]", says("See https://example.org/mag")), without("ins[class=yours]"), without("del")),
		in("section[aria-labelledby=yours]", in("h2", says("Not saved yet")), says("Sent by you, ingrid"),
			in("h3", says("Green and red arcs"), in("ins[class=yours]", says("and red"))),
			in("ins[class=yours]", says("No link")), without("ins[class=theirs]"), without("del")),
		says("If-Match"), says("Only its author can edit a post."),
	)
	shows(t, "has both changes together", EditBlogPage(pageAt("/e", "ingrid"), mergedConflict("One.\nTwo.\nThree.", "1.\nTwo.\nThree.", "One.\nTwo.\nThree and four.")),
		in("section[aria-labelledby=merge]", in("h2", says("Both together")), says("do not touch each other"),
			in("ins[class=yours]", says("1")), in("ins[class=theirs]", says("and four")), in("del", says("One")),
			in("textarea", says("1. Two. Three and four.")), in("input[name=title][value=Green and red arcs]")),
		in("section[aria-labelledby=theirs]", in("ins[class=theirs]", says("and four")), without("del"), without("ins[class=yours]")),
		in("section[aria-labelledby=yours]", in("ins[class=yours]", says("1")), in("del", says("One")), without("ins[class=theirs]")),
	)
	shows(t, "says where changes overlap", EditBlogPage(pageAt("/e", "ingrid"), mergedConflict("One two", "One 2", "One zwei")),
		in("section[aria-labelledby=merge]", says("Both changed the same place"),
			in("ins[class=yours]", says("2")), in("ins[class=theirs]", says("zwei")), in("textarea", says("One 2 zwei"))),
	)
	shows(t, "names an author who is somebody else", EditBlogPage(pageAt("/e", "jo"), sampleConflict()),
		in("section[aria-labelledby=theirs]", in("h2", says("Saved by ingrid"))),
		in("section[aria-labelledby=yours]", in("h2", says("Yours, not saved yet"))),
	)
	t.Run("offers three ways out of a conflict", func(t *testing.T) {
		const path = "/channels/aurora/blogs/2516789012345678901!abc"
		v := sampleConflict()
		expect(t, EditBlogPage(pageAt("/e", "ingrid"), v),
			in("a[href="+path+"]", says("Keep the saved version")),
			in("form[action="+path+"/edit]", in("button", says("Save mine over it")),
				in("input[name=title][value=Green and red arcs]"), in("input[name=text][value=One line.\nNo link.]"), in("input[name=etag][value=new]")),
			in("form[action="+path+"/edit]", in("button", says("Save the merged version")),
				in("input[name=title][value=Green and red arcs]"), in("textarea", says("One line. No link.")), in("input[name=etag][value=new]")),
		)
		v.Errors = []domain.FieldError{{Field: "text", Detail: "must not be blank"}}
		expect(t, EditBlogPage(pageAt("/e", "ingrid"), v), silent("Save mine over it"), in("[id=text-error]", says("Text must not be blank.")))
	})
	t.Run("says that a version has no title", func(t *testing.T) {
		v := sampleConflict()
		v.Conflict.Theirs.Title = ""
		expect(t, EditBlogPage(pageAt("/e", "ingrid"), v),
			in("section[aria-labelledby=theirs]", says("No title"), without("h3")),
			in("section[aria-labelledby=yours]", in("h3", in("ins[class=yours]", says("Green and red arcs")))),
		)
	})
}

// mergedConflict is a conflict of which the beginning is known.
func mergedConflict(baseText, mine, theirs string) EditBlog {
	v := sampleConflict()
	v.Title, v.Text, v.Conflict.Theirs.Text = "Green and red arcs", mine, theirs
	v.Conflict.Merged = &Merged{
		Base:  domain.Draft{Title: "Green arcs", Text: baseText},
		Title: merge.Whole("Green arcs", v.Title, "Green arcs"), Text: merge.Texts(baseText, mine, theirs),
	}
	return v
}
