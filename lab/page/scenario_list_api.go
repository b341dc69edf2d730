package page

import (
	"net/http"

	"microblogging/lab/prove"
	"microblogging/templates"
)

type scenarioListJSON struct {
	Scenarios []scenarioJSON `json:"scenarios"`
}

type scenarioJSON struct {
	Name  string `json:"name"`
	About string `json:"about"`
	Part  string `json:"part"`
	// Par is the number of choices of the shortest schedule that breaks a law. It is
	// absent if there is none.
	Par int `json:"par,omitempty"`
}

// scenarioList lists all scenarios for programs.
func (l *Lab) scenarioList(w http.ResponseWriter, r *http.Request, _ templates.Page) error {
	known, err := l.known()
	if err != nil {
		return err
	}
	list := scenarioListJSON{Scenarios: []scenarioJSON{}}
	for _, c := range l.cases() {
		record, _ := prove.About(known, c.Name)
		list.Scenarios = append(list.Scenarios, scenarioJSON{Name: c.Name, About: c.About, Part: c.Part.String(), Par: record.Par})
	}
	return l.encoded(w, r, list)
}
