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
			Channels: []domain.Channel{{Name: "Füchse", Owner: "jo", About: domain.About{Description: "Foxes.\nNot shown."}, CreatedOn: ago(2 * time.Hour)}},
		}
		expect(t, DirectoryPage(pageAt("/channels?contains=f", ""), v),
			in("form[method=get][action=/channels]", in("input[name=contains][value=fü]")),
			in("li", in("a[href=/channels/F%C3%BCchse]", says("Füchse")), says("Foxes. by @jo · created 29 July 2026, 10:00 UTC"), silent("Not shown")),
			in("a[rel=next][href=/channels?contains=f%C3%BC&after=n%26m]"),
			in("a[href=/channels][aria-current=page]"),
		)
	})
	t.Run("without channels says why", func(t *testing.T) {
		expect(t, DirectoryPage(pageAt("/", ""), Directory{}), in("a[href=/sign-in?next=%2Fchannels%2Fnew]", says("Create the first channel")), without("input[name=contains]"))
		expect(t, DirectoryPage(pageAt("/", ""), Directory{Contains: "zz"}), says("No channel’s name contains “zz”"), in("a[href=/sign-in?next=%2Fchannels%2Fnew%3Fname%3Dzz]"), in("input[name=contains]"))
		expect(t, DirectoryPage(pageAt("/", ""), Directory{Contains: "zz", Part: Part{After: "q", Next: "r"}}), says("No channel on this page"), silent("create"),
			in("a[rel=next][href=/channels?contains=zz&after=r]", says("More channels")))
		expect(t, DirectoryPage(pageAt("/", ""), Directory{Part: Part{After: "q"}}), says("No more channels"), in("a[href=/channels]", says("Back to the start")))
		expect(t, DirectoryPage(pageAt("/", "jo"), Directory{Contains: "zz"}), in("a[href=/channels/new?name=zz]"))
	})
}
