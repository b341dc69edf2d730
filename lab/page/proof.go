package page

import (
	"strconv"
	"strings"

	"microblogging/lab"
)

// A proofStep is a step that explains why an invariant is violated.
type proofStep struct {
	runLine
	// Tag says what it has to do with that, and Class is for the style sheet.
	Tag, Class string
	Code       lineView
}

// told is a step with its request as a sentence, its response, and its line of Go.
func (v *scene) told(n int) (l runLine, code lineView) {
	step := v.moments[n].Step
	l = runLine{First: n, Last: n, StepText: v.Words(*step), Refused: step.Applied != nil && step.Applied.Err != nil, Changes: changesIn(v.moments[n : n+1])}
	if step.Call == nil {
		return l, code
	}
	l.Actor, l.Hue = v.Actors[step.Sender-1].Name, hue(step.Sender)
	if sentence := v.Tell(step.Call, step.Site()); sentence != "" {
		l.Call = strings.TrimSuffix(sentence, ".")
	}
	for _, line := range newSourceView(step.Site(), step.Site().Line, step.Site().Line).Lines {
		code = line
	}
	return l, code
}

// proof says in one sentence how an invariant was violated, with the steps: what the actor had read, what made it
// possible and what violated it.
func (v *scene) proof() (because string, steps []proofStep) {
	worst, _ := v.worst()
	add := func(n int, tag, class string) {
		step := proofStep{Tag: tag, Class: class}
		step.runLine, step.Code = v.told(n)
		step.Call = storeTitle(targetOf(v.moments[n].Step)) + ": " + step.Call
		steps = append(steps, step)
	}
	if v.made == 0 {
		if worst.Since > 0 {
			add(worst.Since, "✗ "+strconv.Itoa(worst.Since)+" · violated it", "broke")
		}
		return "step " + strconv.Itoa(worst.Since) + " alone did it.", steps
	}
	made := v.moments[v.made].Step
	because = "step " + strconv.Itoa(v.made) + " made that possible, and step " + strconv.Itoa(worst.Since) + " did it."
	if made.Call != nil && made.Call.Writes() && made.Choice.Fate != lab.Lands {
		read := v.reading(made.Sender, v.made-1, v.instead)
		if read.Since == 0 {
			read = v.reading(made.Sender, v.made-1, nil)
		}
		if read.Since > 0 {
			actor := v.Actors[made.Sender-1].Name
			add(read.Step, strconv.Itoa(read.Step)+" · what "+actor+" knew", "")
			because = actor + " wrote at step " + strconv.Itoa(v.made) + " on what " + actor + " had read at step " + strconv.Itoa(read.Step) +
				" (" + read.Row + "), and since step " + strconv.Itoa(read.Since) + " that was no longer true."
		}
	}
	add(v.made, "◆ "+strconv.Itoa(v.made)+" · made it possible", "made")
	add(worst.Since, "✗ "+strconv.Itoa(worst.Since)+" · violated it", "broke")
	return because, steps
}
