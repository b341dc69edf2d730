package templates

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"
)

// A Form is what became of a form that was sent. Its zero value is a form that
// nobody has sent yet. The view models that embed it keep what was typed, so
// that a refused form comes back as it was; passwords alone are never sent back.
type Form struct {
	// Message is one sentence about the form as a whole; empty for none.
	Message string
	// Errors say what is wrong with single fields, by the names of the fields.
	Errors []FieldError
}

// FieldError says what is wrong with one field. The detail follows the field's
// label to make a sentence, as in "must not be blank".
type FieldError struct {
	Field  string
	Detail string
}

func (f Form) failed() bool { return f.Message != "" || len(f.Errors) > 0 }

// detail is what is wrong with the field, empty if nothing is.
func (f Form) detail(field string) string {
	for _, e := range f.Errors {
		if e.Field == field {
			return e.Detail
		}
	}
	return ""
}

// unplaced are the errors about none of the fields that the form shows. They
// are about hidden fields, and would be lost if they were not shown on top.
func (f Form) unplaced(shown []string) []FieldError {
	var rest []FieldError
next:
	for _, e := range f.Errors {
		for _, name := range shown {
			if e.Field == name {
				continue next
			}
		}
		rest = append(rest, e)
	}
	return rest
}

// message is the sentence on top of a refused form.
func (f Form) message() string {
	if f.Message != "" {
		return f.Message
	}
	return "Nothing was saved yet. Please fix what is marked below."
}

// A field is one labelled control of a form.
type field struct {
	Name  string
	Label string
	Value string
	// Hint says what is allowed before anything is typed.
	Hint string
	// Detail is what is wrong with the value; empty if nothing is.
	Detail   string
	Required bool
	// Limit is the most characters that are allowed; 0 if nobody need count.
	Limit string

	// Of single lines only.
	Type         string
	Autocomplete string
	// MinLength is the least number of UTF-16 units, as browsers count; empty
	// for none.
	MinLength string
	// Offers are completions; what is typed need not be one of them.
	Offers []string
	// Literal values are names and passwords: no spell check, no capitals.
	Literal bool

	// Of text areas only.
	Rows string
}

func (f field) hintID() string  { return f.Name + "-hint" }
func (f field) errorID() string { return f.Name + "-error" }
func (f field) listID() string  { return f.Name + "-list" }

// describedBy ties the control to its hint and its error.
func (f field) describedBy() string {
	switch {
	case f.Hint != "" && f.Detail != "":
		return f.errorID() + " " + f.hintID()
	case f.Detail != "":
		return f.errorID()
	case f.Hint != "":
		return f.hintID()
	}
	return ""
}

// sentence makes one of a label and a detail.
func sentence(label, detail string) string {
	s := label + " " + detail
	first, size := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(first)) + s[size:]
	if strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

// state are the attributes that tie a control to its hint and its error. Their
// order is fixed, so that a page rendered twice is the same page.
func (f field) state() templ.OrderedAttributes {
	var attributes templ.OrderedAttributes
	if by := f.describedBy(); by != "" {
		attributes = append(attributes, templ.KV[string, any]("aria-describedby", by))
	}
	if f.Detail != "" {
		attributes = append(attributes, templ.KV[string, any]("aria-invalid", "true"))
	}
	if f.Limit != "" {
		attributes = append(attributes, templ.KV[string, any]("data-limit", f.Limit))
	}
	if f.Required {
		attributes = append(attributes, templ.KV[string, any]("required", true))
	}
	return attributes
}

// title is the document's title with the form's fate in front, which is the
// first thing that a screen reader says.
func (f Form) title(s string) string {
	if f.failed() {
		return "Error: " + s
	}
	return s
}

func titleField(f Form, value string) field {
	return field{
		Name: "title", Label: "Title", Value: value, Detail: f.detail("title"), Type: "text",
		Autocomplete: "off", Limit: "120",
	}
}

func textField(f Form, value, rows string) field {
	return field{
		Name: "text", Label: "Text", Value: value, Detail: f.detail("text"), Rows: rows,
		Required: true, Limit: "5000",
	}
}

func descriptionField(f Form, value string) field {
	return field{
		Name: "description", Label: "Description", Value: value, Detail: f.detail("description"), Rows: "4",
		Hint: "What belongs here. Up to 500 characters.", Limit: "500",
	}
}
