package check_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/protocol"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
	"microblogging/storage/schema"
)

// TestKinds holds each kind of row to what it says of itself in package schema. A new kind is declared
// there, and a message of this test says where else it is missing.
func TestKinds(t *testing.T) {
	t.Run("the invariants that a kind names are those that check and the oracle find broken, and check finds each property that is missing or of another type", bubble(rulesFindWrongRows))
	t.Run("a row of no kind is found", rowOfNoKindIsFound)
	t.Run("the step that a kind names leaves no row of a channel", bubble(stepsLeaveNoRowOfChannel))
	t.Run("the step that a kind names leaves no row of an account", bubble(stepsLeaveNoRowOfAccount))
	t.Run("the lab says what a transaction depends on", bubble(labSaysWhatCallsDependOn))
	t.Run("a kind that a rule finds has a scenario in the lab", kindsHaveScenarios)
	t.Run("ARCHITECTURE.md lists each kind", architectureListsKinds)
}

// reason reports whether a kind says why it has none of something.
func reason(text string) bool { return strings.HasSuffix(text, ".") }

// or is what a kind says, or the reason that it gave before.
func or[T ~string](says, before T) T {
	if says == "" && reason(string(before)) {
		return before
	}
	return says
}

// rulesFindWrongRows deletes, adds and changes rows of each kind, until both have found all that the kind
// names.
func rulesFindWrongRows(t *testing.T, w *world) {
	wrong := map[*schema.Kind][]corruption{}
	meadow := w.fillSound()
	sound := w.snapshot()
	for _, c := range w.corruptions(meadow) {
		kind := schema.Of(c.table, c.partition, c.row)
		wrong[kind] = append(wrong[kind], c)
	}
	for key := range sound {
		kind := schema.Of(key.table, key.partition, key.row)
		for _, state := range kind.Words[schema.PropState] {
			wrong[kind] = append(wrong[kind], corruption{key, state, driver.Merge(key.row, driver.Exists, driver.String(schema.PropState, state)), false})
		}
	}
	for _, kind := range schema.Kinds() {
		byCheck, byOracle := map[string]bool{"readable": true}, map[string]bool{}
		missed := func(names string, found map[string]bool) (missing []string) {
			if reason(names) {
				return nil
			}
			return slices.DeleteFunc(strings.Fields(names), func(name string) bool { return found[name] })
		}
		misfits := map[string]bool{}
		for i, c := range wrong[kind] {
			complete := len(missed(kind.Check, byCheck))+len(missed(or(kind.Oracle, kind.Check), byOracle)) == 0
			what := strings.TrimPrefix(c.name, fmt.Sprintf("%s %s %s: ", c.table, c.partition, c.row))
			if again := !c.misfit || misfits[what]; again && complete && i >= 20 && !thorough() {
				continue
			}
			misfits[what] = true
			w.OK(w.Table(c.table).Transact(t.Context(), c.partition, c.write))
			violations, _ := w.Check(false)
			reports := map[string]int{}
			for _, b := range violations {
				if at(b) == c.rowKey {
					reports[b.Invariant]++
				}
			}
			if c.misfit && len(reports) == 0 || reports["readable"] > 1 {
				t.Errorf("a check reports %v of %s", reports, c.name)
			}
			named(t, kind, "Check", kind.Check, violations, byCheck)
			named(t, kind, "Oracle", or(kind.Oracle, kind.Check), w.oracle(), byOracle)
			w.restore(sound)
		}
		for what, missing := range map[string][]string{"check": missed(kind.Check, byCheck), "oracle": missed(or(kind.Oracle, kind.Check), byOracle)} {
			if len(missing) > 0 || kind.Check == "" || or(kind.Oracle, kind.Check) == "" {
				t.Errorf("%s of %s: package %s does not find %q broken, whichever row is wrong: add the rule to it, or say in schema.Kind why there is none", kind.Name, kind.Table, what, missing)
			}
		}
	}
}

// named enters what was found, and reports what the kind does not name.
func named(t *testing.T, kind *schema.Kind, field, names string, violations []domain.Violation, into map[string]bool) {
	t.Helper()
	for _, v := range violations {
		if !into[v.Invariant] && (reason(names) || !slices.Contains(strings.Fields(names), v.Invariant)) {
			t.Errorf("%s of %s: a wrong row breaks %s (%s): name it in its %s in package schema", kind.Name, kind.Table, v.Invariant, v.Detail, field)
		}
		into[v.Invariant] = true
	}
}

// kim has something of each kind that a user can have.
const kim domain.UserName = "kim"

