package modelcheck_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
)

func TestKnown(t *testing.T) {
	t.Run("each case has one record and each record a case", recordsAreOfCases)
	t.Run("each schedule breaks the invariant that its record names, and no sooner", recordsReplay)
	t.Run("the code that was searched has a fingerprint, and so has this code", codeHasAFingerprint)
	t.Run("a record that is not what the model checker finds is noticed, and what differs is shown", staleRecordIsNoticed)
	t.Run("a name that a protocol of a reader's and a scenario have is the reader's", readersNameIsFirst)
	t.Run("the picture of a document says why a schedule is none", pictureSaysWhy)
}

func readersNameIsFirst(t *testing.T) {
	cases := []modelcheck.Case{{Scenario: lab.Scenario{Name: "post"}}, {Scenario: lab.Scenario{Name: "own/post"}}, {Scenario: lab.Scenario{Name: "again"}}}
	for name, want := range map[string]string{"post": "own/post", "own/post": "own/post", "again": "again"} {
		if found, err := modelcheck.FindIn(cases, name); err != nil || found.Name != want {
			t.Errorf("%s is %s: %v", name, found.Name, err)
		}
	}
}

func codeHasAFingerprint(t *testing.T) {
	for _, code := range []string{modelcheck.KnownCode, lab.Fingerprint()} {
		if len(code) != 16 {
			t.Errorf("the fingerprint is %q", code)
		}
	}
}

func known(t *testing.T) []modelcheck.Record {
	t.Helper()
	records, err := modelcheck.Known()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if stale := modelcheck.Stale(); t.Failed() && stale != nil {
			t.Error(stale)
		}
	})
	return records
}

func recordsAreOfCases(t *testing.T) {
	var want, got []string
	for _, c := range modelcheck.Cases() {
		want = append(want, c.Part.String()+" "+c.Name)
	}
	for _, r := range known(t) {
		got = append(got, r.Part+" "+r.Name)
		if r.States == 0 || (r.Shortest == 0) != (r.Part == modelcheck.Real.String()) {
			t.Errorf("record %+v", r)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("records are of\n%v, want\n%v", got, want)
	}
}

func recordsReplay(t *testing.T) {
	for _, r := range known(t) {
		if r.Schedule != "" {
			replay(t, r.Name, r.Schedule, r.Invariant, r.Shortest)
		}
	}
}

// replay follows a schedule, which must break the invariant with its last step, after par steps.
func replay(t *testing.T, name, text, invariant string, par int) {
	t.Helper()
	c, err := modelcheck.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	schedule, err := c.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	x := lab.NewExplorer(c.Scenario)
	defer x.Close()
	moments, err := x.Follow(schedule, false)
	if err != nil {
		t.Errorf("%s %s: %v", name, text, err)
		return
	}
	broken := func(l lab.InvariantState) bool {
		return l.Name == invariant && l.State == lab.InvariantViolated && l.Since == len(schedule)
	}
	if !slices.ContainsFunc(moments[len(schedule)].Invariants, broken) || par != len(schedule) || c.Format(schedule) != text {
		t.Errorf("%s %s does not break %s at its end, after %d: %+v", name, text, invariant, par, moments[len(schedule)].Invariants)
	}
}

func staleRecordIsNoticed(t *testing.T) {
	c, err := modelcheck.Find("once")
	if err != nil {
		t.Fatal(err)
	}
	found := []modelcheck.Result{c.Explore(1)}
	r := found[0].Record()
	if err := modelcheck.CheckRecords(found, []modelcheck.Record{r}); err != nil {
		t.Errorf("nothing differs, and %v", err)
	}
	for _, spoilt := range []struct {
		spoil func(r *modelcheck.Record)
		want  string
	}{
		{func(r *modelcheck.Record) { r.Shortest-- }, fmt.Sprintf("once: breaks I7 in %d steps, was I7 in %d\n    - %[3]s\n    + %[3]s\n", r.Shortest, r.Shortest-1, r.Schedule)},
		{func(r *modelcheck.Record) { r.Schedule += "*2" }, fmt.Sprintf("once: breaks I7 in %d steps, was I7 in %[1]d\n    - %[2]s*2\n    + %[2]s\n", r.Shortest, r.Schedule)},
		{func(r *modelcheck.Record) { r.States++ }, fmt.Sprintf("once: %d states, was %d\n", r.States, r.States+1)},
		{func(r *modelcheck.Record) { r.Because++ }, fmt.Sprintf("once: its cause differs\n    - %+v\n    + %+v\n", modelcheck.Cause{Because: 1 + r.Because, Searched: r.Searched}, r.Cause)},
		{func(r *modelcheck.Record) { r.Name += "s" }, fmt.Sprintf("once: new, with %d states\nonces: there is no such case\n", r.States)},
		{func(r *modelcheck.Record) { r.Part = "textbook-fault" }, "once: part safeguard, was textbook-fault\n"},
	} {
		was := r
		spoilt.spoil(&was)
		if err := modelcheck.CheckRecords(found, []modelcheck.Record{was}); err == nil || !strings.HasSuffix(err.Error(), "writes it anew\n"+spoilt.want) {
			t.Errorf("%+v is noticed as %v, want %s", was, err, spoilt.want)
		}
	}
}

func pictureSaysWhy(t *testing.T) {
	for schedule, want := range map[string]string{"ann": "no invariant is violated", "bob": `choice 1, "bob", cannot be taken`} {
		_, err := modelcheck.Picture([]modelcheck.Record{{Name: "open-gate", Schedule: schedule}}, "open-gate")
		if first, _, _ := strings.Cut(fmt.Sprint(err), "\n"); !strings.HasPrefix(first, want) || strings.Contains(first, "nil") {
			t.Errorf("%s: %s", schedule, first)
		}
	}
}

func TestFind(t *testing.T) {
	if _, err := modelcheck.Find("LeaseLock"); err == nil || !strings.HasSuffix(err.Error(), "; yours is own/lease-lock") {
		t.Errorf("the name of a method does not lead to its protocol: %v", err)
	}
}
