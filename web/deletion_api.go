package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
)

// deletionsAPI shows the progress of a deletion.
type deletionsAPI struct {
	store    *storage.Store
	sessions *sessions
}

func (a *deletionsAPI) routes(r router) {
	get(r, "/channels/:name/deletions/:incarnation", a.sessions.closedBeside(a.read))
}

type deletionJSON struct {
	Channel     domain.ChannelName   `json:"channel"`
	State       domain.DeletionState `json:"state"`
	Step        domain.Step          `json:"step"`
	RowsDeleted int64                `json:"rowsDeleted"`
	Attempts    int                  `json:"attempts"`
	RequestedOn apiTime              `json:"requestedOn"`
	FinishedOn  apiTime              `json:"finishedOn"`
	// WaitingSince is absent unless a worker waits for the storage.
	WaitingSince *apiTime   `json:"waitingSince,omitempty"`
	Steps        []stepJSON `json:"steps"`
}

// stepJSON says when one worker took one step.
type stepJSON struct {
	Step     domain.Step `json:"step"`
	Worker   int         `json:"worker"`
	Delivery int64       `json:"delivery"`
	BeganOn  apiTime     `json:"beganOn"`
	// EndedOn is null while the step is under way, or if the worker died.
	EndedOn apiTime           `json:"endedOn"`
	Rows    int64             `json:"rows"`
	Result  domain.StepResult `json:"result"`
	Count   int               `json:"count"`
}

func stepsOf(trace domain.Trace) []stepJSON {
	steps := make([]stepJSON, len(trace))
	for i, r := range trace {
		steps[i] = stepJSON{
			Step: r.Step, Worker: r.Worker, Delivery: r.Delivery, BeganOn: apiTime(r.Began), EndedOn: apiTime(r.Ended),
			Rows: r.Rows, Result: r.Result, Count: r.Count,
		}
	}
	return steps
}

func (a *deletionsAPI) read(c echo.Context, who awaited) error {
	_, d, err := besideDeletion(c, a.store, who)
	if err != nil {
		return err
	}
	answer := deletionJSON{
		Channel:     d.Name,
		State:       d.State,
		Step:        d.Step,
		RowsDeleted: d.RowsDeleted,
		Attempts:    d.Attempts,
		RequestedOn: apiTime(d.RequestedOn),
		FinishedOn:  apiTime(d.FinishedOn),
		Steps:       stepsOf(d.Trace),
	}
	if since := apiTime(d.WaitingSince); !d.WaitingSince.IsZero() {
		answer.WaitingSince = &since
	}
	return respond(c, http.StatusOK, answer)
}
