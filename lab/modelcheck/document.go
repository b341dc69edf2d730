package modelcheck

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"microblogging/lab"
)

// Document returns a Markdown document with its explorer regions written anew, from what is
// known ([Known]). A region is everything between <!-- explorer: WHAT --> and <!-- end -->,
// where WHAT is
//
//   - schedule NAME: the shortest schedule that breaks an invariant of a scenario
//   - picture NAME: the same as a sequence diagram
//   - run NAME SCHEDULE: a schedule of a scenario, whatever its outcome
//   - table ablations: the shortest schedule of each ablation
//
// Each schedule has a link to its page of the lab, on a server that runs on the reader's
// machine with the default address.
func Document(text string) (string, error) {
	regions := regexp.MustCompile(`(?s)(<!-- explorer: ([^>]*) -->\n).*?(<!-- end -->)`)
	known, failed := Known()
	text = regions.ReplaceAllStringFunc(text, func(region string) string {
		parts := regions.FindStringSubmatch(region)
		content, err := regionOf(known, strings.Fields(parts[2]))
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", parts[2], err))
		}
		return parts[1] + "\n" + strings.Trim(content, "\n") + "\n\n" + parts[3]
	})
	if failed != nil {
		failed = errors.Join(Stale(), failed)
	}
	return text, failed
}

func regionOf(known []Record, what []string) (string, error) {
	if len(what) == 2 && what[0] == "table" && what[1] == "ablations" {
		return ablationTable(known)
	}
	if len(what) < 2 || !slices.Contains([]string{"schedule", "picture", "run"}, what[0]) {
		return "", errors.New("the model checker does not know this kind of region")
	}
	c, err := Find(what[1])
	if err != nil {
		return "", err
	}
	schedule := what[len(what)-1]
	if what[0] != "run" {
		record, _ := About(known, c.Name)
		schedule = record.Schedule
	}
	run, err := c.FollowText(schedule)
	text := c.Table(run)
	switch what[0] {
	case "picture":
		text = "```mermaid\n" + c.Mermaid(run) + "```\n\n"
		for _, violated := range run[len(run)-1].Violated() {
			text += "Then " + violated.Reason + ".\n"
		}
	case "schedule":
		text = c.Name + ": " + c.Says() + "\n\n" + text
	}
	return fmt.Sprintf("%s\n    %s\n\n[Step through it](%s)\n", text, c.Command(schedule), pageURL(c.Name, schedule)), err
}

func ablationTable(known []Record) (table string, failed error) {
	table = "| the production code without this safeguard | scenario | steps | broken |\n" +
		"| ----------------------------------- | -------- | ----- | ------ |\n"
	for _, c := range Cases() {
		if c.Part != Ablated {
			continue
		}
		record, _ := About(known, c.Name)
		run, err := c.FollowText(record.Schedule)
		violated := run[len(run)-1].Violated()
		if err == nil && violated == nil {
			err = errors.New("no invariant is violated")
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", c.Name, err))
			continue
		}
		table += fmt.Sprintf("| <a id=\"%s\"></a>%s | [%s](%s) | %d | %s |\n", c.Name, c.Safeguard.Why, c.Name, pageURL(c.Name, record.Schedule),
			record.Shortest, violated[max(slices.IndexFunc(violated, func(v lab.InvariantState) bool { return v.Name == record.Invariant }), 0)].Reason)
	}
	return table, failed
}

// Mermaid is a sequence diagram of Mermaid. Each call is an arrow to its table or its queue.
func (c Case) Mermaid(run []lab.Moment) string {
	var b strings.Builder
	b.WriteString("sequenceDiagram\n    autonumber\n")
	for _, m := range run[1:] {
		step, words := m.Step, c.Words(*m.Step)
		target, text, called := strings.Cut(words.Call, ": ")
		if !called {
			target, text = "queue", words.Call // which loses a message
		}
		if words.Fate != "" {
			text += " (" + words.Fate + ")"
		}
		if words.Result != "" {
			text += " → " + words.Result
		}
		for _, told := range words.Told {
			text += ", told: " + told
		}
		// A semicolon would end the line, and a number sign begins an entity.
		text = strings.NewReplacer(";", ",", "#", "").Replace(text)
		arrow := "->>"
		if step.Applied == nil {
			arrow = "-x" // it never gets there
		}
		fmt.Fprintf(&b, "    %s%s%s: %s\n", words.Actor, arrow, target, text)
	}
	return b.String()
}

// pageURL is the page that shows a schedule in the lab of a server that runs on the reader's
// machine.
func pageURL(name, schedule string) string {
	return "http://127.0.0.1:8080/lab/" + name + "?s=" + schedule
}
