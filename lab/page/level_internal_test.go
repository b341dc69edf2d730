package page

import (
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"microblogging/lab"
	"microblogging/lab/prove"
)

func knownRecords(t *testing.T) []prove.Record {
	t.Helper()
	known, err := prove.Known()
	if err != nil {
		t.Fatal(err)
	}
	return known
}

// followKnown follows the shortest schedule known of a scenario.
func followKnown(t *testing.T, record prove.Record) (prove.Case, []lab.Moment) {
	t.Helper()
	c, err := prove.Find(record.Name)
	if err != nil {
		t.Fatal(err)
	}
	schedule, err := c.Parse(record.Schedule)
	if err != nil {
		t.Fatal(err)
	}
	x := lab.NewExplorer(c.Scenario)
	defer x.Close()
	moments, err := x.Follow(schedule)
	if err != nil {
		t.Fatal(err)
	}
	return c, moments
}

func TestLevel(t *testing.T) {
	t.Run("has all its texts", levelHasAllItsTexts)
	t.Run("course has four anomalies, twelve guards, three mishaps and the last", courseIsComplete)
	t.Run("knows every word as the glossary of the documents does", levelWordsAreInTheGlossary)
	t.Run("says every law as a sentence", lawsAreSentences)
	t.Run("is about a scenario that can be won, except the last", levelCanBeWon)
	t.Run("has a decisive step in its shortest schedule", levelHasItsDecisiveStep)
}

func levelHasAllItsTexts(t *testing.T) {
	for _, l := range levels() {
		for name, text := range map[string]string{
			"title": l.Title, "goal": l.Goal, "scene": l.Scene, "nudge": l.Nudge, "teaches": l.Teaches, "cousin": l.Cousin.Text, "source": l.Cousin.Title,
		} {
			if text == "" {
				t.Errorf("%s has no %s", l.Name, name)
			}
		}
		if strings.Count(l.Goal, ".") != 1 {
			t.Errorf("%s: the goal is not one sentence: %q", l.Name, l.Goal)
		}
		if u, err := url.Parse(l.Cousin.URL); err != nil || u.Scheme != "https" {
			t.Errorf("%s: the cousin has no source: %q", l.Name, l.Cousin.URL)
		}
		if len(meanings(l.Words)) != len(l.Words) {
			t.Errorf("%s: not all of %v have a meaning", l.Name, l.Words)
		}
	}
	for _, i := range incidents() {
		if _, number := levelOf(i.Level); number == 0 || len(i.Sources) == 0 || i.Moral == "" {
			t.Errorf("%s leads nowhere", i.Title)
		}
	}
}

func courseIsComplete(t *testing.T) {
	var counts []int
	for _, c := range course() {
		counts = append(counts, len(c.Levels))
	}
	if want := []int{4, 12, 3, 1}; !slices.Equal(counts, want) {
		t.Errorf("levels %v, want %v", counts, want)
	}
	seen := map[string]bool{}
	for _, l := range levels() {
		if seen[l.Name] {
			t.Errorf("%s comes twice", l.Name)
		}
		seen[l.Name] = true
	}
}

func levelWordsAreInTheGlossary(t *testing.T) {
	text, err := os.ReadFile("../../docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range glossary() {
		if !strings.Contains(strings.ToLower(string(text)), strings.ToLower(m.Word)+"**") {
			t.Errorf("docs/glossary.md does not know %q", m.Word)
		}
	}
}

func levelCanBeWon(t *testing.T) {
	known := knownRecords(t)
	list := levels()
	for i, l := range list {
		c, err := prove.Find(l.Name)
		if err != nil {
			t.Error(err)
			continue
		}
		record, _ := prove.About(known, l.Name)
		if won := record.Par > 0 && record.Law != ""; won == (i == len(list)-1) {
			t.Errorf("%s: par %d, law %q", l.Name, record.Par, record.Law)
		}
		if last := c.Part == prove.Real; last != (i == len(list)-1) {
			t.Errorf("%s is of part %s", l.Name, c.Part)
		}
	}
}

func levelHasItsDecisiveStep(t *testing.T) {
	for _, record := range knownRecords(t) {
		l, number := levelOf(record.Name)
		if number == 0 || record.Schedule == "" {
			continue
		}
		c, moments := followKnown(t, record)
		n := newNarrator(c, moments, true)
		found := 0
		for i := 1; i < len(moments); i++ {
			if n.why(i) == l.Decisive.Why {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%s: the decisive step comes %d times", l.Name, found)
		}
	}
}

func lawsAreSentences(t *testing.T) {
	for _, c := range prove.Cases(false) {
		for _, law := range c.Laws.List() {
			if said := lawSentences()[law.Name]; strings.Count(said, " ") < 2 {
				t.Errorf("%s: the law %s is said as %q", c.Name, law.Name, said)
			}
		}
	}
}
