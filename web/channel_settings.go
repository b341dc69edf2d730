package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// The settings of a channel are one form: what is said about it, who may post, the members and the blocked. What is said
// is in the channel's row, and the rest in its posting rule, which is in another table. So the form is checked as a
// whole before anything is written. Then the rule is written, and then the row.

// settings are what the form shows. The lists have the names of those who have an account.
type settings struct {
	domain.About
	Posters, Members, Blocked string
}

// fields are the settings as a form packs them.
func (s *settings) fields() []domain.Field {
	return append(s.About.Fields(), domain.Field{Name: "posting", Text: &s.Posters},
		domain.Field{Name: "members", Text: &s.Members}, domain.Field{Name: "blocked", Text: &s.Blocked})
}

// rules reports whether settings differ in the posting rule.
func (s settings) rules(other settings) bool {
	s.About = other.About
	return s != other
}

// changed names in words what differs, in the order of the form.
func (s settings) changed(from settings) (words []string) {
	for _, of := range []struct {
		word    string
		differs bool
	}{
		{"description", s.About != from.About}, {"posting", s.Posters != from.Posters},
		{"members", s.Members != from.Members}, {"blocked", s.Blocked != from.Blocked},
	} {
		if of.differs {
			words = append(words, of.word)
		}
	}
	return words
}

// namesOf are the names on a list.
func namesOf(accounts []domain.User) string {
	names := make([]string, len(accounts))
	for i, account := range accounts {
		names[i] = string(account.Name)
	}
	return strings.Join(names, " ")
}

// settingsOf reads the settings of a channel, and the rule that they show.
func (s *server) settingsOf(ctx context.Context, in domain.Channel) (settings, storage.PostingRule, error) {
	rule, err := s.store.Posts.PostingRule(ctx, in)
	if err != nil {
		return settings{}, rule, err
	}
	var members, blocked []domain.User
	err = s.store.Concurrently(ctx, func(ctx context.Context) (err error) {
		members, err = s.store.Posts.WithAccounts(ctx, rule.Members)
		return err
	}, func(ctx context.Context) (err error) {
		blocked, err = s.store.Posts.WithAccounts(ctx, rule.Blocked)
		return err
	})
	return settings{in.About, string(rule.Posters), namesOf(members), namesOf(blocked)}, rule, err
}

func (s *server) editChannelForm(c echo.Context, v visitor) error {
	at, err := address(c, nil)
	if err != nil {
		return err
	}
	channel, err := own(s.shownChannel)(c, v, at)
	var now settings
	if err == nil {
		now, _, err = s.settingsOf(c.Request().Context(), channel)
	}
	return show(s, c, v, err, templates.EditChannelPage, templates.EditChannel{
		Channel: channel, Undo: s.Undo, Base: templates.Pack(now.fields()),
		Posting: templates.PostingForm{
			Posters: domain.Posters(now.Posters), Members: ticked(now.Members, nil), Blocked: ticked(now.Blocked, nil),
		},
	})
}

// ticked are the names of a list, with ticks but for those that the form took away.
func ticked(names string, without []string) (people []templates.Ticked) {
	for name := range strings.FieldsSeq(names) {
		people = append(people, templates.Ticked{Name: domain.UserName(name), On: !slices.Contains(without, name)})
	}
	return people
}

// unticked are the names of a list that the form was shown with and did not send.
func unticked(names string, sent []string) []string {
	return slices.DeleteFunc(strings.Fields(names), func(name string) bool { return slices.Contains(sent, name) })
}

// typedPosting is what a form says about who may post, to be shown again with the people who are on the lists now.
func typedPosting(form url.Values, members, blocked []templates.Ticked) templates.PostingForm {
	return templates.PostingForm{
		Posters: domain.Posters(form.Get("posting")), Members: members, Blocked: blocked,
		AddMember: shown(form.Get("add-member")), AddBlocked: shown(form.Get("add-blocked")),
	}
}

