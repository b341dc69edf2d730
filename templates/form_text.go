package templates

import (
	"encoding/json"

	"microblogging/domain"
)

// A DraftKind is one of the forms that take text. Whatever refuses the text, the
// answer shows it again.
type DraftKind int

const (
	// PostDraft is a new post.
	PostDraft DraftKind = iota
	// EditDraft is a change of a post.
	EditDraft
	// DescriptionDraft is a change of what is said about a channel.
	DescriptionDraft
	// ChannelDraft is a new channel.
	ChannelDraft
	// ReplyDraft is a reply to a post.
	ReplyDraft
)

// Fields are the names of the fields that a person types into.
func (k DraftKind) Fields() []string {
	var names []string
	fields := new(domain.About).Fields()
	switch k {
	case PostDraft, EditDraft:
		fields = new(domain.Draft).Fields()
	case ChannelDraft:
		names = append(names, "name")
	case ReplyDraft:
		return []string{"text"}
	}
	for _, field := range fields {
		names = append(names, field.Name)
	}
	return names
}

// fields are these fields, in their order, with what was typed. A text has so many rows.
func (k DraftKind) fields(values map[string]string, rows string) []field {
	var fields []field
	for _, name := range k.Fields() {
		f := controls()[name]
		f.Name, f.Value = name, values[name]
		if name == "text" {
			f.Rows = rows
		}
		fields = append(fields, f)
	}
	return fields
}

// controls are the controls of the fields, by name.
func controls() map[string]field {
	return map[string]field{
		"name": {
			Label: "Name", Type: "text", Required: true, Literal: true, Autocomplete: "off",
			Hint: "Up to 64 letters and digits, with single “-”, “_” or “.” between them. The name cannot be changed later.",
		},
		"description": {Label: "Description", Rows: "4", Limit: "500", Hint: "What belongs here. Up to 500 characters."},
		"title":       {Label: "Title", Type: "text", Autocomplete: "off", Limit: "120"},
		"text":        {Label: "Text", Required: true, Limit: "5000"},
	}
}

// draftFields are the fields of a form for a post.
func draftFields(d domain.Draft, rows string) []field {
	return EditDraft.fields(typed(d.Fields()), rows)
}

// fields are those of the form for a new post, which has no room for labels of the title and the text.
func (d Draft) fields() (title, text field, others []field) {
	fields := draftFields(d.Draft, "3")
	fields[0].Placeholder, fields[1].Placeholder = "+ Title", "What is new?"
	return d.marked(fields[0]), d.marked(fields[1]), fields[2:]
}

// channelFields are the fields of a form for a channel.
func channelFields(k DraftKind, c domain.Channel) []field {
	values := typed(c.Fields())
	values["name"] = string(c.Name)
	return k.fields(values, "")
}

// Pack writes fields as one text, which a form sends along: what the form was made from. The store keeps only the
// present version.
func Pack(fields []domain.Field) string {
	packed, _ := json.Marshal(domain.Texts(fields)) // texts cannot fail
	return string(packed)
}

// Unpack is the inverse of Pack. It reports false if the text does not hold fields: a form can send any text. A
// program without the last fields may have packed it.
func Unpack(text string, fields []domain.Field) bool {
	var packed []string
	if json.Unmarshal([]byte(text), &packed) != nil || len(packed) > len(fields) {
		return false
	}
	for i, text := range packed {
		*fields[i].Text = text
	}
	return len(packed) > 0
}

func typed(fields []domain.Field) map[string]string {
	values := map[string]string{}
	for _, field := range fields {
		values[field.Name] = *field.Text
	}
	return values
}
