package templates

import (
	"strings"

	"microblogging/domain"
	"microblogging/templates/merge"
)

// An EditBlog is the form that edits a post. It posts title, text, etag, base and
// incarnation to [EditBlogPath]. The form that merges also posts merging=yes.
type EditBlog struct {
	Form
	Channel domain.Channel
	ID      domain.BlogID
	domain.Draft
	// ETag is the version that saving replaces. After a conflict it is the current
	// version, so that saving again overwrites it on purpose.
	ETag string
	// Base is that version: its title, a newline and its text.
	Base string
	// Conflict is not nil if somebody saved another version in between. Then Title
	// and Text are what this author typed.
	Conflict *Conflict
}

// A Conflict is the other version of a post: somebody saved it while this author
// was editing.
type Conflict struct {
	// Theirs is the post as it is now.
	Theirs domain.Blog
	// Merged is both changes together. It is nil if it is unknown what both began with.
	Merged *Merged
}

// A Merged has both changes of a post together.
type Merged struct {
	Base        domain.Draft
	Title, Text merge.Merge
}

// A piece of a text is marked by the side that changed it, or by removed.
type piece struct {
	mark mark
	text string
}

type mark int

const (
	unmarked mark = iota
	yours
	theirs
	removed
)

// pieces are the pieces of a merge. If withRemoved, they have what one side removed, too.
func pieces(m merge.Merge, withRemoved bool) []piece {
	var list []piece
	add := func(by mark, text string) {
		if text != "" && (by != removed || withRemoved) {
			list = append(list, piece{by, text})
		}
	}
	for _, p := range m {
		switch p.Side {
		case merge.Neither, merge.Both:
			add(unmarked, p.Mine)
		case merge.Mine:
			add(removed, p.Base)
			add(yours, p.Mine)
		case merge.Theirs:
			add(removed, p.Base)
			add(theirs, p.Theirs)
		case merge.Clash:
			add(yours, p.Mine)
			add(unmarked, " ")
			add(theirs, p.Theirs)
		}
	}
	return list
}

// visible marks the ends of lines in a change, so that a reader sees the change
// even if only those differ.
func visible(text string) string { return strings.ReplaceAll(text, "\n", "↵\n") }

// A side is one of two versions that met, with what it changed.
type side struct {
	untitled    bool
	title, text []piece
}

// sides are the version that was saved and the one that was not. If it is known what
// both began with, each shows what it changed in that; otherwise, what only it has.
func (v EditBlog) sides() (saved, unsaved side) {
	mine, theirs := v.Draft, v.Conflict.Theirs.Draft
	if m := v.Conflict.Merged; m != nil {
		return sideOf(m.Base, m.Base, theirs, theirs, true), sideOf(m.Base, mine, m.Base, mine, true)
	}
	return sideOf(mine, mine, theirs, theirs, false), sideOf(theirs, mine, theirs, mine, false)
}

// sideOf is a version with the pieces of a merge of which one side changed nothing.
func sideOf(base, mine, theirs, version domain.Draft, withRemoved bool) side {
	return side{
		untitled: version.Title == "",
		title:    pieces(merge.Texts(base.Title, mine.Title, theirs.Title), withRemoved),
		text:     pieces(merge.Texts(base.Text, mine.Text, theirs.Text), withRemoved),
	}
}

// box returns what the form to merge in begins with.
func (v EditBlog) box() domain.Draft {
	draft, merged := v.Draft, v.Conflict.Merged
	if merged != nil && merged.Title.Clean() {
		draft.Title = merged.Title.Text()
	}
	if merged != nil {
		draft.Text = merged.Text.Text()
	}
	return draft
}

// clashes says that the changes overlap somewhere.
func (m *Merged) clashes() bool { return !m.Title.Clean() || !m.Text.Clean() }

// names are the headings of the two versions. Both are mine if I saved the other one too.
func (v EditBlog) names(user domain.UserName) (saved, unsaved string) {
	if v.Conflict.Theirs.UserID == user {
		return "Saved in your other tab", "Not saved yet"
	}
	return "Saved by " + string(v.Conflict.Theirs.UserID), "Yours, not saved yet"
}
