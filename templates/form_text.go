package templates

import "microblogging/domain"

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
)

// Fields are the names of the fields that a person types into.
func (k DraftKind) Fields() []string {
	var names []string
	words := new(domain.About).Words()
	switch k {
	case PostDraft, EditDraft:
		words = new(domain.Draft).Words()
	case ChannelDraft:
		names = append(names, "name")
	}
	for _, word := range words {
		names = append(names, word.Name)
	}
	return names
}

// fields are these fields, in their order, with what was typed.
func (k DraftKind) fields(values map[string]string) []field {
	all := map[string]field{
		"name":        nameField(values["name"]),
		"description": descriptionField(values["description"]),
		"title":       titleField(values["title"]),
		"text":        textField(values["text"], "10"),
	}
	var fields []field
	for _, name := range k.Fields() {
		fields = append(fields, all[name])
	}
	return fields
}

// channelFields are the fields of a form for a channel.
func channelFields(k DraftKind, c domain.Channel) []field {
	values := map[string]string{"name": string(c.Name)}
	for _, word := range c.Words() {
		values[word.Name] = *word.Text
	}
	return k.fields(values)
}

func nameField(value string) field {
	return field{
		Name: "name", Label: "Name", Value: value, Type: "text",
		Hint:     "Up to 64 letters and digits, with single “-”, “_” or “.” between them.",
		Required: true, Literal: true, Autocomplete: "off",
	}
}

func titleField(value string) field {
	return field{
		Name: "title", Label: "Title", Value: value, Type: "text",
		Autocomplete: "off", Limit: "120",
	}
}

func textField(value, rows string) field {
	return field{
		Name: "text", Label: "Text", Value: value, Rows: rows,
		Required: true, Limit: "5000",
	}
}

func descriptionField(value string) field {
	return field{
		Name: "description", Label: "Description", Value: value, Rows: "4",
		Hint: "What belongs here. Up to 500 characters.", Limit: "500",
	}
}
