package page_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"microblogging/lab/modelcheck"
)

func TestScenarioAPI(t *testing.T) {
	t.Run("lists every scenario", everyScenarioIsListed)
	t.Run("has the members of the contract and no other", stateHasTheMembersOfTheContract)
	t.Run("begins where no actor has done anything", stateBeginsAtTheStart)
	t.Run("goes on with each choice that it offers", stateGoesOnWithEachChoice)
	t.Run("shows an invariant that is broken, and why", stateShowsAViolatedInvariant)
	t.Run("marks what the last step wrote", stateMarksWhatTheLastStepWrote)
	t.Run("says where a schedule cannot be taken", stateSaysWhereAScheduleCannotBeTaken)
	t.Run("says which step there is not", stateSaysWhichStepThereIsNot)
	t.Run("answers a schedule in any notation alike", stateAnswersAnyNotationAlike)
}

// The types have the members of the contract.
type (
	scenarioList struct {
		Scenarios []struct {
			Name, About, Part string
			Shortest          *int
		}
	}
	state struct {
		Schedule string
		Steps    []step
		Choices  []choice
		Tables   map[string][]row
		Queue    []struct {
			Text   string
			Leased bool
		}
		Invariants []invariant
	}
	step struct {
		Actor, Call, Fate, Answer string
		Told                      []string
	}
	choice struct{ Choice, Actor, Label string }
	row    struct {
		PartitionKey, RowKey, ETag string
		Properties                 map[string]any
		Changed                    bool
	}
	invariant struct{ Invariant, State, Reason string }
)

// state returns the state at the end of a schedule.
func (s *site) state(scenario, schedule string) (at state) {
	s.Helper()
	s.get("/lab/" + scenario + ".json?s=" + schedule).want(200).decode(&at)
	return at
}

func (s state) isBroken() bool {
	return slices.ContainsFunc(s.Invariants, func(l invariant) bool { return l.State == "violated" })
}

// finished takes the first choice from the start until there is none, and returns the
// schedule.
func (s *site) finished(scenario string) (schedule string) {
	s.Helper()
	for {
		at := s.state(scenario, schedule)
		if len(at.Choices) == 0 {
			return at.Schedule
		}
		schedule = and(at.Schedule, at.Choices[0].Choice)
	}
}

func and(schedule, choice string) string { return strings.TrimPrefix(schedule+","+choice, ",") }

func everyScenarioIsListed(t *testing.T) {
	s := newSite(t)
	r := s.get("/lab/scenarios.json").want(200)
	if got := r.header.Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type %q", got)
	}
	var list scenarioList
	r.decode(&list)
	if want := len(modelcheck.Cases()); len(list.Scenarios) != want {
		t.Errorf("%d scenarios, want %d", len(list.Scenarios), want)
	}
	known, err := modelcheck.Known()
	ok(t, err)
	for _, c := range list.Scenarios {
		record, _ := modelcheck.About(known, c.Name)
		switch at := s.state(c.Name, record.Schedule); {
		case c.Part == "shipped" && c.Shortest != nil:
			t.Errorf("%s has par %d, and ships", c.Name, *c.Shortest)
		case c.Part != "shipped" && (c.Shortest == nil || *c.Shortest != len(at.Steps) || !at.isBroken()):
			t.Errorf("%s has par %v, and after %s the invariants are %+v", c.Name, c.Shortest, record.Schedule, at.Invariants)
		}
		if !slices.Contains([]string{"textbook", "safeguard", "shipped", "textbook-fault"}, c.Part) || c.About == "" {
			t.Errorf("%+v", c)
		}
		if at := s.state(c.Name, ""); len(at.Choices) == 0 {
			t.Errorf("%s offers nothing", c.Name)
		}
	}
}

// members are the names of an object's members, and of those of its first elements.
func members(value any, path string, into map[string]bool) {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			inside := path + "." + name
			if path == ".tables" {
				inside = path + ".NAME"
			}
			into[inside] = true
			if !strings.HasSuffix(inside, ".properties") {
				members(member, inside, into)
			}
		}
	case []any:
		for _, element := range v {
			members(element, path, into)
		}
	}
}

func stateHasTheMembersOfTheContract(t *testing.T) {
	s := newSite(t)
	got := map[string]bool{}
	for _, schedule := range []string{"", "ann", "olga*2", s.finished("A1")} {
		var value any
		ok(t, json.Unmarshal([]byte(s.get("/lab/A1.json?s="+schedule).want(200).body), &value))
		members(value, "", got)
	}
	for _, want := range strings.Fields(`.schedule .steps .steps.actor .steps.call .steps.fate .steps.answer .steps.told
		.choices .choices.choice .choices.actor .choices.label .tables .tables.NAME .tables.NAME.partitionKey .tables.NAME.rowKey
		.tables.NAME.etag .tables.NAME.properties .tables.NAME.changed .queue .queue.text .queue.leased .invariants .invariants.invariant .invariants.state .invariants.reason`) {
		if !got[want] {
			t.Errorf("no %s", want)
		}
		delete(got, want)
	}
	if len(got) > 0 {
		t.Errorf("also %v", got)
	}
	if body := s.get("/lab/A1.json").want(200).body; strings.Contains(body, "null") {
		t.Errorf("a list is null: %s", body)
	}
}

