package templates

import (
	"cmp"

	"microblogging/domain"
)

// Refused says what became of a draft for a channel that is being deleted, and why.
func (k DraftKind) Refused() string {
	if k == PostDraft {
		return "Your post was refused, so it is not an orphan: a row that outlives its channel."
	}
	return "Your changes were refused: nothing of a channel may outlive it."
}

// Unsent says what was not done.
func (k DraftKind) Unsent() string {
	what, undone := k.words()
	return "Your " + what + " " + undone
}

// Replaced says why it was not done: another channel has the name now.
func (k DraftKind) Replaced() string {
	what, undone := k.words()
	if k == EditDraft {
		what += " were made to a post of the old one"
	} else {
		what += " was written for the old one"
	}
	return "A new channel has this name now. Your " + what + " and " + undone + "."
}

func (k DraftKind) words() (what, undone string) {
	switch k {
	case PostDraft:
		return "post", "was not sent"
	case DescriptionDraft:
		return "description", "was not saved"
	}
	return "changes", "were not saved"
}

// button is the label of the button that sends the draft, after signing in if there
// is need to.
func (k DraftKind) button(signIn bool) string {
	if signIn {
		return [...]string{"Sign in and publish", "Sign in and save", "Sign in and save", "Sign in and create"}[k]
	}
	return [...]string{"Post", "Save", "Save", "Create channel"}[k]
}

// A KeptDraft is what was typed into a form that was refused. If it can be sent, its
// form posts it to the path where it was refused, and if the author has to sign in for
// it, also sign-in-name and sign-in-password.
type KeptDraft struct {
	Form
	Kind   DraftKind
	Action string
	// Values are what was typed, by the names of the kind's fields.
	Values map[string]string
	// Rest are the other fields of the form, such as its idempotency key.
	Rest []Hidden
	// User is the author for whom the form was shown.
	User domain.UserName
	// Other is who wrote it, if that is not the reader. It is empty otherwise.
	Other string
	// Send says that sending it again may help. If not, it is there to be copied.
	Send bool
	// SignIn says that the form has fields for Name and a password.
	SignIn bool
	Name   string
}

func (v KeptDraft) heading() string { return "What " + cmp.Or(v.Other, "you") + " wrote" }

// A Hidden is a field of a form that nobody sees.
type Hidden struct{ Name, Value string }

// inputs are the visible fields in their order.
func (v KeptDraft) inputs() []field {
	inputs := v.Kind.fields(v.Values)
	for i := range inputs {
		if f := &inputs[i]; !v.Send {
			f.ReadOnly, f.Hint, f.Limit = true, "", ""
		}
	}
	return inputs
}
