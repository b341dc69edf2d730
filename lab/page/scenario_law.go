package page

import (
	"strings"

	"microblogging/lab"
)

// lawView is the chip of one law.
type lawView struct {
	lab.LawState
	// URL is the state after the step that broke the law.
	URL string
	// News tells that the last step has changed the state of the law.
	News bool
}

// sign is the state as a sign that needs no color.
func (v lawView) sign() string {
	switch v.State {
	case lab.LawHolds:
		return "✓"
	case lab.LawBroken:
		return "✗"
	default:
		return "○"
	}
}

func newLawViews(moments []lab.Moment, l links) []lawView {
	var views []lawView
	for i, law := range moments[l.at].Laws {
		v := lawView{LawState: law}
		v.News = l.at > 0 && moments[l.at-1].Laws[i].State != law.State
		if law.State == lab.LawBroken {
			v.URL = l.state(law.Since, partRun)
		}
		views = append(views, v)
	}
	return views
}

// lawsIn lists the laws that are in a state.
func lawsIn(views []lawView, state string) (found []lawView) {
	for _, v := range views {
		if v.State == state {
			found = append(found, v)
		}
	}
	return found
}

// why is the reason without the name of the law.
func (v lawView) why() string { return strings.TrimPrefix(v.Reason, v.Law+": ") }
