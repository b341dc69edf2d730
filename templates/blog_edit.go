package templates

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/templates/merge"
)

// An EditBlog is the form that edits a post. It posts the fields of a draft, etag, base and
// incarnation to [EditBlogPath]. The form that merges also posts mine, which is the Mine of its page
// as Base is its version, and undecided.
type EditBlog struct {
	Form
	Channel domain.Channel
	ID      domain.BlogID
	domain.Draft
	// ETag is the version that saving replaces. After a conflict it is the current
	// version, so that saving again overwrites it on purpose.
	ETag string
	// Base is that version, as [Pack] writes it.
	Base string
	// Conflict is not nil if another version was saved in between. Then the Draft
	// is what this author typed.
	Conflict *Conflict
	// Mine is what this author typed before they merged. It is empty if that is not known.
	Mine domain.Draft
}

// fields are those of the form. The text has the focus, unless the form was refused.
func (v EditBlog) fields() []field {
	fields := draftFields(v.Draft, "10")
	for i := range fields {
		fields[i].First = fields[i].Name == "text" && !v.failed()
	}
	return fields
}

// A Conflict is the other version of a post: it was saved while this author
// was editing.
type Conflict struct {
	// Theirs is the post as it is now.
	Theirs domain.Blog
	// Merged is both changes together. It is nil if it is unknown what both began with.
	Merged Merged
	// Difference is Merged, or else what only one of the two versions has.
	Difference Merged
}

// NewConflict compares what this author typed with the post as it is now. Both are merged if known says that both
// changed base. That takes up to a quarter of a second.
func NewConflict(mine domain.Draft, theirs domain.Blog, base domain.Draft, known bool) *Conflict {
	if !known {
		return &Conflict{Theirs: theirs, Difference: mergeDrafts(theirs.Draft, mine, theirs.Draft)}
	}
	merged := mergeDrafts(base, mine, theirs.Draft)
	return &Conflict{theirs, merged, merged}
}

// A Merged has both changes of a post together: those of each field, in the order of the fields.
type Merged []MergedField

// A MergedField has both changes of one field together. Label is what people call it.
type MergedField struct {
	Name, Label string
	// Lines reports whether the changes were merged word by word.
	Lines bool
	merge.Merge
}

// mergeDrafts merges two changes of the draft base.
func mergeDrafts(base, mine, theirs domain.Draft) Merged {
	var merged Merged
	fields, yours, others := base.Fields(), mine.Fields(), theirs.Fields()
	for i, field := range fields {
		both := merge.Whole
		if field.Lines {
			both = merge.Texts
		}
		merged = append(merged, MergedField{field.Name, controls()[field.Name].Label, field.Lines, both(*field.Text, *yours[i].Text, *others[i].Text)})
	}
	return merged
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

// pieces are the pieces of a merge, with what one side removed.
func pieces(m merge.Merge) []piece {
	var list []piece
	add := func(by mark, text string) {
		if text != "" {
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

// A stretch is consecutive lines of a text: all of them changed, or none.
type stretch struct {
	changed bool
	// paragraphs counts the lines that are not blank.
	paragraphs int
	pieces     []piece
}

// stretches split a text where lines end, and leave out blank lines between a change and others.
func stretches(text []piece) (all []stretch) {
	var line stretch
	for _, p := range append(text, piece{unmarked, "\n"}) {
		for part := range strings.SplitAfterSeq(p.text, "\n") {
			line.pieces = append(line.pieces, piece{p.mark, part})
			line.changed = line.changed || p.mark != unmarked && part != ""
			if strings.TrimSpace(part) != "" {
				line.paragraphs = 1
			}
			if !strings.HasSuffix(part, "\n") {
				continue
			}
			switch last := len(all) - 1; {
			case last >= 0 && all[last].changed == line.changed:
				all[last].paragraphs += line.paragraphs
				all[last].pieces = append(all[last].pieces, line.pieces...)
			case line.changed || line.paragraphs > 0:
				all = append(all, line)
			}
			line = stretch{}
		}
	}
	return all
}

// save is the label of the button that saves the box, and what it saves.
func (v EditBlog) save() (label, what string) {
	if m := v.Conflict.Merged; m != nil && !m.clashes() && !v.failed() {
		return "Save both together", "both changes"
	}
	if v.undecided() != "" {
		return "Save this text", "what is in the fields below, once you have changed it"
	}
	return "Save this text", "what is in the fields below"
}

// undecided is the hash of what the box begins with if saving it needs a decision, and else empty.
func (v EditBlog) undecided() string {
	draft, err := domain.ParseDraft(v.box())
	if m := v.Conflict.Merged; err != nil || m != nil && !m.clashes() {
		return ""
	}
	return Undecided(draft)
}

// Undecided is what the form that merges posts as undecided while the author has not changed the draft.
func Undecided(d domain.Draft) string {
	sum := sha256.Sum256([]byte(Pack(d.Fields())))
	return hex.EncodeToString(sum[:])
}

// box returns what the form to merge in begins with: both changes, or mine of what cannot have both.
func (v EditBlog) box() domain.Draft {
	draft := v.Draft
	fields := draft.Fields()
	for i, field := range v.Conflict.Merged {
		if field.Lines || field.Clean() {
			*fields[i].Text = field.Text()
		}
	}
	return draft
}

// clashes reports whether the changes overlap somewhere.
func (m Merged) clashes() bool {
	return slices.ContainsFunc(m, func(field MergedField) bool { return !field.Clean() })
}
