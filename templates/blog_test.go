package templates

import "testing"

func TestAPostOffersOnlyWhatTheReaderMayDo(t *testing.T) {
	const path = "/channels/aurora/blogs/2516789012345678901!abc"
	v := Blog{Channel: "aurora", Post: samplePost(), ETag: `"r-0"`}
	expect(t, BlogPage(pageAt(path, ""), v),
		in("h1", says("Green arcs")), in("title", says("Green arcs · aurora")), in("a[href=/channels/aurora]"),
		without("details"), without("a[href="+path+"/edit]"),
	)
	v.CanDelete = true
	expect(t, BlogPage(pageAt(path, "owner"), v),
		in("details", in("form[method=post][action="+path+"]", in("input[name=action][value=delete]"), in(`input[name=etag][value="r-0"]`))),
		without("details[open]"), without("a[href="+path+"/edit]"),
	)
	v.CanEdit = true
	expect(t, BlogPage(pageAt(path, "ingrid"), v), in("a[href="+path+"/edit]"))
}

func TestAPostWithoutATitleIsNamedByItsAuthor(t *testing.T) {
	post := samplePost()
	post.Title = ""
	expect(t, BlogPage(pageAt("/x", ""), Blog{Channel: "aurora", Post: post}), in("h1", says("Post by ingrid")), in("title", says("Post by ingrid · aurora")))
}

func TestAStaleEditShowsBothVersions(t *testing.T) {
	saved := samplePost()
	v := EditBlog{Channel: "aurora", ID: saved.ID, Title: "Mine", Text: "My text", ETag: "new", Current: &saved}
	expect(t, EditBlogPage(pageAt("/e", "ingrid"), v),
		in("[role=alert]", says("saved in between")),
		in("section", says("Green arcs"), says("One line.")),
		in("form[action=/channels/aurora/blogs/2516789012345678901!abc/edit]",
			in("input[name=title][value=Mine]"), in("textarea", says("My text")), in("input[name=etag][value=new]"),
			in("a[href=/channels/aurora/blogs/2516789012345678901!abc]", says("Keep the saved version"))),
	)
}
