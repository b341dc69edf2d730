package templates

// A SignUp is the form that makes an account. It posts name, password and next
// to [SignUpPath].
type SignUp struct {
	Form
	Name string
	// Next is the path to go to afterwards; empty for home.
	Next string
}

// A SignIn is the form that starts a session. It posts name, password and next
// to [SignInPath].
type SignIn struct {
	Form
	Name string
	// Next is the path to go to afterwards; empty for home.
	Next string
}

// An Account is where someone signed in changes the password, which posts
// action=password, old and new to [AccountPath], and ends all sessions, which
// posts action=end-sessions.
type Account struct {
	Form
}
