package templates

import (
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"microblogging/domain"
)

// A SignUp is the form that creates an account. It posts name, password and next
// to [SignUpPath].
type SignUp struct {
	Form
	Name string
	// Next is the path to go to afterwards. If empty, it is home.
	Next string
	// Begun is done then. The form posts it as then.
	Begun Begun
	// Key is the idempotency key: a form that is sent twice makes one account.
	Key string
	// Invitation is the secret of an invitation; empty without one. Until is when it ends, if that is known.
	Invitation string
	Until      time.Time
}

// underscored is a refused name without accents, and with "_" for all that is not allowed between two words, if that is
// a name. It is empty if a letter would be lost.
func underscored(typed string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(typed))
	words := strings.FieldsFunc(plain, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	name, err := domain.ParseUserName(strings.Join(words, "_"))
	if _, refused := domain.ParseUserName(typed); refused == nil || err != nil {
		return ""
	}
	return string(name)
}

// heading says what the form is for.
func (v SignUp) heading() string {
	if v.Invitation != "" {
		return "You are invited"
	}
	return "Sign up"
}

// A NoSignUp says why a visitor cannot sign up, and whom to ask.
type NoSignUp struct {
	// Over reports whether an invitation does not work any more. Otherwise the site takes no sign-up, or
	// none without an invitation.
	Over bool
}

func (v NoSignUp) heading(site Site) string {
	switch {
	case v.Over:
		return "This invitation does not work any more"
	case site.Registration == domain.RegistrationInvited:
		return "Sign-up is by invitation"
	}
	return "Sign-up is closed"
}

func (v NoSignUp) why(site Site) string {
	switch {
	case v.Over:
		return "It was used, it is too old, or it was taken back. If you made your account with it, sign in."
	case site.Registration == domain.RegistrationInvited:
		return "An invitation is a link that makes one account on " + site.Title() + "."
	}
	return site.Title() + " makes no new accounts at the moment, also not with an invitation."
}

// ask begins the sentence that says whom to ask.
func (v NoSignUp) ask(site Site) string {
	if v.Over || site.Registration == domain.RegistrationInvited {
		return "For an invitation, ask"
	}
	return "If you have questions, ask"
}

// A SignIn is the form that starts a session. It posts name, password and next
// to [SignInPath].
type SignIn struct {
	Form
	Name string
	// Next is the path to go to afterwards. If empty, it is home.
	Next string
	// Begun is done then. The form posts it as then.
	Begun Begun
}

// why says what signing in is for, if the reader is on the way to somewhere.
func (v SignIn) why() string {
	if path, _, _ := strings.Cut(v.Next, "?"); path == NewChannelPath {
		return "A channel belongs to the user who creates it, so sign in first. The form for the new channel comes next."
	}
	return ""
}

// passwordHint says what a new password may be.
const passwordHint = "At least 10 characters. A few words in a row do well."

// A Reset is the form that sets a new password with the token of a link. It posts token and
// password to [ResetPath].
type Reset struct {
	Form
	// For is whose password it sets.
	For   domain.UserName
	Token string
}

// An Account is the page of one's own account. It has two forms, which post to
// [AccountPath]: action=password, old and new changes the password;
// action=end-sessions ends all sessions.
type Account struct {
	Form
	// Ends is when the account will be deleted. It is zero unless the reader has asked for that.
	Ends time.Time
	// Undo is how long the reader can undo it.
	Undo time.Duration
	// ResetBy made the link with which the password was last set, on ResetOn. It is empty if the reader has set it.
	ResetBy domain.UserName
	ResetOn time.Time
}

// A User is the public page of a user, at [UserPath].
type User struct {
	domain.User
	// Owns reports whether the page shows the channels that the user owns, and not their posts.
	Owns bool
	// Posts are newest first.
	Posts    []Post
	Channels []domain.Channel
	Part
}

func (v User) path() string {
	if v.Owns {
		return UserChannelsPath(v.Name)
	}
	return UserPath(v.Name)
}

func (v User) frame(page Page) Frame {
	name, what := "@"+string(v.Name), "posts"
	if v.Owns {
		what = "channels"
	}
	return Frame{
		Title: name, About: name + " writes here since " + dateOf(v.CreatedOn) + ". These are their " + what + ".",
		Path: continued(v.path(), v.After), Scripts: listScripts(page),
	}
}

// dateOf is the day of an instant in words, in UTC.
func dateOf(t time.Time) string { return t.UTC().Format(dayLayout) }
