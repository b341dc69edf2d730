package domain

import "slices"

// Operators are the users who may act for the site. Whoever starts the program names them.
type Operators []UserName

// Has reports whether a user is one of them.
func (o Operators) Has(user UserName) bool { return slices.Contains(o, user) }

// An Actor is a user who asks for an act.
type Actor struct {
	User UserName
	// Operator reports whether the user may act for the site.
	Operator bool
}

// An Act is what only some users may do.
type Act string

// The acts that are not open to every user. Who may post in a channel is for its posting rule to say.
const (
	EditPost       Act = "edit a post"
	RemovePost     Act = "remove a post"
	ManageChannel  Act = "change a channel: its settings, who may post, who is blocked"
	DeleteChannel  Act = "delete a channel, and undo that"
	DeleteAccount  Act = "delete an account, and undo that"
	LinkToPassword Act = "make a link that sets the password of an account"
	OperateSite    Act = "list accounts, make invitations, and read what waits for an operator"
)

// A permission says who may do something. Author is of the post, or of the account that it is about.
type permission struct{ Author, Owner, Operator bool }

// permissions is who may do what. Pages, the API and the operations of the store ask it, and no other
// code decides.
var permissions = map[Act]permission{
	EditPost:       {Author: true},
	RemovePost:     {Author: true, Owner: true, Operator: true},
	ManageChannel:  {Owner: true},
	DeleteChannel:  {Owner: true, Operator: true},
	DeleteAccount:  {Author: true, Operator: true},
	LinkToPassword: {Operator: true},
	OperateSite:    {Operator: true},
}

// Acts returns each act that only some users may do.
func Acts() []Act {
	return []Act{EditPost, RemovePost, ManageChannel, DeleteChannel, DeleteAccount, LinkToPassword, OperateSite}
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
