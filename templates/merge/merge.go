package merge

import (
	"slices"
	"strings"
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
// a side is the text of that side. What lies between two words that both sides keep is one
// part.
func Texts(base, mine, theirs string) Merge {
	b, m, t := words(base), words(mine), words(theirs)
	inMine, inTheirs := kept(b, m), kept(b, t)
	var parts Merge
	calm, fromBase, fromMine, fromTheirs := 0, 0, 0, 0 // from calm to fromBase, both kept all
	for i := range inMine {
		if inMine[i] < 0 || inTheirs[i] < 0 {
			continue
		}
		if i == len(b) || i > fromBase || inMine[i] > fromMine || inTheirs[i] > fromTheirs {
			parts = parts.with(b[calm:fromBase], b[calm:fromBase], b[calm:fromBase])
			parts = parts.with(b[fromBase:i], m[fromMine:inMine[i]], t[fromTheirs:inTheirs[i]])
			calm = i
		}
		fromBase, fromMine, fromTheirs = i+1, inMine[i]+1, inTheirs[i]+1
	}
	return parts
}

// Whole merges two changes of a text that makes sense only as a whole, such as a title.
func Whole(base, mine, theirs string) Merge {
	return Merge{{sideOf(base, mine, theirs), base, mine, theirs}}
}

// with adds a part, unless it is empty.
func (m Merge) with(base, mine, theirs []string) Merge {
	p := Part{Base: strings.Join(base, ""), Mine: strings.Join(mine, ""), Theirs: strings.Join(theirs, "")}
	if p == (Part{}) {
		return m
	}
	p.Side = sideOf(p.Base, p.Mine, p.Theirs)
	return append(m, p)
}

// Clean reports whether no part is a clash.
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

// between separates two texts that were not written as one.
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
