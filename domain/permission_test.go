package domain

import (
	"slices"
	"testing"
)

func TestPermission(t *testing.T) {
	author, owner, stranger := UserName("ada"), UserName("bob"), UserName("eve")
	object := Object{Author: author, Owner: owner}
	t.Run("each act has a line of the table, and no other has", func(t *testing.T) {
		if acts := Acts(); len(acts) != len(permissions) {
			t.Errorf("%d acts have %d lines", len(acts), len(permissions))
		}
		for _, act := range Acts() {
			if may := permissions[act]; may == (permission{}) {
				t.Errorf("nobody may %s", act)
			}
		}
	})
	t.Run("nobody may do more than the line of an act says", func(t *testing.T) {
		for _, act := range Acts() {
			line := permissions[act]
			for _, c := range []struct {
				by   Actor
				want bool
			}{
				{Actor{User: author}, line.Author},
				{Actor{User: owner}, line.Owner},
				{Actor{User: stranger}, false},
				{Actor{}, false},
				{Actor{User: stranger, Operator: true}, line.Operator},
				{Actor{User: owner, Operator: true}, line.Owner || line.Operator},
			} {
				if c.by.May(act, object) != c.want {
					t.Errorf("%+v may %s: %t", c.by, act, !c.want)
				}
			}
		}
		if (Actor{}).May(RemovePost, Object{}) {
			t.Error("who is not signed in may remove the post of nobody")
		}
	})
	t.Run("who may do it as its author or owner does not do it as an operator", func(t *testing.T) {
		for _, by := range []UserName{author, owner} {
			if name := (Actor{by, true}).ByOperator(RemovePost, object); name != "" {
				t.Errorf("%s removes the post as the operator %s", by, name)
			}
		}
		if name := (Actor{stranger, true}).ByOperator(RemovePost, object); name != stranger {
			t.Errorf("an operator removes a post as %q", name)
		}
	})
	t.Run("who is no operator is not among them", func(t *testing.T) {
		if operators := (Operators{author}); !operators.Has(author) || operators.Has(owner) || slices.ContainsFunc(Acts(), func(a Act) bool { return a == "" }) {
			t.Errorf("%v", operators)
		}
	})
}
