package page

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/a-h/templ"

	"microblogging/lab/prove"
	"microblogging/templates"
)

// An indexView is the first page of the lab.
type indexView struct {
	Incidents []incident
	Chapters  []chapterView
	// More are the guards that have no level.
	More []scenarioLink
	// Others are the scenarios of the shipped code that are no level.
	Others []scenarioLink
	// Queries says that the page about queries is there.
	Queries bool
}

type chapterView struct {
	Title, Lead string
	Levels      []levelLink
}

// start is the number of the first level.
func (c chapterView) start() int { return c.Levels[0].Number }

// A levelLink leads to a level.
type levelLink struct {
	level
	Number int
	// Par is the number of steps of the shortest solution, 0 if there is none.
	Par int
	// Facts says what is allowed and what is known of the level.
	Facts string
}

// tagged is the title, of an anomaly with its name.
func (l levelLink) tagged() string {
	if len(l.Name) == len("A1") {
		return l.Name + ": " + l.Title
	}
	return l.Title
}

// A scenarioLink leads to a scenario that is no level.
type scenarioLink struct{ Name, About, Facts string }

// first is the level to begin with.
func (v indexView) first() levelLink { return v.Chapters[0].Levels[0] }

// index shows why the lab is there, and its levels.
func (l *Lab) index(w http.ResponseWriter, r *http.Request, page templates.Page) (templates.Answer, error) {
	page.Path = templates.LabIndexPath
	known, err := l.known()
	if err != nil {
		return templates.Answer{}, err
	}
	v, err := newIndexView(l.cases(), known)
	if err != nil {
		return templates.Answer{}, err
	}
	v.Queries = l.store != nil
	return l.replayed(w, r, func() (templ.Component, error) { return indexPage(page, v), nil })
}

func newIndexView(cases []prove.Case, known []prove.Record) (indexView, error) {
	v := indexView{Incidents: incidents()}
	number := 0
	for _, c := range course() {
		chapter := chapterView{Title: c.Title, Lead: c.Lead}
		for _, level := range c.Levels {
			number++
			at := slices.IndexFunc(cases, func(c prove.Case) bool { return c.Name == level.Name })
			if at < 0 {
				return indexView{}, fmt.Errorf("level %q is about no scenario", level.Name)
			}
			record, _ := prove.About(known, level.Name)
			chapter.Levels = append(chapter.Levels, levelLink{level, number, record.Par, factsOf(cases[at], record)})
		}
		v.Chapters = append(v.Chapters, chapter)
	}
	for _, c := range cases {
		record, _ := prove.About(known, c.Name)
		_, number := levelOf(c.Name)
		switch {
		case number > 0:
		case c.Part == prove.Ablated:
			v.More = append(v.More, scenarioLink{c.Name, c.Guard.Why, factsOf(c, record)})
		case c.Part == prove.Real:
			v.Others = append(v.Others, scenarioLink{c.Name, c.About, factsOf(c, record)})
		}
	}
	return v, nil
}

// factsOf says in a few words what a scenario allows and what the explorer has found.
func factsOf(c prove.Case, record prove.Record) string {
	facts := counted(c.Faults, "fault") + " allowed"
	switch {
	case record.Par > 0:
		return "breaks " + record.Law + ", par " + counted(record.Par, "step") + ", " + facts
	case record.States > 0:
		return facts + "; searched in vain: " + counted(record.States, "state")
	}
	return facts
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	switch n {
	case 0:
		return "no " + noun + "s"
	case 1:
		return "1 " + noun
	}
	return grouped(n) + " " + noun + "s"
}

// grouped is a number with commas between the thousands.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

// An incident is something that went wrong elsewhere, in public. Each sentence of it is in
// one of its sources.
type incident struct {
	Title string
	// Text has one paragraph each.
	Text []string
	// Moral says where it is found again in the lab.
	Moral string
	// Level is the name of the level that shows it.
	Level   string
	Sources []source
}

func incidents() []incident {
	return []incident{
		{
			Title: "A stale check takes DynamoDB off the net",
			Text: []string{
				"In October 2025 nobody could open a new connection to Amazon's database DynamoDB in the region us-east-1 for almost three hours. Its DNS addresses are written by several processes that do not know each other. " +
					"One of them checked that its plan was newer than the one in force, and was then held up unusually long.",
				"Meanwhile another one wrote a much newer plan and began to clean up the old ones. Now the first one went on and wrote its old plan over the new one, because its check was long out of date. " +
					"The clean-up deleted that plan as too old. It was the live one, and all addresses of the region went with it.",
			},
			Moral: "To check and then to act is two steps, and a writer that is late does not know it.",
			Level: "A1",
			Sources: []source{
				{"AWS, Summary of the Amazon DynamoDB service disruption", "https://aws.amazon.com/message/101925/"},
				{"Simon Willison, the passage about the race", "https://feeds.simonwillison.net/2025/Oct/23/aws-postmortem"},
			},
		},
		{
			Title: "“Running”, written over “Completed”",
			Text: []string{
				"Durable Task keeps the state of long workflows in Azure tables. Its developers describe this: worker A writes the history of a workflow and stalls. Worker B takes the next piece of work, completes the workflow, and deletes its messages. " +
					"Then A goes on, and writes “Running” into the table of states. The messages are gone, so nothing will ever mend it.",
				"The answer is a condition on the version of the row, its ETag. For the history they proposed it in 2017: a sentinel row in each partition, which every batch of writes must find unchanged.",
			},
			Moral: "A worker that sleeps does not notice that others have done its work. The store has to.",
			Level: "A2",
			Sources: []source{
				{"Azure/durabletask, pull request 1280", "https://github.com/Azure/durabletask/pull/1280"},
				{"Azure/azure-functions-durable-extension, issue 38", "https://github.com/Azure/azure-functions-durable-extension/issues/38"},
			},
		},
		{
			Title: "A deletion that destroys who came back",
			Text: []string{
				"In PostHog, a person who was deleted may come back. Deleting takes several steps. In September 2026 its developers found that a deletion that crashed before it had finished its mark " +
					"could carry out its last step again, over the person who had come back, and destroy them.",
			},
			Moral: "What is safe to repeat on the old one is an accident to the new one of that name.",
			Level: "incarnation",
			Sources: []source{
				{"PostHog/posthog, pull request 96995", "https://github.com/PostHog/posthog/pull/96995"},
			},
		},
	}
}
