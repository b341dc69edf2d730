package page

import (
	"strconv"
	"strings"
	"unicode"

	"microblogging/lab/prove"
	"microblogging/templates"
)

// A guardedLevel is a level whose story the scenario tells with all guards on.
type guardedLevel struct {
	level
	Number int
	// Why says what the guard does that the level takes out. It is empty if the level is
	// about the textbook.
	Why string
	// URL leads back, with as much of the run as is possible there.
	URL string
}

// guarded are the levels whose story the scenario tells with all guards on.
func (v scene) guarded() (list []guardedLevel) {
	if v.Part != prove.Real {
		return nil
	}
	for i, l := range levels() {
		g := guardedLevel{level: l, Number: i + 1}
		for _, s := range v.Guards {
			if s.Name == l.Name {
				g.Why, g.URL = s.Why, s.URL
			}
		}
		if g.URL == "" && l.Ours == v.Name {
			g.URL = templates.LabPath(l.Name)
		}
		if g.URL != "" {
			list = append(list, g)
		}
	}
	return list
}

// levelNumbers are the numbers of levels in words.
func levelNumbers(list []guardedLevel) string {
	var words []string
	for _, g := range list {
		words = append(words, "level "+strconv.Itoa(g.Number))
	}
	return strings.Join(words, " or ")
}

// titleOf is what a person calls a scenario.
func titleOf(c prove.Case) string {
	if l, number := levelOf(c.Name); number > 0 {
		return l.numbered(number)
	}
	if g, ok := guardOf(c.Name); ok {
		return "Without a guard: " + first(g.Label, unicode.ToLower)
	}
	about, _, _ := strings.Cut(c.About, ",")
	return "All guards on: " + about
}
