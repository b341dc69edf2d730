package templates

import (
	"strings"
	"testing"
	"time"

	"microblogging/domain"
)

func TestDeletionPage(t *testing.T) {
	t.Run("shows its steps", func(t *testing.T) {
		page := pageAt("/channels/aurora/deletions/inc1", "ingrid")
		expect(t, DeletionPage(page, sampleDeletion(domain.DeletionRunning, "sweep")),
			in("h1", says("“aurora” is being deleted")),
			in("progress[max=5][value=2]"),
			times(2, "li[class=done]"), times(2, "li[class=ahead]"),
			in("li[class=current][aria-current=step]", says("Remove the rows")),
			in("dl[class=told]", says("You deleted it 29 July 2026, 11:59:00 UTC"), silent("Finished")),
			in("dl[class=facts]", says("Rows removed 12,345"), says("Failed attempts 2")),
		)
	})
	t.Run("says what its reader must know, and folds its machinery", func(t *testing.T) {
		pending := sampleDeletion(domain.DeletionPending, "")
		pending.UndoableUntil = noon()
		told := in("dl[class=told]", says("You can undo it until 29 July 2026, 12:00:00 UTC"), says("What readers see “This channel was deleted”, and none of its posts."))
		expect(t, DeletionPage(pageAt("/x", "ingrid"), pending), told, times(1, "details[class=how]"), times(0, "details[open]"))
		for _, state := range []domain.DeletionState{
			domain.DeletionPending, domain.DeletionQueued, domain.DeletionRunning, domain.DeletionPoisoned, domain.DeletionDone, domain.DeletionUndone,
		} {
			for _, step := range []domain.Step{"", domain.StepSweep} {
				root := parse(t, render(t, DeletionPage(pageAt("/x", "ingrid"), sampleDeletion(state, step))))
				fold := find(root, "details[class=how]")[0]
				fold.Parent.RemoveChild(fold)
				if err := plain(root); err != nil {
					t.Errorf("%s: %v", state, err)
				}
			}
		}
	})
	t.Run("says who has deleted it, and who can undo that, to the owner and to operators", func(t *testing.T) {
		for _, c := range []struct {
			by             domain.Actor
			operator       domain.UserName
			asker, undoers string
		}{
			{domain.By("ingrid"), "", "You deleted it", "You can undo it until"},
			{domain.By("ingrid"), "otto", "An operator deleted it", "Only an operator can undo it until"},
			{domain.Actor{User: "otto", Operator: true}, "otto", "You deleted it", "You can undo it until"},
			{domain.Actor{User: "olga", Operator: true}, "otto", "An operator deleted it", "You can undo it until"},
			{domain.Actor{User: "olga", Operator: true}, "", "Its owner deleted it", "Only its owner can undo it until"},
		} {
			v := sampleDeletion(domain.DeletionPending, "")
			v.By, v.ByOperator = c.by, c.operator
			again := in("aside", says("Keep its address"), without("a[href=/account/deletions]"))
			if c.by.User == "ingrid" {
				again = in("aside", in("a[href=/account/deletions]"))
			}
			expect(t, DeletionPage(pageAt("/x", c.by.User), v), in("dl[class=told]", says(c.asker), says(c.undoers)), again)
		}
	})
	waits := sampleDeletion(domain.DeletionRunning, "sweep")
	waits.WaitingSince = noon()
	shows(t, "says since when a part of the site does not answer", DeletionPage(pageAt("/x", "ingrid"), waits),
		in("h1", says("“aurora” waits to be deleted")), says("A part of the site has not answered since 29 July 2026, 12:00:00 UTC."))
	again := sampleDeletion(domain.DeletionDone, "release")
	again.LastDelivery = 2
	shows(t, "says that it counts at least the rows removed, if a second worker went on", DeletionPage(pageAt("/x", "ingrid"), again), in("dl[class=facts]", says("Rows removed (at least) 12,345")))
	full := sampleDeletion(domain.DeletionRunning, "sweep")
	shows(t, "does not say that steps are missing while there is room for all", DeletionPage(teaching(pageAt("/x", "ingrid")), full), silent("may be missing"), times(1, "a[href=/channels/aurora/rows]"))
	for len(full.StepLog) < domain.MaxStepLog {
		full.StepLog = append(full.StepLog, full.StepLog[0])
	}
	shows(t, "says that steps may be missing in a full log", DeletionPage(pageAt("/x", "ingrid"), full), says("steps after the first eight may be missing"))
	shows(t, "leads to no rows once it is done, which may be another channel's", DeletionPage(teaching(pageAt("/x", "ingrid")), again), times(0, "a[href=/channels/aurora/rows]"))
	// The request hides the channel, and the worker's first step makes sure.
	shows(t, "does not say that hiding the channel is still ahead", DeletionPage(pageAt("/x", "ingrid"), sampleDeletion(domain.DeletionRunning, "")), says("Readers no longer see the channel."),
		in("li[class=ahead][data-step=pivot]", says("Pass the point of no return"), says("Your request hides the channel immediately.")),
		silent("Hide the channel from readers"), silent("From here on"),
	)
	// A request may die between its message and its mark. Then the worker marks the channel.
	t.Run("does not claim that a queued deletion is hidden before a worker saw to it", func(t *testing.T) {
		expect(t, DeletionPage(pageAt("/x", "ingrid"), sampleDeletion(domain.DeletionQueued, "")),
			says("Your request is kept."), says("Readers no longer see the channel once the work begins, and usually before."))
		expect(t, DeletionPage(pageAt("/x", "ingrid"), sampleDeletion(domain.DeletionQueued, "sweep")), says("Readers no longer see the channel. "))
	})
	shows(t, "says in its fold that a post may still arrive while the gate is open", DeletionPage(pageAt("/x", "ingrid"), sampleDeletion(domain.DeletionPending, "")),
		in("details[class=how]", says("The gate in the store is still open"), says("the store can accept a post")))
	late := sampleDeletion(domain.DeletionDone, "release")
	late.UndoableUntil = late.FinishedOn.Add(-time.Second)
	shows(t, "does not count the time to undo it", DeletionPage(pageAt("/x", "ingrid"), late), in("dl[class=facts]", says("Took 1.0 s")))
	shows(t, "leads on and stops refreshing when done", DeletionPage(pageAt("/x", "ingrid"), sampleDeletion(domain.DeletionDone, "release")),
		says("After that, the name was free again."), in("dl[class=facts]", says("Took 4.0 s")), in("progress[value=5]"), times(5, "li[class=done]"),
		in("dl[class=told]", says("Finished")),
		in("div[id=progress]", in("a[href=/channels]"), in("a[href=/channels/new?name=aurora]"), says("again, if the name is still free")),
		without("noscript"), without("[data-events]"),
	)
	shows(t, "says how to re-queue a poisoned deletion", DeletionPage(pageAt("/x", "ingrid"), sampleDeletion(domain.DeletionPoisoned, "sweep")),
		in("h1", says("“aurora” is not deleted yet")), says("An operator of this site must look at this"),
		in("details[class=how]", says("Stopped after 2 failed attempts")),
		in("code", says("microblogging requeue --channel aurora")),
		in("li[class=current]", says("Remove the rows")),
		in("noscript", in("meta[http-equiv=refresh]")),
	)
	killer := sampleDeletion(domain.DeletionPoisoned, "sweep")
	killer.Attempts = 0
	shows(t, "does not count attempts that killed their workers", DeletionPage(pageAt("/x", "ingrid"), killer),
		in("details[class=how]", says("Stopped after many deliveries without progress")))
	t.Run("shows how far the gate has come", func(t *testing.T) {
		for step, state := range map[domain.Step]string{"": "open", "pivot": "open", "shut": "open", "sweep": "shut", "remove-gate": "shut", "release": "gone"} {
			v := sampleDeletion(domain.DeletionRunning, step)
			v.StepLog = nil
			expect(t, DeletionPage(pageAt("/x", "ingrid"), v),
				in("ol[class=gate-strip]", in("li[class=gate "+state+"][aria-current=step]")), times(1, "li[aria-current=step][class=gate "+state+"]"))
		}
	})
	t.Run("stays up to date until done", func(t *testing.T) {
		for _, state := range []domain.DeletionState{domain.DeletionQueued, domain.DeletionRunning, domain.DeletionPoisoned} {
			expect(t, DeletionPage(pageAt("/x", "ingrid"), sampleDeletion(state, "pivot")),
				in("noscript", in("meta[http-equiv=refresh][content=2]")),
				in("div[id=progress][data-events=/channels/aurora/deletions/inc1/events]"),
				in("[id=announcement][role=status]"),
			)
		}
	})
	// The script replaces the contents of #progress with the data of an event, which is
	// one line.
	t.Run("gets the part that changes from an event", func(t *testing.T) {
		v := sampleDeletion(domain.DeletionRunning, "shut")
		fragment := render(t, DeletionProgress(v))
		if page := render(t, DeletionPage(pageAt("/x", "ingrid"), v)); !strings.Contains(page, `/events">`+fragment+"</div>") {
			t.Error("the page holds something else in #progress")
		}
		if strings.ContainsAny(fragment, "\r\n") {
			t.Error("the fragment has more than one line")
		}
		expect(t, DeletionProgress(v), in("[data-state=is being deleted]"))
	})
	// After a crash, another worker begins at the first step.
	t.Run("does not go back while a worker repeats the steps", func(t *testing.T) {
		v := sampleDeletion(domain.DeletionRunning, "sweep")
		v.Step = domain.StepPivot
		expect(t, DeletionProgress(v), in("progress[max=5][value=2]"),
			times(2, "li[class=done]"), in("li[class=current]", says("Remove the rows")))
	})
	t.Run("shows the gate as the steps on record left it", func(t *testing.T) {
		for want, trace := range map[GateState]domain.StepLog{
			GateOpen: {{Step: "shut", Worker: 1}},
			GateShut: {{Step: "shut", Worker: 1, Result: "done"}, {Step: "remove-gate", Worker: 1}},
			GateGone: {{Step: "remove-gate", Worker: 1, Result: "done"}, {Step: "shut", Worker: 2}},
		} {
			v := sampleDeletion(domain.DeletionRunning, "shut")
			v.StepLog = trace
			expect(t, DeletionProgress(v), in("ol[class=gate-strip]", times(1, "li[aria-current=step]"), in("li[class=gate "+string(want)+"][aria-current=step]")))
		}
		expect(t, DeletionProgress(sampleDeletion(domain.DeletionUndone, "")), without("ol[class=gate-strip]"))
	})
	t.Run("keeps a table of what each worker did and when", func(t *testing.T) {
		expect(t, DeletionPage(pageAt("/x", "ingrid"), sampleDeletion(domain.DeletionDone, "release")),
			in("section[class=trace]", in("table", times(6, "tr[data-step]"), times(7, "th[scope=row]"),
				in("tr[data-step=pivot]", says("+42 ms0.4 ms01 (delivery 1)")),
				in("tr[data-step=sweep]", says("sweep Remove the rows The worker recorded nothing more.+43 ms–991 (delivery 1)")),
				in("tr[data-step=sweep]", says("+32.0 s1.5 s12,2462 (delivery 2)")),
				in("tr[data-step=release]", says("Another worker had already gone further."), says("+3 min 20 s1 min 15 s")),
			)),
		)
		expect(t, DeletionPage(pageAt("/x", "ingrid"), sampleDeletion(domain.DeletionQueued, "")), without("table"))
	})
	t.Run("tells 0.4 ms from 40 ms and from 4 minutes", func(t *testing.T) {
		for d, want := range map[time.Duration]string{
			0: "0 ms", 10 * time.Microsecond: "under 0.1 ms", 60 * time.Microsecond: "0.1 ms", 400 * time.Microsecond: "0.4 ms", 9960 * time.Microsecond: "10 ms", 40 * time.Millisecond: "40 ms",
			999600 * time.Microsecond: "1.0 s", 59940 * time.Millisecond: "59.9 s", 59950 * time.Millisecond: "1 min 0 s",
			4 * time.Minute: "4 min 0 s", 2*time.Hour + 5*time.Minute: "2 h 5 min",
		} {
			if got := brief(d); got != want {
				t.Errorf("%s is %q, want %q", d, got, want)
			}
		}
	})
}
