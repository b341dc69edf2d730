package domain

// A Field is one field of what a person writes: of an [About] or of a [Draft]. Forms, drafts, edits that
// meet, the bodies of the API, the hash of a request with an idempotency key, the row and its check range
// over the fields.
//
// A field is a text. A number, a choice, or a yes or no is one too, whose parse accepts only its words: so
// pages, programs and rows have the same word for it.
//
// To add one, add it to the struct and to its Fields, as the last. Then
// go test ./domain ./web ./templates ./cmd/microblogging/... -run 'TestF|TestOpenAPI|TestRoutes/take|TestEntry'
// says where it is still missing: in a page, a form, a feed, the export, the import, openapi.json or a
// seed of a route. No test sees sentences about a channel or a post, nor what a schema of openapi.json requires.
type Field struct {
	// Name is what JSON, forms and errors call it.
	Name string
	Text *string
	// Required reports whether a body of the API must hold it.
	Required bool
	// Lines reports whether it has many lines. Two edits of it are merged word by word. Two edits of
	// another field are two values, of which the author chooses one.
	Lines bool
	parse func(string) (string, error)
}

// parseFieldTexts checks and trims texts. The error is an InvalidError on the names of fields.
func parseFieldTexts(fields []Field) error {
	var wrong []error
	for _, field := range fields {
		parsed, err := field.parse(*field.Text)
		*field.Text = parsed
		wrong = append(wrong, err)
	}
	return JoinInvalid(wrong...)
}

// Texts are the first text, and the others up to the last that is not empty. So a hash of them
// stays what it was when a field is added to the program.
func Texts(fields []Field) []string {
	var texts []string
	filled := 1
	for i, field := range fields {
		texts = append(texts, *field.Text)
		if *field.Text != "" {
			filled = i + 1
		}
	}
	return texts[:filled]
}

// An About is what a channel's owner says about it, and may change.
type About struct {
	Description string `json:"description"`
}

// Fields are the fields, to be read and written.
func (a *About) Fields() []Field {
	return []Field{{Name: "description", Text: &a.Description, Lines: true, parse: ParseDescription}}
}

// ParseAbout checks and trims what an owner says about a channel. The error is an InvalidError
// on the names of its fields.
func ParseAbout(a About) (About, error) {
	if err := parseFieldTexts(a.Fields()); err != nil {
		return About{}, err
	}
	return a, nil
}

// A Draft is what an author writes: the part of a post that an edit replaces.
type Draft struct {
	Title string `json:"title"`
	Text  string `json:"text"`
}

// Fields are the fields, to be read and written.
func (d *Draft) Fields() []Field {
	return []Field{
		{Name: "title", Text: &d.Title, parse: ParseTitle},
		{Name: "text", Text: &d.Text, Required: true, Lines: true, parse: ParseText},
	}
}

// ParseDraft checks and trims what an author wrote. The error is an InvalidError on the names
// of its fields.
func ParseDraft(d Draft) (Draft, error) {
	if err := parseFieldTexts(d.Fields()); err != nil {
		return Draft{}, err
	}
	return d, nil
}
