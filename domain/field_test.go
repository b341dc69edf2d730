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
		if value.NumField() != len(c.fields) {
			t.Fatalf("the type %s has %d fields, and its Fields returns %d", value.Type(), value.NumField(), len(c.fields))
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
		for _, field := range c.fields {
			*field.Text = "\x00"
		}
		if invalid, ok := errors.AsType[*domain.InvalidError](c.parse()); !ok || len(invalid.Fields) != len(c.fields) {
			t.Errorf("%s: %v, want an error of each field", value.Type(), invalid)
		}
	}
}
