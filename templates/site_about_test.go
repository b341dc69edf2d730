package templates

import (
	"testing"

	"microblogging/domain"
)

func TestSite(t *testing.T) {
	const text = "# About us\n\nWe row on the lake.\nAll *year*.\n\n## Rules\n\n1. No selling.\n"
	named := func(name, about, contact string) (Page, About) {
		site, v := NewSite(name, about, contact)
		return withSite(pageAt("/", ""), site), v
	}
	page, about := named("Lakeside", text, "the desk")
	shows(t, "has its own name on each page, and leads to what it says and to its rules", KeysPage(page),
		in("title", says("· Lakeside")), in("a[class=brand]", says("Lakeside")), in(`meta[property=og:site_name][content=Lakeside]`),
		in(`meta[name=description][content=We row on the lake. All year.]`), in("footer", in("a[href=/about]", says("About")), in("a[href=/about#rules]", says("Rules"))), silent("MicroBlogging"))
	shows(t, "says what its operator wrote, below the title of the text", AboutPage(page, about),
		times(1, "h1"), in("h1", says("About us")), in("h2[id=rules]", says("Rules")), in("em", says("year")), in("h2", says("Contact")), says("the desk"))
	shows(t, "greets a newcomer with its own words", LatestPage(page, Latest{}),
		in("h1", says("Lakeside")), says("We row on the lake."), silent("half gone"), silent("Short posts"))
	shows(t, "says whom to ask where people sign in", SignInPage(page, SignIn{}), says("Ask the desk if you cannot sign in."))
	shows(t, "says so too where a session has ended", ProblemPage(page, Problem{Status: 401, SignIn: &SignIn{}}), says("Ask the desk if you cannot sign in."))

	page, about = named("Lakeside", "We row.", "")
	shows(t, "leads to no rules that it does not have", KeysPage(page), in("footer", in("a[href=/about]")), without("a[href=/about#rules]"))
	shows(t, "has its name as the title of a text without one", AboutPage(page, about), in("h1", says("Lakeside")), says("We row."), silent("Contact"))

	page, about = named("", "", "the desk")
	shows(t, "says whom to ask also if that is all", AboutPage(page, about), in("h1", says("MicroBlogging")), says("the desk"))

	page, _ = named("Lakeside", "", "")
	shows(t, "with a name and no text has no page about it", LatestPage(page, Latest{}), in(`meta[name=description]`), without("a[href=/about]"), silent("half gone"))

	page, _ = named("", "# Rowing on the Havel", "")
	shows(t, "of which only the text has a name greets with no sentence of the program", LatestPage(page, Latest{}), silent("half gone"), silent("Short posts"))
	page, _ = named("", text, "")
	shows(t, "without a name greets with its own words", LatestPage(page, Latest{}), in("h1", says("MicroBlogging")), says("We row on the lake."), silent("half gone"))

	page, _ = named("", "", "")
	shows(t, "of which nothing is said is as the program names it", LatestPage(page, Latest{}),
		in("title", says("· MicroBlogging")), says("half gone"), without("a[href=/about]"))
	shows(t, "of which nothing is said asks its operator", SignInPage(page, SignIn{}), says("The operator of this site can send you"))
}

func TestEmptySite(t *testing.T) {
	for _, registration := range []domain.Registration{domain.RegistrationInvited, domain.RegistrationClosed} {
		page := withSite(pageAt("/", ""), Site{Registration: registration})
		shows(t, "invites a visitor who cannot sign up to create nothing before a sign-in", LatestPage(page, Latest{}),
			in("main", in("a[href=/sign-in?next=%2Fchannels%2Fnew]", says("sign in to create one"))))
		shows(t, "has a list of channels that does not either", DirectoryPage(page, Directory{}),
			in("main", in("a[href=/sign-in?next=%2Fchannels%2Fnew]", says("Sign in to create the first channel"))))
	}
	page := withSite(pageAt("/", ""), Site{Registration: domain.RegistrationOpen})
	shows(t, "invites a visitor to create a channel if they can", LatestPage(page, Latest{}),
		in("main", in("a[href=/sign-up?next=%2Fchannels%2Fnew]", says("create one"), silent("sign in"))))
}
