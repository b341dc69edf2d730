package domain

import "slices"

// Operators are the users who may act for the site. A flag of the program names them.
type Operators []UserName

// Has reports whether a user is one of them.
func (o Operators) Has(user UserName) bool { return slices.Contains(o, user) }

// An Actor is a user who asks for an act.
type Actor struct {
	User UserName
	// Operator reports whether the user may act for the site.
	Operator bool
}

// By is a user who acts for themselves alone.
func By(user UserName) Actor { return Actor{User: user} }

// CommandLine is the name under which an operator acts who has the store and not an account. No account
// can have the name, because it contains a space.
const CommandLine UserName = "command line"

// An Act is what only some users may do.
type Act uint8

// The acts that are not open to every user. Who may post in a channel is for its posting rule to say.
const (
	// EditPost is to edit a post.
	EditPost Act = iota
	// RemovePost is to delete a post.
	RemovePost
	// ManageChannel is to change what a channel says, who may post there, and who is blocked.
	ManageChannel
	// DeleteChannel is to delete a channel. Who has asked for it may undo it, and each operator if one has.
	DeleteChannel
	// DeleteAccount is the same of an account. Its user needs the password.
	DeleteAccount
	// LinkToPassword is to make a link that sets the password of an account.
	LinkToPassword
	// OperateSite is to list accounts, to make invitations, and to read what waits for an operator.
	OperateSite
	acts
)

// A permission says who may do something. Author is of the post, or of the account that it is about.
type permission struct{ Author, Owner, Operator bool }

// permissions is who may do what. Pages and the API ask it, and operations of the store that operators have too. An
// operation that only one user has compares the names.
var permissions = [acts]permission{
	EditPost:       {Author: true},
	RemovePost:     {Author: true, Owner: true, Operator: true},
	ManageChannel:  {Owner: true},
	DeleteChannel:  {Owner: true, Operator: true},
	DeleteAccount:  {Author: true, Operator: true},
	LinkToPassword: {Operator: true},
	OperateSite:    {Operator: true},
}

// An Object is what an act is about. What does not apply is empty.
type Object struct {
	// Author wrote the post, or has the account.
	Author UserName
	// Owner has the channel.
	Owner UserName
}

// May reports whether the actor may do that to an object.
func (a Actor) May(do Act, object Object) bool {
	return a.mayOwn(do, object) || a.ByOperator(do, object) != ""
}

func (a Actor) mayOwn(do Act, object Object) bool {
	may := permissions[do]
	return a.User != "" && (may.Author && a.User == object.Author || may.Owner && a.User == object.Owner)
}

// ByOperator is the actor's name if they may do that only because they act for the site, and empty otherwise.
func (a Actor) ByOperator(do Act, object Object) UserName {
	if a.Operator && permissions[do].Operator && !a.mayOwn(do, object) {
		return a.User
	}
	return ""
}