func stateBeginsAtTheStart(t *testing.T) {
	at := newSite(t).state("A1", "")
	if at.Schedule != "" || len(at.Steps) != 0 || len(at.Queue) != 0 || len(at.Tables["Channels"]) != 1 || at.Tables["Channels"][0].Changed {
		t.Errorf("%+v", at)
	}
	for i, l := range at.Invariants {
		if l.Invariant != []string{"A1", "A2", "A3", "A4"}[i] || l.State != "holds" && l.State != "open" || (l.State == "open") != (l.Reason != "") {
			t.Errorf("%+v", l)
		}
	}
}

func stateGoesOnWithEachChoice(t *testing.T) {
	s := newSite(t)
	for _, scenario := range []string{"A1", "A4", "web-dies", "stalled"} {
		at := s.state(scenario, "")
		for _, c := range at.Choices {
			next := s.state(scenario, and(at.Schedule, c.Choice))
			if len(next.Steps) != 1 || next.Steps[0].Actor != c.Actor || c.Label == "" || next.Schedule != c.Choice {
				t.Errorf("%s: %+v leads to %+v", scenario, c, next.Steps)
			}
		}
	}
}

func stateShowsAViolatedInvariant(t *testing.T) {
	s := newSite(t)
	at := s.state("A4", "")
	if len(at.Choices) < 2 {
		t.Fatalf("choices %+v", at.Choices)
	}
	at = s.state("A4", "ann:repeated,ann")
	broken := slices.IndexFunc(at.Invariants, func(l invariant) bool { return l.State == "violated" })
	if broken < 0 || at.Invariants[broken].Invariant != "A4" || at.Invariants[broken].Reason == "" {
		t.Errorf("%+v", at.Invariants)
	}
	if len(at.Steps) != 2 || at.Steps[0].Fate != "repeated" || at.Steps[0].Answer != "" || at.Steps[1].Fate != "arrives" || !slices.Equal(at.Steps[1].Told, []string{"the name is taken"}) {
		t.Errorf("%+v", at.Steps)
	}
}

func stateMarksWhatTheLastStepWrote(t *testing.T) {
	s := newSite(t)
	schedule := ""
	for range 5 {
		at := s.state("A1", schedule)
		before := at
		schedule = and(at.Schedule, at.Choices[0].Choice)
		at = s.state("A1", schedule)
		for table, rows := range at.Tables {
			for _, r := range rows {
				kept := slices.ContainsFunc(before.Tables[table], func(b row) bool { return b.RowKey == r.RowKey && b.PartitionKey == r.PartitionKey && b.ETag == r.ETag })
				if r.Changed == kept {
					t.Errorf("%s: %s %+v: changed %v, kept %v", schedule, table, r, r.Changed, kept)
				}
			}
		}
	}
}

func stateSaysWhereAScheduleCannotBeTaken(t *testing.T) {
	s := newSite(t)
	for schedule, position := range map[string]int{
		"eve": 0, "ann,eve": 1, "ann*2,ann:sleeps": 2, "ann,,olga": 1, "ann*x": 0, "w1": 0, "ann,w1": 1, "ann:lost": 0,
		"ann*200": 2, "ann*201": 200, "ann*10000": 200, "ann*200,ann": 200, "network:lands": 0,
		"ann;olga": 0, "%zz": 0,
	} {
		r := s.get("/lab/A1.json?s=" + schedule).want(400)
		var p struct {
			Type, Title, Detail string
			Status              int
			Position            *int
		}
		r.decode(&p)
		if r.header.Get("Content-Type") != "application/problem+json" || p.Status != 400 || p.Detail == "" || p.Position == nil || *p.Position != position {
			t.Errorf("%s: %s", schedule, r.body)
		}
	}
	if r := s.get("/lab/nothing.json").want(404); r.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("%v", r.header)
	}
}

func stateSaysWhichStepThereIsNot(t *testing.T) {
	s := newSite(t)
	for query, position := range map[string]float64{"s=ann&at=2": 1, "s=ann,olga&at=99999999999999999999": 2, "at=1": 0, "s=ann&at=-1": 0, "s=ann&at=x": 0} {
		var p map[string]any
		s.get("/lab/A1.json?" + query).want(400).decode(&p)
		if p["position"] != position || !strings.Contains(p["detail"].(string), "from 0 to ") {
			t.Errorf("%s: %v", query, p)
		}
	}
}

func stateAnswersAnyNotationAlike(t *testing.T) {
	s := newSite(t)
	want := s.get("/lab/A1.json?s=ann*2").want(200)
	for _, schedule := range []string{"ann,ann", "ann*1,ann", "ann,%20ann", "ann%2Cann", "ann@0,ann:arrives"} {
		if got := s.get("/lab/A1.json?s=" + schedule).want(200); got.body != want.body || got.header.Get("Etag") != want.header.Get("Etag") {
			t.Errorf("%s is not ann*2: %s", schedule, got.body)
		}
	}
}
