package domain_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"microblogging/domain"
)

func TestFields(t *testing.T) {
	about, draft := &domain.About{}, &domain.Draft{}
	for _, c := range []struct {
		of     any
		fields []domain.Field
		parse  func() error
	}{
		{about, about.Fields(), func() (err error) { *about, err = domain.ParseAbout(*about); return err }},
		{draft, draft.Fields(), func() (err error) { *draft, err = domain.ParseDraft(*draft); return err }},
	} {
		value := reflect.ValueOf(c.of).Elem()
		for i := range value.NumField() {
			if of := value.Type().Field(i); of.Type.Kind() != reflect.String || i >= len(c.fields) {
				t.Fatalf("%s.%s is a %s, and Fields returns %d fields: make it a string whose parse accepts only its words, and add it as the last",
					value.Type(), of.Name, of.Type, len(c.fields))
			}
		}
		for i, field := range c.fields {
			of := value.Type().Field(i)
			if of.Tag.Get("json") != field.Name || value.Field(i).Addr().Interface() != field.Text {
				t.Errorf("Fields returns %s for the field %s", field.Name, of.Name)
			}
			*field.Text = strings.ToLower(field.Name)
		}
		if texts, err := domain.Texts(c.fields), c.parse(); err != nil || len(texts) != len(c.fields) {
			t.Errorf("%s has the texts %q, %v: set a text above that each field accepts", value.Type(), texts, err)
		}
		of := reflect.ValueOf(value.Interface())
		for _, field := range c.fields {
			*field.Text += "\n" + *field.Text
			if err := c.parse(); (err == nil) != field.Lines {
				t.Errorf("%s of two lines: %v, and Lines is %v", field.Name, err, field.Lines)
			}
			value.Set(of) // a draft that is refused is empty
		}
		for _, field := range c.fields {
			*field.Text = "\x00"
		}
		if invalid, ok := errors.AsType[*domain.InvalidError](c.parse()); !ok || len(invalid.Fields) != len(c.fields) {
			t.Errorf("%s: %v, want an error of each field", value.Type(), invalid)
		}
	}
}
