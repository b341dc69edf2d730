package page

import (
	"slices"
	"strings"
	"testing"

	"microblogging/lab"
	"microblogging/lab/prove"
)

func TestScenarioFate(t *testing.T) {
	c, err := prove.Find("A1")
	if err != nil {
		t.Fatal(err)
	}
	option := lab.Option{Choice: lab.Choice{Actor: 1}, Word: "ann", Label: "it takes effect"}
	of := func(choices int) fateView {
		schedule := slices.Repeat(lab.Schedule{option.Choice}, choices)
		return newFateView(option, links{request{Case: c, schedule: schedule, at: choices}})
	}
	t.Run("after_199_choices_there_is_one_more", func(t *testing.T) {
		if f := of(maxChoices - 1); f.URL != "/lab/A1?s=ann*200#actors" || f.Why != "" {
			t.Errorf("the last choice leads to %q: %s", f.URL, f.Why)
		}
	})
	t.Run("after_200_choices_there_is_none_and_it_says_why", func(t *testing.T) {
		if f := of(maxChoices); f.URL != "" || !strings.Contains(f.Why, "200 steps") {
			t.Errorf("a choice too many leads to %q: %s", f.URL, f.Why)
		}
	})
	t.Run("a_sentence_keeps_the_name_of_an_actor", func(t *testing.T) {
		l := links{request{Case: c}}
		for text, want := range map[string]string{"w1 starts first": "w1 starts first.", "the queue is empty": "The queue is empty.", "": ""} {
			if got := l.sentence(text); got != want {
				t.Errorf("%q became %q, want %q", text, got, want)
			}
		}
	})
}
