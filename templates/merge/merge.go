package merge

import (
	"slices"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// A Side says who changed a piece of a text.
type Side int

const (
	// Neither changed it.
	Neither Side = iota
	// Mine and Theirs: one side changed it.
	Mine
	Theirs
	// Both made the same change.
	Both
	// Clash: both changed it, in different ways.
	Clash
)

// A Part is a piece of three texts, which follow one another in all of them.
type Part struct {
	Side               Side
	Base, Mine, Theirs string
}

// A Merge is all parts of three texts.
type Merge []Part

// Texts merges two changes of the text base. The concatenation of what the parts hold of
// a side is the text of that side.
func Texts(base, mine, theirs string) Merge {
	var words vocabulary
	from := words.spell(base)
	m := merger{
		words: &words, base: from,
		mine:   edits(words.diff(from, words.spell(mine))),
		theirs: edits(words.diff(from, words.spell(theirs))),
	}
	return m.merge()
}

// Whole merges two changes of a text that makes sense only as a whole, such as a title.
func Whole(base, mine, theirs string) Merge {
	return Merge{{sideOf(base, mine, theirs), base, mine, theirs}}
}

// Clean says that no part is a clash.
func (m Merge) Clean() bool {
	return !slices.ContainsFunc(m, func(p Part) bool { return p.Side == Clash })
}

// Text is both changes together. In place of a clash it has mine and then theirs, so that
// nothing is lost.
func (m Merge) Text() string {
	var b strings.Builder
	for _, p := range m {
		b.WriteString(p.text())
	}
	return b.String()
}

func (p Part) text() string {
	switch p.Side {
	case Mine, Both:
		return p.Mine
	case Theirs:
		return p.Theirs
	case Clash:
		return p.Mine + between(p.Mine, p.Theirs) + p.Theirs
	}
	return p.Base
}

// between separates two texts that were not written to stand together.
func between(first, second string) string {
	switch {
	case first == "" || second == "" || strings.HasSuffix(first, "\n") || strings.HasPrefix(second, "\n"):
		return ""
	case strings.Contains(first+second, "\n"):
		return "\n"
	case strings.HasSuffix(first, " ") || strings.HasPrefix(second, " "):
		return ""
	}
	return " "
}

func sideOf(base, mine, theirs string) Side {
	switch {
	case mine == base && theirs == base:
		return Neither
	case mine == theirs:
		return Both
	case theirs == base:
		return Mine
	case mine == base:
		return Theirs
	}
	return Clash
}

// An edit puts words in the place of those of the base from start to end, which may be
// none.
type edit struct {
	start, end int
	words      []rune
}

func edits(diffs []diffmatchpatch.Diff) []edit {
	var list []edit
	at, open := 0, false
	for _, d := range diffs {
		words := []rune(d.Text)
		if d.Type == diffmatchpatch.DiffEqual {
			at, open = at+len(words), false
			continue
		}
		if !open {
			list, open = append(list, edit{start: at, end: at}), true
		}
		last := &list[len(list)-1]
		if d.Type == diffmatchpatch.DiffInsert {
			last.words = append(last.words, words...)
		} else {
			at += len(words)
			last.end = at
		}
	}
	return list
}

// A merger goes through the base and the edits of both sides, which are in its order.
type merger struct {
	words        *vocabulary
	base         []rune
	mine, theirs []edit
	parts        Merge
}

func (m *merger) merge() Merge {
	at := 0
	for len(m.mine) > 0 || len(m.theirs) > 0 {
		mine, theirs, start, end := m.next()
		m.add(at, start, nil, nil)
		m.add(start, end, mine, theirs)
		at = end
	}
	m.add(at, len(m.base), nil, nil)
	return m.parts
}

// next takes the first edit, and all that it meets, and all that those meet.
func (m *merger) next() (mine, theirs []edit, start, end int) {
	first := m.mine
	if len(m.mine) == 0 || len(m.theirs) > 0 && m.theirs[0].start < m.mine[0].start {
		first = m.theirs
	}
	group := edit{start: first[0].start, end: first[0].end}
	for more := true; more; {
		more = false
		for _, side := range []struct{ from, to *[]edit }{{&m.mine, &mine}, {&m.theirs, &theirs}} {
			for len(*side.from) > 0 && (len(mine)+len(theirs) == 0 && &first[0] == &(*side.from)[0] || meet(group, (*side.from)[0])) {
				group.end = max(group.end, (*side.from)[0].end)
				*side.to = append(*side.to, (*side.from)[0])
				*side.from = (*side.from)[1:]
				more = true
			}
		}
	}
	return mine, theirs, group.start, group.end
}

// meet says whether an edit is within a group of edits before it, or touches it so that
// the order of what they insert would be a guess. Two that replace neighbours do not meet.
func meet(group, next edit) bool {
	if group.start == group.end || next.start == next.end {
		return next.start <= group.end
	}
	return next.start < group.end
}

// add adds the part of the base from start to end.
func (m *merger) add(start, end int, mine, theirs []edit) {
	p := Part{Base: m.words.read(m.base[start:end]), Mine: m.apply(start, end, mine), Theirs: m.apply(start, end, theirs)}
	if p.Side = sideOf(p.Base, p.Mine, p.Theirs); p != (Part{}) {
		m.parts = append(m.parts, p)
	}
}

// apply returns the base from start to end as one side has it.
func (m *merger) apply(start, end int, edits []edit) string {
	var words []rune
	for _, e := range edits {
		words = append(append(words, m.base[start:e.start]...), e.words...)
		start = e.end
	}
	return m.words.read(append(words, m.base[start:end]...))
}
