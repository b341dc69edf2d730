package domain_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"microblogging/domain"
)

func TestWords(t *testing.T) {
	about, draft := &domain.About{}, &domain.Draft{}
	for _, c := range []struct {
		of    any
		words []domain.Word
		parse func() error
	}{
		{about, about.Words(), func() (err error) { *about, err = domain.ParseAbout(*about); return err }},
		{draft, draft.Words(), func() (err error) { *draft, err = domain.ParseDraft(*draft); return err }},
	} {
		fields := reflect.ValueOf(c.of).Elem()
		if fields.NumField() != len(c.words) {
			t.Fatalf("%s has %d fields, and %d words", fields.Type(), fields.NumField(), len(c.words))
		}
		for i, word := range c.words {
			field := fields.Type().Field(i)
			if field.Tag.Get("json") != word.Name || fields.Field(i).Addr().Interface() != word.Text {
				t.Errorf("the word %s does not stand for the field %s", word.Name, field.Name)
			}
			*word.Text = strings.ToLower(field.Name)
		}
		if texts := domain.Texts(c.words); c.parse() != nil || len(texts) != len(c.words) {
			t.Errorf("%s has the texts %q", fields.Type(), texts)
		}
		for _, word := range c.words {
			*word.Text = "\x00"
		}
		if invalid, ok := errors.AsType[*domain.InvalidError](c.parse()); !ok || len(invalid.Fields) != len(c.words) {
			t.Errorf("%s: %v, want an error of each word", fields.Type(), invalid)
		}
	}
}