// fillOfKim adds what kim has to a store, and returns her channel, of which every row holds the
// name "kims", or its incarnation.
func (w *world) fillOfKim() (own domain.Channel) {
	w.T.Helper()
	ctx := w.T.Context()
	w.account(kim)
	_, _, err := w.Store.Accounts.SignIn(ctx, storage.Attempt{Name: string(kim), Password: password, Address: "203.0.113.77"})
	w.OK(err)
	own, _, err = w.Store.Channels.Create(ctx, w.NewChannel("kims", kim), domain.PostersOpen, "key", 9)
	w.OK(err)
	w.Post(own, eve, "by eve")
	for _, channel := range []domain.Channel{own, w.ReadChannel("meadow")} {
		blogs, err := w.Store.Posts.List(ctx, channel.Ref(), storage.BlogQuery{Limit: 1})
		w.OK(err)
		w.OK(w.Store.Posts.Vote(ctx, channel.Ref(), blogs.Items[0].ID, kim))
		w.Reply(channel, blogs.Items[0].ID, kim, "reply by kim")
		w.Post(channel, kim, "by kim")
		w.OK(w.Store.Subscriptions.Create(ctx, channel, kim))
		w.Insert(channel.Key(), "join!"+string(kim), channel.Incarnation)
	}
	w.Insert(own.Key(), storetest.ReservedGateRow(dead), dead)
	return own
}

// stepsLeaveNoRow takes steps in turn, and compares the step after which no row of a kind is left with
// the one that the kind names.
func (w *world) stepsLeaveNoRow(field string, declared func(*schema.Kind) domain.Step, of func(rowKey, driver.Properties) bool, steps map[domain.Step]func() error, order ...domain.Step) {
	w.T.Helper()
	rows := func() map[*schema.Kind]bool {
		has := map[*schema.Kind]bool{}
		for key, properties := range w.snapshot() {
			if of(key, properties) {
				has[schema.Of(key.table, key.partition, key.row)] = true
			}
		}
		return has
	}
	before, left := rows(), map[*schema.Kind]domain.Step{}
	for _, name := range order {
		w.OK(steps[name]())
		after := rows()
		for kind := range before {
			if !after[kind] && left[kind] == "" {
				left[kind] = name
			}
		}
		maps.Copy(before, after)
		for kind := range after {
			delete(left, kind)
		}
	}
	for _, kind := range schema.Kinds() {
		step, made := declared(kind), before[kind]
		switch name := kind.Name + " of " + kind.Table; {
		case reason(string(step)) && left[kind] != "":
			w.T.Errorf("%s: the step %q deletes it: name the step as its %s in package schema, which says %q", name, left[kind], field, step)
		case reason(string(step)), made && left[kind] == step && step != "":
		case !made:
			w.T.Errorf("%s: let fillOfKim make one, or say as its %s in package schema why no step deletes it", name, field)
		case left[kind] == "":
			w.T.Errorf("%s: no step deletes it, and its %s is %q: let one delete it, or say there why it stays", name, field, step)
		default:
			w.T.Errorf("%s: the step %q deletes it, and its %s in package schema is %q", name, left[kind], field, step)
		}
	}
}

func stepsLeaveNoRowOfChannel(t *testing.T, w *world) {
	w.fillSound()
	own := w.fillOfKim()
	w.Ask(own)
	order := []domain.Step{domain.StepPivot, domain.StepShut, domain.StepSweep, domain.StepRemoveGate, domain.StepRelease}
	steps := map[domain.Step]func() error{}
	for i, step := range storetest.Cascade(w.Store, own.Ref()) {
		steps[order[i]] = func() error { return step(t.Context()) }
	}
	w.stepsLeaveNoRow("WithChannel", func(k *schema.Kind) domain.Step { return k.WithChannel }, func(key rowKey, p driver.Properties) bool {
		text := fmt.Sprint(key, p)
		return strings.Contains(text, string(own.Key())) || strings.Contains(text, string(own.Incarnation))
	}, steps, order...)
}

func stepsLeaveNoRowOfAccount(t *testing.T, w *world) {
	w.fillSound()
	others := w.snapshot()
	w.fillOfKim()
	former := w.Create("former", kim)
	w.leave(kim)
	w.empty(domain.QueueName)
	w.Ask(former)
	for _, step := range storetest.Cascade(w.Store, former.Ref())[:2] {
		w.OK(step(t.Context()))
	}
	entry, err := w.Store.Operator.Entry(t.Context(), kim)
	w.OK(err)
	m := entry.Message()
	take := func(step func(context.Context, domain.Message, storage.Removed) error) func() error {
		return func() error {
			err := step(t.Context(), m, func(int) error { return nil })
			w.work()
			return err
		}
	}
	o := w.Store.Operator
	w.stepsLeaveNoRow("WithAccount", func(k *schema.Kind) domain.Step { return or(k.WithAccount, k.WithChannel) }, func(key rowKey, _ driver.Properties) bool {
		_, was := others[key]
		return !was
	}, map[domain.Step]func() error{
		domain.StepPivot:         func() error { _, err := o.BeginErasure(t.Context(), m); return err },
		domain.StepChannels:      take(o.EraseChannels),
		domain.StepFence:         take(o.EraseFence),
		domain.StepPosts:         take(o.ErasePosts),
		domain.StepVotes:         take(o.EraseVotes),
		domain.StepSubscriptions: take(o.EraseSubscriptions),
		domain.StepRelease:       take(o.EraseAccount),
	}, domain.StepPivot, domain.StepChannels, domain.StepFence, domain.StepPosts, domain.StepVotes, domain.StepSubscriptions, domain.StepRelease)
	for range 2 {
		time.Sleep(storetest.Patience + time.Second)
		w.rest()
	}
	violations, _ := w.Check(false)
	for _, v := range append(violations, w.oracle()...) {
		t.Errorf("a step left a row that names what it deleted: %+v", v)
	}
}

