package templates

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"

	"microblogging/domain"
)

// A Form says why a form was refused. The zero value is a form that was not
// sent yet. The view models that embed it hold what was typed, so that a refused
// form comes back as it was. Only passwords are never sent back.
type Form struct {
	// Message is one sentence about the whole form. It may be empty.
	Message string
	// Errors say what is wrong with single fields.
	Errors []domain.FieldError
}

func (f Form) failed() bool { return f.Message != "" || len(f.Errors) > 0 }

// marked is a field with what is wrong with it. A password of a refused form is, because the page has it no more.
func (f Form) marked(in field) field {
	for i, e := range f.Errors {
		if e.Field == in.Name {
			in.Detail, in.First = e.Detail, i == 0
			if in.Allowed != "" {
				in.Value, in.Detail = in.Allowed, sentence(in.Label, in.Detail)+" The field now has a name that is allowed."
			}
			break
		}
	}
	if in.Type == "password" && in.Detail == "" && f.failed() {
		in.Detail = "Please type it again: passwords are not sent back to a page"
	}
	return in
}

// first reports whether the first error of the form is about the field.
func (f Form) first(field string) bool { return len(f.Errors) > 0 && f.Errors[0].Field == field }

// unplaced are the errors about fields that the form does not show, such as hidden
// ones. The page shows them above the form.
func (f Form) unplaced(shown []string) []domain.FieldError {
	return slices.DeleteFunc(slices.Clone(f.Errors), func(e domain.FieldError) bool { return slices.Contains(shown, e.Field) })
}

// message is the sentence above a refused form.
func (f Form) message() string {
	if f.Message != "" {
		return f.Message
	}
	return "The site has not saved this yet. Please fix what is marked below."
}

// A field is one control of a form with its label.
type field struct {
	Name  string
	Label string
	Value string
	// Hint says what may be typed.
	Hint string
	// Detail says what is wrong with the value; it is empty if nothing is. First says that it
	// is the first error of the form: the field gets the focus. The form sets both.
	Detail   string
	First    bool
	Required bool
	// Plain is set where a field that may be empty need not say so.
	Plain bool
	// ReadOnly is set for what is there to be copied.
	ReadOnly bool
	// Holder leads to what has the name, if the form is for a name that must be free. Allowed replaces a value that was
	// refused. Both may be empty.
	Holder, Allowed string
	// Limit is the greatest number of characters that is allowed. If empty, the page
	// does not count them.
	Limit string

	// For single lines only.
	Type         string
	Autocomplete string
	// MinLength is the smallest number of UTF-16 units, which is what browsers
	// count. It may be empty.
	MinLength string
	// Literal is set for names and passwords. It turns off the spell check and
	// automatic capitals.
	Literal bool

	// For text areas only.
	Rows string
	// Placeholder is shown in an empty control. It may be empty.
	Placeholder string
}

func (f field) hintID() string  { return f.Name + "-hint" }
func (f field) errorID() string { return f.Name + "-error" }

// describedBy has the ids of the control's error and hint.
func (f field) describedBy() string {
	var ids []string
	if f.Detail != "" {
		ids = append(ids, f.errorID())
	}
	if f.Hint != "" {
		ids = append(ids, f.hintID())
	}
	return strings.Join(ids, " ")
}

// Taken is what is wrong with a name that something has.
const Taken = "is taken"

// sentence joins a label and a detail to a sentence. A detail that begins with a capital letter or an "@" is one by itself.
func sentence(label, detail string) string {
	s := label + " " + detail
	if r, _ := utf8.DecodeRuneInString(detail); r == '@' || unicode.IsUpper(r) {
		s = detail
	}
	if detail == "is wrong" { // a password
		s = "That is not your " + strings.ToLower(label)
	}
	first, size := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(first)) + s[size:]
	if strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

// state has the attributes that depend on the state of the control. Their order is
// fixed, so that a page that is rendered twice has the same bytes.
func (f field) state() templ.OrderedAttributes {
	var attributes templ.OrderedAttributes
	if by := f.describedBy(); by != "" {
		attributes = append(attributes, templ.KV[string, any]("aria-describedby", by))
	}
	if f.Placeholder != "" {
		attributes = append(attributes, templ.KV[string, any]("placeholder", f.Placeholder))
	}
	if f.Limit != "" {
		attributes = append(attributes, templ.KV[string, any]("data-limit", f.Limit))
	}
	if f.Detail != "" {
		attributes = append(attributes, templ.KV[string, any]("aria-invalid", "true"))
	}
	return append(attributes,
		templ.KV[string, any]("autofocus", f.First), templ.KV[string, any]("readonly", f.ReadOnly),
		templ.KV[string, any]("required", f.Required))
}

// title is the document's title. It begins with "Error" if the form was refused,
// because screen readers read the title first.
func (f Form) title(s string) string {
	if f.failed() {
		return "Error: " + s
	}
	return s
}

// draftScripts are what a page with a form for text needs.
var draftScripts = []string{"draft.js"}

// draftEndScript removes the drafts that a form has ended. It must see the answer to that
// form.
const draftEndScript = "draft_end.js"

// draft is the attribute data-draft of a form for text, which static/draft.js keeps in
// the tab. It reports whether the fields hold what was sent, which is then the draft.
func (f Form) draft() string {
	if f.failed() {
		return "sent"
	}
	return ""
}
