package page

import "strconv"

// stop is the stop of the class that the page shows, and its number. It is none unless the page is for the hall: for its
// projector, and for the phones that follow the handout.
func (v *scene) stop() (stop, int) {
	if !v.large {
		return stop{}, 0
	}
	return stopOf(v.Name)
}

// question is that of the stop. It has the place of the rule, which would answer it, until the level is won, or until no
// actor can go on in the production code. It states nothing, so it can be asked in each state.
func (v *scene) question() string {
	s, _ := v.stop()
	if v.won() || v.ships() && v.now().Quiescent() {
		return ""
	}
	return s.Question
}

// heading is the title of the page. What the handout calls stop 2 is not called level 6 on the wall.
func (v *scene) heading() string {
	if _, number := v.stop(); number > 0 {
		l, _ := v.level()
		return "Stop " + strconv.Itoa(number) + " of " + strconv.Itoa(len(stops())) + ": " + l.Title
	}
	return titleOf(v.Case)
}
