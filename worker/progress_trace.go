package worker

import (
	"microblogging/domain"
)

// A tracedStep is a step of this handling with what the Deletions row says of it.
type tracedStep struct {
	domain.StepRecord
	// recorded is the number of rows of this step that the row counts; -1 if the row
	// has no record of the step.
	recorded int64
}

// enter begins a step. The next record says it.
func (p *progress) enter(step domain.Step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.steps = append(p.steps, tracedStep{
		StepRecord: domain.StepRecord{Step: step, Delivery: p.delivery, Began: domain.Now(), Count: 1},
		recorded:   -1,
	})
}

// leave ends the step under way, if there is one.
func (p *progress) leave(result domain.StepResult) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.steps) == 0 {
		return
	}
	if last := &p.steps[len(p.steps)-1]; last.Result == domain.StepUnderWay {
		last.Ended, last.Result = domain.Now(), result
	}
}

// end ends the step under way in which the handling ended. Work that is done has left
// its last step before.
func (p *progress) end(result outcome) {
	switch result {
	case outcomeShutdown:
		p.leave(domain.StepStopped)
	case outcomeWait:
		p.leave(domain.StepWaiting)
	case outcomeLost:
		p.leave(domain.StepLost)
	default:
		p.leave(domain.StepFailed)
	}
}

// noteRecord notes what the row says of the steps now.
func (p *progress) noteRecord(steps []tracedStep, worker int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.worker = worker
	for i, step := range steps {
		p.steps[i].recorded = max(p.steps[i].recorded, step.Rows)
	}
}

// current returns the last step of the cascade that was entered, or none.
func current(steps []tracedStep) domain.Step {
	if last := steps[len(steps)-1].Step; last != domain.StepReceive {
		return last
	}
	return ""
}

// trace adds the steps to a trace. A worker without a number gets the next one.
func trace(t domain.Trace, steps []tracedStep, worker int) (domain.Trace, int) {
	if worker == 0 {
		worker = t.Workers() + 1
	}
	for _, step := range steps {
		step.Worker = worker
		t = t.With(step.StepRecord, step.recorded)
	}
	return t, worker
}

// number returns the number of this handling in the trace. It is 0 if the deletion was
// done before.
func (p *progress) number() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.worker
}

// last returns the last step that was entered, how it ended, and how many rows this
// handling has removed. If a step found that another worker is further, it returns that.
func (p *progress) last() (step domain.Step, result domain.StepResult, rows int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := p.steps[len(p.steps)-1]
	for _, s := range p.steps {
		if s.Result == domain.StepOvertaken {
			last = s
		}
	}
	return last.Step, last.Result, p.rows
}
