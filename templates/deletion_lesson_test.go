package templates

import (
	"testing"

	"microblogging/domain"
)

func TestLesson(t *testing.T) {
	shows(t, "shows what each worker does", DeletionPage(pageAt("/x", "ingrid"), sampleLessonOf(domain.DeletionRunning, sampleLesson())),
		in("p[class=headline]", says("Worker 4 is at shut; worker 6 waits before disarm")),
		in("section[id=lesson]", says("It was fenced out"), says("The message was delivered again 2 times."),
			in("div", in("h3", says("Worker 1, delivery 1")), says("You killed it before sweep."), in("span[data-left=12]", says("Its lease runs out in 12 s."))),
			in("div", in("h3", says("Worker 2, delivery 2")), says("Its lease has run out")),
			in("div", in("h3", says("Worker 3")), says("its process is gone")),
			in("div", in("h3", says("Worker 4")), says("It is at shut: Close the gate")),
		),
	)
	t.Run("has a heading for all workers at work, or for the latest", func(t *testing.T) {
		killed := domain.LessonWorker{Number: 1, State: "killed", Step: "sweep"}
		sweeps := domain.LessonWorker{Number: 2, State: "works", Step: "sweep"}
		waits := domain.LessonWorker{Number: 3, State: "waits", Step: "mark", LeaseUntil: noon()}
		gone := domain.LessonWorker{Number: 4, State: "waits", Step: "shut"}
		ended := domain.LessonWorker{Number: 5, State: "ended", Last: "release", Result: "done"}
		for want, workers := range map[string][]domain.LessonWorker{
			"Worker 2 is at sweep; worker 3 waits before mark": {killed, sweeps, waits, gone, ended},
			"Worker 3 waits before mark":                       {killed, waits},
			"Worker 1 was killed before sweep":                 {killed},
			"Worker 4 was lost before shut":                    {killed, gone},
			"Worker 5 has ended":                               {killed, ended},
		} {
			v := sampleLessonOf(domain.DeletionRunning, &domain.Lesson{Workers: workers})
			expect(t, DeletionProgress(v), in("p[class=headline]", says(want)), in("[data-announce="+want+"]"))
		}
	})
	t.Run("has buttons for a worker that waits, and for the message", func(t *testing.T) {
		expect(t, DeletionPage(pageAt("/x", "ingrid"), sampleLessonOf(domain.DeletionRunning, sampleLesson())),
			times(4, "form[data-stay][method=post][action=/channels/aurora/deletions/inc1]"),
			in("form[data-stay]", in("input[name=worker][value=6]"), in("input[name=step][value=disarm]"), in("input[name=action][value=next]"), in("button[id=next-6]", says("Next step"))),
			in("form[data-stay]", in("input[name=worker][value=6]"), in("input[name=action][value=kill]"), in("button[id=kill-6]", says("Kill the worker"))),
			in("button[id=again]", says("Deliver the message again")), in("input[name=action][value=again]"), in("button[id=free]"), in("input[name=action][value=free]"),
		)
		l := sampleLesson()
		l.Copies = domain.MaxLessonCopies
		expect(t, DeletionPage(pageAt("/x", "ingrid"), sampleLessonOf(domain.DeletionRunning, l)), without("[id=again]"))
	})
	t.Run("holds still while a worker waits", func(t *testing.T) {
		l := sampleLesson()
		expect(t, DeletionPage(pageAt("/x", "ingrid"), sampleLessonOf(domain.DeletionRunning, l)), without("noscript"), in("[data-events]"))
		l.Workers = l.Workers[:5]
		expect(t, DeletionPage(pageAt("/x", "ingrid"), sampleLessonOf(domain.DeletionRunning, l)), in("noscript", in("meta[http-equiv=refresh]")))
	})
	t.Run("has no buttons once it is over", func(t *testing.T) {
		for _, why := range []domain.LessonEnd{"freed", "forgotten", "crowded"} {
			l := sampleLesson()
			l.Over = why
			expect(t, DeletionPage(pageAt("/x", "ingrid"), sampleLessonOf(domain.DeletionRunning, l)), without("form[data-stay]"), says("Step 3 of 5"))
			expect(t, DeletionPage(pageAt("/x", "ingrid"), sampleLessonOf(domain.DeletionDone, l)), without("[data-events]"))
		}
	})
	t.Run("is followed after the end while a message is out", func(t *testing.T) {
		settled := domain.LessonWorker{Number: 1, State: "ended", Last: "release", Result: "done"}
		for copies, live := range []bool{false, true} {
			v := sampleLessonOf(domain.DeletionDone, &domain.Lesson{Copies: copies, Workers: []domain.LessonWorker{settled}})
			if v.Live() != live {
				t.Errorf("with %d copies, the page is live: %t", copies, v.Live())
			}
		}
	})
	t.Run("traces a refused sweep at once, also after the end, and says how to bring it about", func(t *testing.T) {
		late := domain.LessonWorker{Number: 9, Delivery: 3, State: "waits", Step: "release", LeaseUntil: noon(), Last: "sweep", Result: "overtaken"}
		v := sampleLessonOf(domain.DeletionDone, &domain.Lesson{Copies: 1, Workers: []domain.LessonWorker{late, {Number: 10, State: "ended", Last: "release", Result: "done"}}})
		expect(t, DeletionPage(pageAt("/x", "ingrid"), v), in("section[id=lesson]", says("leave worker 1 paused before sweep"), says("The store refused its sweep")),
			in("section[class=trace]", in("table", says("Refused by the store: the shut gate is gone."), says("after the end"), says("9 (delivery 3)")), says("The record ends with the deletion.")))
		v.Lesson.Workers[0].Result = "done"
		expect(t, DeletionPage(pageAt("/x", "ingrid"), v), silent("Refused by the store"))
		v.State = domain.DeletionRunning
		expect(t, DeletionPage(pageAt("/x", "ingrid"), v), silent("The record ends"))
	})
	t.Run("is offered only by a site that teaches", func(t *testing.T) {
		v := DeleteChannel{Channel: domain.Channel{Name: "aurora", Incarnation: "inc1"}}
		expect(t, DeleteChannelPage(pageAt("/x", "ingrid"), v), without("input[type=checkbox]"))
		v.Teach = true
		expect(t, DeleteChannelPage(pageAt("/x", "ingrid"), v), in("form", in("input[type=checkbox][name=pause]"), says("Pause before each step")))
	})
}
