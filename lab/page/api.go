package page

import (
	"net/http"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/lab/modelcheck"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
	"microblogging/templates"
)

// stateJSON is a state of a scenario.
type stateJSON struct {
	// Schedule leads to the state, in canonical form.
	Schedule   string               `json:"schedule"`
	Steps      []stepJSON           `json:"steps"`
	Choices    []choiceJSON         `json:"choices"`
	Tables     map[string][]rowJSON `json:"tables"`
	Queue      []messageJSON        `json:"queue"`
	Invariants []invariantJSON      `json:"invariants"`
	// Pending is what each actor is about to call, in a state that is asked for in full.
	Pending []callJSON `json:"pending,omitempty"`
}

// callJSON is a call with what it is for and the line that makes it.
type callJSON struct {
	Actor    string `json:"actor"`
	Call     string `json:"call"`
	Sentence string `json:"sentence"`
	Source   string `json:"source"`
}

type stepJSON struct {
	Actor string `json:"actor"`
	Call  string `json:"call"`
	// Fate is a word of the notation, such as "arrives" or "lost".
	Fate string `json:"fate"`
	// Answer is empty if the actor got none.
	Answer string   `json:"answer"`
	Told   []string `json:"told"`
	// Sentence and Source say what the call is for and which line makes it, in a state that is
	// asked for in full.
	Sentence string `json:"sentence,omitempty"`
	Source   string `json:"source,omitempty"`
}

// choiceJSON is what may happen next. Choice is appended to the schedule after a comma.
type choiceJSON struct {
	Choice string `json:"choice"`
	Actor  string `json:"actor"`
	Label  string `json:"label"`
}

type rowJSON struct {
	PartitionKey string         `json:"partitionKey"`
	RowKey       string         `json:"rowKey"`
	ETag         string         `json:"etag"`
	Properties   map[string]any `json:"properties"`
	// Changed reports whether the last step wrote the row.
	Changed bool `json:"changed"`
}

type messageJSON struct {
	Text   string `json:"text"`
	Leased bool   `json:"leased"`
}

type invariantJSON struct {
	Invariant string `json:"invariant"`
	State     string `json:"state"`
	Reason    string `json:"reason"`
}

// json is the state. In full it has the sentence and the line of each call, and the calls that wait.
func (s *scene) json(full bool) stateJSON {
	now := s.moments[len(s.moments)-1]
	state := stateJSON{
		Schedule: s.Format(s.schedule), Steps: []stepJSON{}, Choices: s.choicesJSON(now),
		Tables: map[string][]rowJSON{}, Queue: []messageJSON{}, Invariants: []invariantJSON{},
	}
	for _, m := range s.moments[1:] {
		words := s.Words(*m.Step)
		step := stepJSON{Actor: words.Actor, Call: words.Call, Fate: m.Step.Choice.Fate.String(), Answer: words.Result, Told: append([]string{}, words.Told...)}
		if full && m.Step.Call != nil {
			step.Sentence, step.Source = s.Tell(m.Step.Call, m.Step.Site()), place(m.Step.Site())
		}
		state.Steps = append(state.Steps, step)
	}
	for _, a := range now.Actors {
		if full && a.Call != nil {
			state.Pending = append(state.Pending, callJSON{a.Name, a.Words, a.Sentence, place(a.Site)})
		}
	}
	for _, table := range append(schema.Tables(), now.DB.Tables()...) {
		state.Tables[table] = rowsJSON(table, s.moments[max(len(s.moments)-2, 0)], now)
	}
	for _, m := range now.DB.Messages(domain.QueueName) {
		state.Queue = append(state.Queue, messageJSON{m.Text, now.DB.Leased(domain.QueueName, m.ID)})
	}
	for _, invariant := range now.Invariants {
		state.Invariants = append(state.Invariants, invariantJSON{invariant.Name, invariant.State, invariant.Reason})
	}
	return state
}

// choicesJSON are the choices that can be taken.
func (s *scene) choicesJSON(now lab.Moment) []choiceJSON {
	choices := []choiceJSON{}
	if len(s.schedule) == lab.MaxChoices {
		return choices
	}
	add := func(actor string, options []lab.Option) {
		for _, o := range options {
			choices = append(choices, choiceJSON{o.Word, actor, o.Label})
		}
	}
	for _, actor := range now.Actors {
		add(actor.Name, actor.Options)
	}
	add("network", now.Network)
	return choices
}

func rowsJSON(table string, before, now lab.Moment) []rowJSON {
	rows := []rowJSON{}
	for _, c := range compared(table, before.DB, now.DB) {
		if row := c.After; row.ETag != "" {
			rows = append(rows, rowJSON{row.Partition, row.Row, string(row.ETag), propertiesJSON(row.Properties), markOf(c) != ""})
		}
	}
	return rows
}

// propertiesJSON are the properties as values of JSON. A time has seven digits after the
// second, as in the API.
func propertiesJSON(properties driver.Properties) map[string]any {
	values := make(map[string]any, len(properties))
	for _, p := range properties {
		switch p.Value.Kind() {
		case driver.KindInt64:
			values[p.Name] = p.Value.Number()
		case driver.KindBoolean:
			values[p.Name] = p.Value.Number() != 0
		default:
			values[p.Name] = p.Value.String()
		}
	}
	return values
}

type scenarioJSON struct {
	Name  string `json:"name"`
	About string `json:"about"`
	Part  string `json:"part"`
	// Shortest is the number of choices of the shortest schedule that breaks an invariant. It is
	// absent if there is none.
	Shortest int `json:"shortest,omitempty"`
}

// scenarioList lists all scenarios for programs.
func (l *Lab) scenarioList(w http.ResponseWriter, r *http.Request, _ templates.Page) (templates.Response, error) {
	var list []scenarioJSON
	for _, c := range l.cases() {
		if c.Part == modelcheck.Own {
			continue
		}
		list = append(list, scenarioJSON{Name: c.Name, About: c.About, Part: c.Part.String(), Shortest: l.recordOf(c.Name).Shortest})
	}
	return encoded(w, map[string]any{"scenarios": list})
}
