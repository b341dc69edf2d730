package web

import (
	"reflect"
	"testing"

	"microblogging/domain"
	"microblogging/templates"
)

func TestBasis(t *testing.T) {
	t.Run("without one of its parts has another tag", basisWithoutAPart)
}

// basisWithoutAPart takes out each field at any depth, so a field that is added counts too.
func basisWithoutAPart(t *testing.T) {
	whole := basis{
		build: build(), address: "/a", version: "v",
		page: templates.Page{Path: "/a", User: "ada", Notice: "Saved.", Origin: "http://x", Public: true, Lab: true},
		own: ownView{subscribed: true, voted: map[domain.BlogID]bool{"1": true}, mayNotPost: "No.", authorBlocked: true, version: "w", composer: templates.Composer{
			Draft:    templates.Draft{Form: templates.Form{Message: "No.", Errors: []domain.FieldError{{}}}, Draft: domain.Draft{Title: "t", Text: "t"}, Key: "k", First: true},
			Channels: []templates.Choice{{}}, Chosen: "c", Name: "n", Next: "/",
		}},
	}
	seen := map[string]string{whole.tag(): "the whole"}
	var without func(name string, part func(*basis) reflect.Value)
	without = func(name string, part func(*basis) reflect.Value) {
		less := whole
		v := part(&less)
		v = reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem() // which can be set though it is not exported
		switch {
		case v.Kind() == reflect.Func:
			return // Asset follows from the build, and a page with a CallPanel has no basis
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				without(name+"."+v.Type().Field(i).Name, func(b *basis) reflect.Value { return part(b).Field(i) })
			}
			return
		case v.IsZero():
			t.Errorf("the whole has no %s", name)
		}
		v.SetZero()
		if other, is := seen[less.tag()]; is {
			t.Errorf("without %s, the tag is that of %s", name, other)
		}
		seen[less.tag()] = name
	}
	without("basis", func(b *basis) reflect.Value { return reflect.ValueOf(b).Elem() })
	if len(seen) != 25 {
		t.Errorf("%d parts were taken out: %v", len(seen)-1, seen)
	}
}
