package templates

import (
	"testing"
	"time"

	"microblogging/domain"
)

func sampleDigest() Digest {
	popular := samplePost()
	popular.Rating = 3
	return Digest{
		Day: "2026-07-28", Zone: "Europe/Berlin", Before: "2026-07-27", Later: "2026-07-29", Most: 200,
		Channels: []DigestChannel{
			{Name: "aurora", Posts: []Post{popular}, First: 1, Total: 1},
			{Name: "Füchse", Posts: []Post{{In: "Füchse", Blog: domain.Blog{ID: "1!a", Draft: domain.Draft{Text: nasty}, UserID: "jo", CreatedOn: ago(time.Hour)}}}, First: 1, Total: 1234},
		},
	}
}

func TestDigestPage(t *testing.T) {
	shows(t, "shows a day by channel", DigestPage(pageAt("/digest", "ingrid"), sampleDigest()),
		in("title", says("Digest of Tuesday 28 July")),
		in("nav[aria-label=Days]", says("Tuesday 28 July, your time"), says("from midnight to midnight")),
		in("section", in("h2", in("a[href=/channels/aurora]")), in("article", in("h3", says("Green arcs")), in("button", says("3")), without("a[href=/channels/aurora?rating=3]")), silent("most popular of")),
		in("section", in("a[href=/channels/F%C3%BCchse]"), says("The 1 most popular of 1,234 posts.")),
		in("nav[aria-label=Days]",
			in("a[rel=prev][href=/digest?day=2026-07-27&tz=Europe%2FBerlin]", says("Monday 27 July")),
			in("a[rel=next][href=/digest?day=2026-07-29&tz=Europe%2FBerlin]", says("Wednesday 29 July"))),
		in("form[method=get][action=/digest]", in("input[name=day][type=date][value=2026-07-28]"), in("input[name=tz][value=Europe/Berlin]")),
	)
	t.Run("shows a part of a day", func(t *testing.T) {
		v := sampleDigest()
		v.After, v.Next, v.Most = "AFTER", "MO&RE", 200
		v.Channels[1].First = 41
		expect(t, DigestPage(pageAt("/digest", "ingrid"), v),
			in("nav", says("at most 200 posts of each")),
			in("section", in("a[href=/channels/F%C3%BCchse]"), says("Continued: post 41 of 1,234.")),
			in("nav[aria-label=Pages]",
				in("a[href=/digest?day=2026-07-28&tz=Europe%2FBerlin]", says("Start of the day")),
				in("a[rel=next][href=/digest?day=2026-07-28&tz=Europe%2FBerlin&after=MO%26RE]", says("More of this day"))))
		v.Next, v.Channels = "", nil
		expect(t, DigestPage(pageAt("/digest", "ingrid"), v),
			in("div[class=empty]", says("No more posts that day"), in("a[href=/digest?day=2026-07-28&tz=Europe%2FBerlin]")),
			in("nav[aria-label=Pages]", without("a[rel=next]")))
	})
	t.Run("leads on if nothing was posted or there is no such day", func(t *testing.T) {
		v := sampleDigest()
		v.Channels, v.Next, v.After = nil, "", ""
		expect(t, DigestPage(pageAt("/digest", "ingrid"), v), in("div[class=empty]", says("Nothing that day"), says("There is no post of that day")))
		v.Later = ""
		expect(t, DigestPage(pageAt("/digest", "ingrid"), v), in("div[class=empty]", says("Nothing yet today"), says("There is no post of today"), in("a[href=/channels]")), without("a[rel=next]"))
		v = Digest{Form: Form{Message: "No.", Errors: []domain.FieldError{{Field: "day", Detail: "has not begun in UTC"}, {Field: "tz", Detail: "is not a time zone"}}}, Day: "2099-01-01", Zone: "Mars"}
		expect(t, DigestPage(pageAt("/digest", "ingrid"), v), in("title", says("Error")),
			in("[role=alert]", says("No.")), in("[id=day-error]", says("Day has not begun in UTC.")), in("[id=tz-error]"),
			in("input[name=day][value=2099-01-01][aria-invalid=true]"), in("input[name=tz][value=Mars]"),
			in("main", in("a[href=/digest]")), without("nav[aria-label=Days]"),
		)
	})
}
