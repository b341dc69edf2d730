package templates

import "testing"

func TestLearnPage(t *testing.T) {
	page := pageAt(LearnPath, "")
	shows(t, "leads nowhere near a lab that is off", LearnPage(page), without("a[href=/lab]"), without("a[href=/lab/A1]"))
	page.Lab = true
	shows(t, "leads nowhere near a lab unless the site teaches", LearnPage(page), without("a[href=/lab]"), without("a[href=/lab/A1]"), without("details[class=behind]"))
	page = teaching(page)
	shows(t, "leads into the lab", LearnPage(page), in("a[href=/lab]"), in("a[href=/lab/A1]"), in("a[href=/lab/A2]"),
		in("section[class=gate-story]", in("a[href=/lab/create-late]"), in("a[href=/lab/post]"), in("a[href=/lab/again]")))
}
