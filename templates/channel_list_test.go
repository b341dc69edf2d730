package templates

import (
	"testing"
	"time"

	"microblogging/domain"
)

func TestDirectoryPage(t *testing.T) {
	t.Run("lists channels", func(t *testing.T) {
		v := Directory{
			Contains: "fü", Part: Part{Next: "n&m"},
			Channels: []ListedChannel{{Channel: domain.Channel{Name: "Füchse", Owner: "jo", About: domain.About{Description: "Foxes.\nNot shown."}, CreatedOn: ago(2 * time.Hour)}}},
		}
		expect(t, DirectoryPage(pageAt("/channels?contains=f", ""), v),
			in("form[method=get][action=/channels]", in("input[name=contains][value=fü]")),
			in("li", in("a[href=/channels/F%C3%BCchse]", says("Füchse")), says("Foxes. Created 29 July 2026, 10:00 UTC · owner jo"), silent("Not shown")),
			in("li", in("a[href=/channels/F%C3%BCchse?find=f%C3%BC]", says("Find “fü” in its posts"))), says("This finds names. Search posts too"), in("main", in("a[href=/search?q=f%C3%BC]")),
			in("a[rel=next][href=/channels?contains=f%C3%BC&after=n%26m]"),
			in("a[href=/channels][aria-current=page]"),
		)
	})
	t.Run("names the people who were found before it says that no channel was", func(t *testing.T) {
		v := Directory{Contains: "rac", People: []domain.UserName{"grace"}, MorePeople: true}
		expect(t, DirectoryPage(pageAt("/channels?contains=rac", "ingrid"), v), in("h2[id=people]", says("People")), in("li", in("a[href=/users/grace]")),
			in("main", says("No channel’s name contains “rac”."), in("a[href=/channels/new?name=rac]", says("create one"))), without("div[class=empty]"))
	})
	t.Run("puts no name into the form that it refuses", func(t *testing.T) {
		for _, sought := range []string{"rac!", "rаc"} { // the second has a Cyrillic а
			expect(t, DirectoryPage(pageAt("/channels?contains="+sought, "ingrid"), Directory{Contains: sought}),
				in("div[class=empty]", in("a[href=/channels/new]", says("create a channel"))))
		}
	})
}
