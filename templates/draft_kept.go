package templates

import (
	"cmp"
	"html"

	"microblogging/domain"
)

// Refused says what became of a draft for a channel that is being deleted, or is gone.
func (k DraftKind) Refused() string {
	if k == PostDraft || k == ReplyDraft {
		return "Your " + k.words().what + " was refused."
	}
	return "Your changes were refused."
}

// draftText are what a page says of a kind of draft.
type draftText struct{ what, origin, undone, send string }

func (k DraftKind) words() draftText {
	return [...]draftText{
		PostDraft:        {"post", "was written for", "was not sent", "Post"},
		EditDraft:        {"changes", "were made to a post of", "were not saved", "Save"},
		DescriptionDraft: {"settings", "were made for", "were not saved", "Save all"},
		ChannelDraft:     {"channel", "was meant for", "was not created", "Create channel"},
		ReplyDraft:       {"reply", "was written for", "was not sent", "Reply"},
	}[k]
}

// Unsent says what was not done.
func (k DraftKind) Unsent() string { return "Your " + k.words().what + " " + k.words().undone }

// Replaced says why it was not done: another channel has the name now.
func (k DraftKind) Replaced() string {
	w := k.words()
	return "A new channel has this name now. Your " + w.what + " " + w.origin + " the old one and " + w.undone + "."
}

// A KeptDraft is what was typed into a form that was refused. If it can be sent, its
// form posts it to the path where it was refused.
type KeptDraft struct {
	Kind   DraftKind
	Action string
	// Values are what was typed, by the names of the kind's fields.
	Values map[string]string
	// Cut reports whether a value is only the beginning of what was typed, because it is longer than a text may be.
	Cut bool
	// Rest are the other fields of the form, such as its idempotency key.
	Rest []Hidden
	// User is the author for whom the form was shown.
	User domain.UserName
	// Other is who wrote it, if that is not the reader. It is empty otherwise.
	Other string
	// Send reports whether sending it again may help. If not, it is there to be copied.
	Send bool
	// Elsewhere reports whether its author may not post to the channel, and can choose another one for the text.
	Elsewhere bool
	// SignIn reports whether its author must sign in first.
	SignIn bool
}

// Bytes is how many bytes the values take in a page.
func (v KeptDraft) Bytes() (n int64) {
	for _, value := range v.Values {
		n += int64(len(html.EscapeString(value)))
	}
	for _, h := range v.Rest {
		n += int64(len(html.EscapeString(h.Value)))
	}
	return n
}

func (v KeptDraft) heading() string { return "What " + cmp.Or(v.Other, "you") + " wrote" }

// A Hidden is an invisible field of a form.
type Hidden struct{ Name, Value string }

// inputs are the visible fields in their order.
func (v KeptDraft) inputs() []field {
	inputs := v.Kind.fields(v.Values, "10")
	for i := range inputs {
		if f := &inputs[i]; !v.Send {
			f.ReadOnly, f.Hint, f.Limit = true, "", ""
		}
	}
	return inputs
}
