package templates

import (
	"testing"
	"time"
)

func TestDirectoryPage(t *testing.T) {
	t.Run("lists channels", directoryListsChannels)
	t.Run("without channels says why", emptyDirectorySaysWhy)
}

func directoryListsChannels(t *testing.T) {
	v := Directory{
		Prefix: "fü", Next: "n&m",
		Channels: []ChannelItem{{Name: "Füchse", Owner: "jo", Description: "Foxes.\nNot shown.", CreatedOn: ago(2 * time.Hour)}},
	}
	expect(t, DirectoryPage(pageAt("/channels?prefix=f", ""), v),
		in("form[method=get][action=/channels]", in("input[name=prefix][value=fü]")),
		in("li", in("a[href=/channels/F%C3%BCchse]", says("Füchse")), says("Foxes. by @jo · created 2 hours ago"), silent("Not shown")),
		in("a[rel=next][href=/channels?prefix=f%C3%BC&after=n%26m]"),
		in("a[href=/channels][aria-current=page]"),
	)
}

func emptyDirectorySaysWhy(t *testing.T) {
	expect(t, DirectoryPage(pageAt("/", ""), Directory{}), in("a[href=/sign-in?next=%2Fchannels%2Fnew]", says("Create the first channel")), without("input[name=prefix]"))
	expect(t, DirectoryPage(pageAt("/", ""), Directory{Prefix: "zz"}), says("No channel starts with “zz”"), in("a[href=/sign-in?next=%2Fchannels%2Fnew%3Fname%3Dzz]"), in("input[name=prefix]"))
	expect(t, DirectoryPage(pageAt("/", ""), Directory{After: "q"}), says("No more channels"), in("a[href=/channels]", says("Back to the start")))
	expect(t, DirectoryPage(pageAt("/", "jo"), Directory{Prefix: "zz"}), in("a[href=/channels/new?name=zz]"))
}
