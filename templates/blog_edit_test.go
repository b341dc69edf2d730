package templates

import (
	"testing"

	"microblogging/domain"
)

func sampleConflict() EditBlog {
	theirs := samplePost().Blog
	theirs.Revision, theirs.EditedOn = "THEIRSABC", ago(120_000_000_000)
	mine := domain.Draft{Title: "Green and red arcs", Text: "One line.\nNo link."}
	return EditBlog{
		Channel: domain.Channel{Name: "aurora"}, ID: theirs.ID, Draft: mine, ETag: "new",
		Conflict: NewConflict(mine, theirs, domain.Draft{}, false), Mine: mine,
	}
}

func TestEditBlogPage(t *testing.T) {
	shows(t, "shows what differs, and folds what both versions have", EditBlogPage(pageAt("/e", "ingrid"), sampleConflict()),
		in("h1", says("Two versions")), in("main", says("29 July 2026, 11:58 UTC"), says("nothing is lost")),
		in("article", in("h3", in("ins[class=yours]", says("and red"))), in("details", in("summary", says("1 unchanged")), says("One line.")),
			in("ins[class=yours]", says("No link")), in("del", says("See https://example.org/mag"))),
		says("If-Match"), says("Only its author can edit a post."),
	)
	shows(t, "has both changes together", EditBlogPage(pageAt("/e", "ingrid"), mergedConflict("One.\nTwo.\n\nTwo.\nThree.", "1.\nTwo.\n\nTwo.\nThree.", "One.\nTwo.\n\nTwo.\nThree and four.")),
		in("section[aria-labelledby=merge]", in("h2", says("Both together")), says("do not touch each other"),
			in("ins[class=yours]", says("1")), in("ins[class=theirs]", says("and four")), in("del", says("One")), times(1, "article"),
			in("article", in("details", in("summary", says("2 unchanged")))), in("input[name=undecided][value=]"),
			in("textarea", says("1. Two. Two. Three and four.")), in("input[name=title][value=Green and red arcs]")),
	)
	shows(t, "says where changes overlap, and asks for a decision", EditBlogPage(pageAt("/e", "ingrid"), mergedConflict("One two", "One 2", "One zwei")),
		in("section[aria-labelledby=merge]", says("Both changed this sentence."), in("details[open]", in("textarea", says("One 2 zwei"))),
			in("ins[class=yours]", says("2")), in("ins[class=theirs]", says("zwei")),
			in("input[name=undecided][value="+Undecided(domain.Draft{Title: "Green and red arcs", Text: "One 2 zwei"})+"]")),
	)
	t.Run("offers three ways out of a conflict", func(t *testing.T) {
		const path = "/channels/aurora/blogs/2516789012345678901!abc"
		v := sampleConflict()
		expect(t, EditBlogPage(pageAt("/e", "ingrid"), v),
			in("p[class=acts decide]", in("button[class=main]", says("Save this text")), in("button[form=mine]", says("Save mine")), in("a[href="+path+"]", says("Discard mine"))),
			in("form[id=mine][action="+path+"/edit]",
				in("input[name=title][value=Green and red arcs]"), in("input[name=text][value=One line.\nNo link.]"), in("input[name=etag][value=new]")),
			in("form[data-quick][action="+path+"/edit]",
				in("input[name=title][value=Green and red arcs]"), in("textarea", says("One line. No link.")), in("input[name=etag][value=new]")),
		)
		v.Text, v.Errors = "", []domain.FieldError{{Field: "text", Detail: "must not be blank"}}
		expect(t, EditBlogPage(pageAt("/e", "ingrid"), v), in("form[id=mine]", in("input[name=text][value=One line.\nNo link.]")), says("Save mine"), in("[id=text-error]", says("Text must not be blank.")), says("The fields below have what you sent."), says("is new in what you sent."))
	})
}

// mergedConflict is a conflict of which the beginning is known.
func mergedConflict(baseText, mine, theirs string) EditBlog {
	v := sampleConflict()
	v.Text, v.Conflict.Theirs.Draft = mine, domain.Draft{Title: "Green arcs", Text: theirs}
	v.Conflict = NewConflict(v.Draft, v.Conflict.Theirs, domain.Draft{Title: "Green arcs", Text: baseText}, true)
	return v
}
