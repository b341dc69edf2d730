package templates

import (
	"testing"
	"time"

	"microblogging/domain"
)

func TestErasurePage(t *testing.T) {
	t.Run("says until when a deletion can be undone, also to a reader who is signed out", func(t *testing.T) {
		until := ago(-7 * 24 * time.Hour)
		const said = "You can undo it until 5 August 2026, 12:00:00 UTC."
		expect(t, ErasurePage(pageAt("/account/deletion", "jo"), Erasure{Ends: until}), says(said))
		expect(t, ErasurePage(pageAt("/account/deletion", ""), Erasure{Progress: &domain.Deletion{State: domain.DeletionPending, UndoableUntil: until}}), says(said))
	})
	for _, undo := range []time.Duration{0, time.Hour} {
		shows(t, "says that posts which are kept are not gone, with an undo of "+undo.String(), ErasurePage(pageAt("/account/deletion", "jo"), Erasure{Undo: undo}),
			says("all but the posts that you keep is gone for good"))
	}
	shows(t, "leaves it to its reader what becomes of posts elsewhere", ErasurePage(pageAt("/account/deletion", "jo"), Erasure{}),
		without("[checked]"), times(2, "input[name=posts][required]"))
	shows(t, "keeps a choice if the password was wrong", ErasurePage(pageAt("/account/deletion", "jo"), Erasure{Form: refused("password"), Posts: "keep"}),
		times(1, "[checked]"), in("input[value=keep][checked]"))
}

func TestUserPage(t *testing.T) {
	t.Run("says since when, and lists the posts with their channels", func(t *testing.T) {
		v := sampleUser()
		v.Owns, v.Channels, v.Posts = false, nil, sampleFeed().Posts
		expect(t, UserPage(pageAt("/users/ingrid", ""), v),
			in("h1", says("ingrid")), in("title", says("@ingrid")), says("Joined 30 July 2023."),
			in("a[aria-current=page]", says("Posts")), in("a[href=/users/ingrid?show=channels]", says("Channels")),
			in("article", in("a[href=/users/ingrid]")), in("a[rel=next][href=/users/ingrid?after=n%26m]"))
	})
	t.Run("lists the channels", func(t *testing.T) {
		expect(t, UserPage(pageAt("/users/ingrid", ""), sampleUser()),
			in("a[aria-current=page]", says("Channels")), in("a[href=/users/ingrid]", says("Posts")),
			in("li", in("a[href=/channels/F%C3%BCchse]", says("Füchse")), says("Foxes. created 29 July 2026, 10:00 UTC"), silent("Not shown")),
			in("a[rel=next][href=/users/ingrid?show=channels&after=n%26m]"), silent("Your account"))
		expect(t, UserPage(pageAt("/users/ingrid", "ingrid"), sampleUser()), in("main", in("a[href=/account]")))
	})
}
