package page

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"microblogging/lab"
	"microblogging/lab/prove"
)

func TestNarrate(t *testing.T) {
	t.Run("says one sentence about every step of every known schedule", narrateEveryStep)
	t.Run("says something about every fate of every call", narrateEveryFate)
	t.Run("says whose request lands late", narrateLateRequest)
}

var rawToken = regexp.MustCompile(`[A-Z2-7]{26}|[0-9]{19}|[0-9a-f]{64}|\b(setup|ann|olga|vera)2?\.[0-9]+\b`)

// checkSentence fails unless why is one sentence for people, in words of its own.
func checkSentence(t *testing.T, where, why string, w lab.StepWords) {
	t.Helper()
	first, _ := utf8.DecodeRuneInString(why)
	switch {
	case why == "":
		t.Errorf("%s: nothing is said about %s", where, w.Call)
	case unicode.IsLower(first) || !strings.HasSuffix(why, "."):
		t.Errorf("%s: no sentence: %q", where, why)
	case strings.Count(why, ". ")+strings.Count(why, "? ") > 0:
		t.Errorf("%s: more than one sentence: %q", where, why)
	case w.Call != "" && strings.Contains(strings.ToLower(why), strings.ToLower(w.Call)):
		t.Errorf("%s: %q repeats the call %q", where, why, w.Call)
	case rawToken.MatchString(why):
		t.Errorf("%s: %q shows a token", where, why)
	}
}

func narrateEveryStep(t *testing.T) {
	for _, record := range knownRecords(t) {
		schedules := []string{record.Schedule}
		for _, s := range record.Anomalies {
			schedules = append(schedules, s.Schedule)
		}
		for _, schedule := range schedules {
			if schedule == "" {
				continue
			}
			record.Schedule = schedule
			c, moments := followKnown(t, record)
			n := newNarrator(c, moments, true)
			for i := 1; i < len(moments); i++ {
				checkSentence(t, record.Name+" "+schedule, n.why(i), c.Words(*moments[i].Step))
			}
		}
	}
}

// narrateEveryFate takes every option that there is on the way of a schedule, and looks
// one step further.
func narrateEveryFate(t *testing.T) {
	for _, name := range []string{"A1", "A2", "post", "one-key", "vote-again", "edit-vote", "subscribe-twice", "page-edit", "sign-out", "digest-address", "poison-post", "poison-unread", "forgotten", "creators", "web-dies"} {
		c, err := prove.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		x := lab.NewExplorer(c.Scenario)
		var schedule lab.Schedule
		for range 60 {
			moments, err := x.Follow(schedule)
			if err != nil {
				t.Fatal(err)
			}
			var next *lab.Choice
			last := moments[len(moments)-1]
			options := last.Network
			for _, a := range last.Actors {
				options = append(options, a.Options...)
			}
			for _, o := range options {
				if o.Why != "" {
					continue
				}
				if next == nil && o.Choice.Fate == lab.Arrives {
					next = &o.Choice
				}
				further, err := x.Follow(append(schedule[:len(schedule):len(schedule)], o.Choice))
				if err != nil {
					t.Fatal(err)
				}
				n := newNarrator(c, further, false)
				checkSentence(t, name+" "+c.Format(schedule)+" "+o.Word, n.why(len(further)-1), c.Words(*further[len(further)-1].Step))
			}
			if next == nil {
				break
			}
			schedule = append(schedule, *next)
		}
		x.Close()
	}
}

func narrateLateRequest(t *testing.T) {
	c, err := prove.Find("reservation")
	if err != nil {
		t.Fatal(err)
	}
	record, ok := prove.About(knownRecords(t), "reservation")
	if !ok {
		t.Fatal("nothing is known of it")
	}
	_, moments := followKnown(t, record)
	n := newNarrator(c, moments, true)
	for i, m := range moments {
		if m.Step != nil && m.Step.Choice.Fate == lab.Lands && n.senders[i] != "olga" {
			t.Errorf("step %d is of %q", i, n.senders[i])
		}
	}
}
