package domain

import "testing"

func TestPermission(t *testing.T) {
	author, owner, outsider := UserName("ada"), UserName("bob"), UserName("eve")
	object := Object{Author: author, Owner: owner}
	t.Run("each act has a line of the table", func(t *testing.T) {
		for act, may := range permissions {
			if may == (permission{}) {
				t.Errorf("no user may do act %d", act)
			}
		}
	})
	t.Run("no user may do more than the line of an act says", func(t *testing.T) {
		for act := range acts {
			line := permissions[act]
			for _, c := range []struct {
				by   Actor
				want bool
			}{
				{Actor{User: author}, line.Author},
				{Actor{User: owner}, line.Owner},
				{Actor{User: outsider}, false},
				{Actor{}, false},
				{Actor{User: outsider, Operator: true}, line.Operator},
				{Actor{User: owner, Operator: true}, line.Owner || line.Operator},
			} {
				if c.by.May(act, object) != c.want {
					t.Errorf("%+v may do %d: %t", c.by, act, !c.want)
				}
			}
		}
		if (Actor{}).May(RemovePost, Object{}) {
			t.Error("who is not signed in may remove a post without an author")
		}
	})
	t.Run("who may do it as its author or owner does not do it as an operator", func(t *testing.T) {
		for _, by := range []UserName{author, owner} {
			if name := (Actor{by, true}).ByOperator(RemovePost, object); name != "" {
				t.Errorf("%s removes the post as the operator %s", by, name)
			}
		}
		if name := (Actor{outsider, true}).ByOperator(RemovePost, object); name != outsider {
			t.Errorf("an operator removes a post as %q", name)
		}
	})
	t.Run("a deletion that an operator has asked for is undone by operators alone, and each other by who asked", func(t *testing.T) {
		for _, c := range []struct {
			asked Deletion
			by    Actor
			want  bool
		}{
			{Deletion{RequestedBy: owner}, By(owner), true},
			{Deletion{RequestedBy: owner}, By(outsider), false},
			{Deletion{RequestedBy: owner}, Actor{outsider, true}, false},
			{Deletion{RequestedBy: owner, ByOperator: "otto"}, By(owner), false},
			{Deletion{RequestedBy: owner, ByOperator: "otto"}, By("otto"), false}, // who is no operator any more
			{Deletion{RequestedBy: owner, ByOperator: "otto"}, Actor{outsider, true}, true},
			{Deletion{}, Actor{}, false},
		} {
			erasure := Erasure{User: c.asked.RequestedBy, ByOperator: c.asked.ByOperator}
			if c.asked.UndoableBy(c.by) != c.want || erasure.UndoableBy(c.by) != c.want {
				t.Errorf("%+v is undoable by %+v: want %t", c.asked, c.by, c.want)
			}
		}
	})
}