// accounts reads the accounts whose names are in a field of a form, with commas or spaces between them. It leaves out the
// visitor, who owns the channel, of the members, and refuses to block them. Names without an account are an InvalidError
// on the field.
func (s *server) accounts(ctx context.Context, v visitor, form url.Values, field string) (found []domain.User, err error) {
	names := strings.FieldsFunc(form.Get(field), func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	if most := map[string]int{"add-member": storage.MaxMembers, "add-blocked": storage.MaxBlocked}[field]; len(names) > most {
		return nil, domain.Invalid(field, "has %d names: the list can have %d", len(names), most)
	}
	accounts := make([]domain.User, len(names))
	reads := make([]func(context.Context) error, len(names))
	for i, name := range names {
		reads[i] = func(ctx context.Context) error {
			person, err := domain.ParseUserName(name)
			if err == nil && person == v.User {
				accounts[i].Name = person
				return nil
			}
			if err == nil {
				accounts[i], err = s.store.Accounts.Get(ctx, person)
			}
			if isInvalid(err) || errors.Is(err, domain.ErrNotFound) || errors.Is(err, domain.ErrGone) {
				return nil // there is none
			}
			return err
		}
	}
	if err := s.store.Concurrently(ctx, reads...); err != nil {
		return nil, err
	}
	var missing []string
	for i, account := range accounts {
		switch {
		case account.Name == "":
			missing = append(missing, quoted(shown(names[i])))
		case account.Name == v.User && field == "add-blocked":
			return nil, domain.Invalid(field, "You own the channel, and cannot be blocked there")
		case account.Name != v.User:
			found = append(found, account)
		}
	}
	if len(missing) > 0 {
		return nil, domain.Invalid(field, "No account is called %s. People can be on the list once they have signed up", strings.Join(missing, " or "))
	}
	return found, nil
}

func tooManyMembers(n int) string {
	return fmt.Sprintf("A channel can have %d members, and this would make %d", storage.MaxMembers, n)
}

// A settingsForm is the form as it was sent.
type settingsForm struct {
	// base is what it was shown with, and wanted what is to be saved.
	base, wanted             settings
	addMembers, addBlocked   []domain.User
	dropMembers, dropBlocked []string
}

// change makes of a rule the one that the form wants. It leaves alone who is on a list and not shown.
func (f settingsForm) change(rule *domain.Posting) {
	rule.Posters = domain.Posters(f.wanted.Posters)
	rule.Members = changed(rule.Members, f.addMembers, f.dropMembers)
	rule.Blocked = changed(rule.Blocked, f.addBlocked, f.dropBlocked)
}

func changed(list, add []domain.User, drop []string) []domain.User {
	for _, name := range drop {
		list = domain.WithoutAccount(list, domain.UserName(name))
	}
	for _, account := range add {
		list = domain.WithAccount(list, account)
	}
	return list
}

// readSettings reads and checks the whole form. Its error has each field that is wrong.
func (s *server) readSettings(c echo.Context, v visitor, form url.Values) (f settingsForm, err error) {
	ctx := c.Request().Context()
	_ = templates.Unpack(form.Get("base"), f.base.fields()) // the caller has done so
	var posters domain.Posters
	var membersErr, blockedErr, postersErr, aboutErr error
	f.wanted.About, aboutErr = domain.ParseAbout(aboutOf(form))
	posters, postersErr = parsePosters(form.Get("posting"))
	f.addMembers, membersErr = s.accounts(ctx, v, form, "add-member")
	f.addBlocked, blockedErr = s.accounts(ctx, v, form, "add-blocked")
	f.dropMembers, f.dropBlocked = unticked(f.base.Members, form["member"]), unticked(f.base.Blocked, form["blocked"])
	f.wanted.Posters = string(posters)
	for _, err := range []error{membersErr, blockedErr} {
		if err != nil && !isInvalid(err) {
			return f, err
		}
	}
	return f, domain.JoinInvalid(aboutErr, postersErr, membersErr, blockedErr)
}

func isInvalid(err error) bool {
	_, is := errors.AsType[*domain.InvalidError](err)
	return is
}

// want completes what the form wants, from the rule as it is now.
func (f *settingsForm) want(now settings) {
	after := func(names string, add []domain.User, drop []string) string {
		var list []domain.User
		for name := range strings.FieldsSeq(names) {
			list = append(list, domain.User{Name: domain.UserName(name)})
		}
		return namesOf(changed(list, add, drop))
	}
	f.wanted.Members = after(now.Members, f.addMembers, f.dropMembers)
	f.wanted.Blocked = after(now.Blocked, f.addBlocked, f.dropBlocked)
}

// editChannel saves the settings. It writes nothing if a field is wrong, or if the settings are no longer those that the
// form was shown with and not those that it wants either.
func (s *server) editChannel(c echo.Context, v visitor, in domain.Channel, form url.Values) error {
	var base settings
	if !templates.Unpack(form.Get("base"), base.fields()) || base.Posters == "" { // as that of an older program
		return withoutVersion()
	}
	if err := hasTexts(form, in.Fields()); err != nil {
		return err
	}
	f, err := s.readSettings(c, v, form)
	if err != nil && !isInvalid(err) {
		return err
	}
	now, rule, readErr := s.settingsOf(c.Request().Context(), in)
	if readErr != nil {
		return readErr
	}
	f.want(now)
	if err == nil && now != f.base && now != f.wanted {
		err = domain.ErrConflict
	}
	saved := ""
	if err == nil {
		saved, err = s.saveSettings(c, v, in, f, rule)
	}
	if err == nil {
		return s.done(c, nil, strings.Join(append([]string{"settings"}, f.wanted.changed(f.base)...), "-"), templates.ChannelPath(in.Name))
	}
	return s.settingsAgain(c, v, in, form, f, err, saved)
}

func differ(a, b domain.Posting) bool {
	return a.Posters != b.Posters || namesOf(a.Members) != namesOf(b.Members) || namesOf(a.Blocked) != namesOf(b.Blocked)
}

// saveSettings writes the rule and then the row, each if the form changes it. If the second fails, it returns what of the
// form is saved.
func (s *server) saveSettings(c echo.Context, v visitor, in domain.Channel, f settingsForm, seen storage.PostingRule) (saved string, err error) {
	ctx := c.Request().Context()
	if err := s.takeText(c, v, textBytes(f.wanted.About.Fields())); err != nil {
		return "", err
	}
	if f.wanted.rules(f.base) {
		err := s.store.Posts.ChangeRule(ctx, in, v.User, func(rule *domain.Posting) error {
			before := *rule
			f.change(rule)
			if differ(before, seen.Posting) && differ(before, *rule) { // another change, and not this one, whose answer was lost
				return domain.ErrConflict
			}
			return nil
		})
		if err != nil {
			return "", err
		}
		saved = "Who may post is saved. The description is not. "
	}
	if f.wanted.About == f.base.About {
		return "", nil
	}
	_, err = s.store.Channels.Update(ctx, in.Ref(), v.User, func(about *domain.About) error {
		if *about != f.base.About && *about != f.wanted.About {
			return domain.ErrConflict
		}
		*about = f.wanted.About
		return nil
	})
	return saved, err
}

// settingsAgain shows the form again, with what was typed and chosen, and says why it was refused. After a conflict it
// has the version of the settings that are there now.
func (s *server) settingsAgain(c echo.Context, v visitor, in domain.Channel, form url.Values, f settingsForm, err error, saved string) error {
	refused, ok := formOf(err, "channel")
	if at := slices.IndexFunc(refused.Errors, func(e domain.FieldError) bool { return e.Field == "members" || e.Field == "user" }); at >= 0 {
		refused.Errors[at] = fieldOfList(refused.Errors[at])
	}
	conflict := errors.Is(err, domain.ErrConflict) && !replacedNow(err)
	if !ok && !conflict && saved == "" {
		return err
	}
	channel, readErr := s.store.Channels.Get(c.Request().Context(), in.Ref().Address())
	if readErr != nil {
		return readErr
	}
	now, _, readErr := s.settingsOf(c.Request().Context(), channel)
	if readErr != nil {
		return readErr
	}
	base := f.base
	switch {
	case conflict:
		if saved != "" { // by this form
			base = f.wanted
			base.About = f.base.About
		}
		refused, base = templates.Form{Message: cmp.Or(saved, "Nothing is saved yet. ") + savedMeanwhile(base, now) + "What you changed is below. Look at all of it, and save again."}, now
	case saved != "":
		refused, base = templates.Form{Message: saved + "Save all again."}, now
	case refused.Message == "":
		refused.Message = "Nothing is saved yet. Look at what is marked below. Your other changes are still in the form."
	}
	showTexts(form, in.Fields())
	in.About = aboutOf(form)
	if conflict { // what this form leaves as it was is shown as it is now
		if f.wanted.About == f.base.About {
			in.About = now.About
		}
		if f.wanted.Posters == f.base.Posters {
			form.Set("posting", now.Posters)
		}
	}
	posting := typedPosting(form, ticked(now.Members, f.dropMembers), ticked(now.Blocked, f.dropBlocked))
	if saved != "" {
		posting.AddMember, posting.AddBlocked = "", ""
	}
	page := templates.EditChannelPage(s.page(c, v), templates.EditChannel{Form: refused, Channel: in, Undo: s.Undo, Base: templates.Pack(base.fields()), Posting: posting})
	return again(c, err, page)
}

// fieldOfList is an error about a list, at the field for the names that were added.
func fieldOfList(e domain.FieldError) domain.FieldError {
	if e.Field == "user" {
		return domain.FieldError{Field: "add-blocked", Detail: "These accounts " + e.Detail}
	}
	return domain.FieldError{Field: "add-member", Detail: "There " + e.Detail}
}

// quoted is a text in quotation marks, if there is one.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	return "“" + text + "”"
}

// savedMeanwhile says what was saved since the form was opened.
func savedMeanwhile(base, saved settings) (message string) {
	before := base.fields()
	for i, field := range saved.fields() {
		if *field.Text == *before[i].Text {
			continue
		}
		name := map[string]string{"posting": "choice of who may post", "members": "list of members", "blocked": "list of blocked accounts"}[field.Name]
		text := *field.Text
		if field.Name == "posting" {
			text = templates.PostersWords(domain.Posters(text))
		}
		message += "Another " + cmp.Or(name, field.Name) + " was saved meanwhile: " + cmp.Or(quoted(text), "an empty one") + ". "
	}
	return message
}
