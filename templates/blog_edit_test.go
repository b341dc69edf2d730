package templates

import "testing"

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
			says("Saved by @ingrid 2 minutes ago"), says("revision THEIRS."), in("h3", says("Green arcs"), without("del")),
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