func labSaysWhatCallsDependOn(t *testing.T, w *world) {
	required, swaps := map[*schema.Kind]bool{}, map[*schema.Kind]bool{}
	w.Store = storage.New(w.DB, storage.Options{HashPassword: drivertest.CheapHash, Around: []driver.Around{func(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
		var inserted, changed int
		var deleted []*schema.Kind
		for _, op := range c.Operations {
			kind := schema.Of(c.Target, c.Partition, op.Row)
			switch {
			case op.Action == driver.ActionMerge && len(op.Properties) == 0 && len(c.Operations) > 1:
				required[kind] = true
			case op.Action == driver.ActionDelete:
				deleted = append(deleted, kind)
			case op.Action == driver.ActionInsert, op.Action == driver.ActionReplace && op.If == driver.Upsert:
				inserted++
			default:
				changed++
			}
		}
		if inserted == 1 && changed == 0 && len(deleted) == 1 {
			swaps[deleted[0]] = true
		}
		return next(ctx)
	}}})
	w.fillSound()
	for _, kind := range schema.Kinds() {
		if required[kind] != (kind.Requires != "") {
			t.Errorf("%s of %s: transactions merge it without a property, only to depend on it: %t; let its Requires in package schema say in words on what they depend, or nothing, and not %q", kind.Name, kind.Table, required[kind], kind.Requires)
		}
		if swaps[kind] != kind.Swapped {
			t.Errorf("%s of %s: transactions put another row in its place: %t; its Swapped in package schema says %t", kind.Name, kind.Table, swaps[kind], kind.Swapped)
		}
	}
}

func kindsHaveScenarios(t *testing.T) {
	for _, kind := range schema.Kinds() {
		written := false
		for _, s := range protocol.Scenarios() {
			if s.Name != kind.Scenario {
				continue
			}
			x := lab.NewExplorer(s)
			defer x.Close()
			run, err := x.Follow(nil, true) // each actor after the other
			written = err == nil && slices.ContainsFunc(run[1:], func(m lab.Moment) bool {
				s := m.Step
				return s.Call != nil && slices.ContainsFunc(s.Call.Operations, func(op driver.Operation) bool {
					return op.Action != driver.ActionDelete && schema.Of(s.Call.Target, s.Call.Partition, op.Row) == kind
				})
			})
		}
		if !written && (kind.Scenario != "" || !reason(kind.Check)) {
			t.Errorf("%s of %s: no actor writes it in a scenario %q of the lab: add one that tries to break the kind's invariants, and name it in its Scenario in package schema", kind.Name, kind.Table, kind.Scenario)
		}
	}
}

// With GENERATE set, the test writes the table into the document.
func architectureListsKinds(t *testing.T) {
	const name = "../../ARCHITECTURE.md"
	table := "| table | partition key | row key | holds |\n| --- | --- | --- | --- |\n"
	for _, kind := range schema.Kinds() {
		row := fmt.Sprintf("| %s | `%s` | `%s` | %s: %s |\n", kind.Table, kind.Partition, kind.Form, kind.Name, kind.What)
		table += strings.Replace(row, "``", "empty", 1)
	}
	text, err := os.ReadFile(name)
	current := regexp.MustCompile(`(?s)\| table \| partition key .*?\n\n`).ReplaceAllLiteral(text, []byte(table+"\n"))
	if os.Getenv("GENERATE") != "" && err == nil {
		text, err = current, os.WriteFile(name, current, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, current) || !bytes.Contains(text, []byte(table)) {
		t.Error("ARCHITECTURE.md does not have the table of schema.Kinds: run make generate")
	}
}

func rowOfNoKindIsFound(t *testing.T) {
	for _, table := range schema.Tables() {
		w := newWorld(t)
		w.Create("garden", ada)
		w.OK(w.Table(table).Transact(t.Context(), "garden", driver.Insert("~ later")))
		if violations := w.Violations(); len(violations) == 0 || violations[0].Table != table {
			t.Errorf("%s: found %+v", table, violations)
		}
	}
}
