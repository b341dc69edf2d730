package modelcheck

import (
	"errors"
	"fmt"
	"io"
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
		var content strings.Builder
		if err := writeRegion(&content, known, strings.Fields(parts[2])); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", parts[2], err))
		}
		return parts[1] + "\n" + strings.Trim(content.String(), "\n") + "\n\n" + parts[3]
	})
	return text, failed
}

func writeRegion(w io.Writer, known []Record, what []string) error {
	if len(what) == 2 && what[0] == "table" && what[1] == "ablations" {
		return writeAblations(w, known)
	}
	if len(what) < 2 || !slices.Contains([]string{"schedule", "picture", "run"}, what[0]) {
		return errors.New("the model checker does not know this kind of region")
	}
	c, err := Find(what[1])
	if err != nil {
		return err
	}
	schedule, write := what[len(what)-1], c.WriteTable
	if what[0] != "run" {
		record, _ := About(known, c.Name)
		schedule = record.Schedule
	}
	switch what[0] {
	case "picture":
		write = c.writePicture
	case "schedule":
		if _, err := fmt.Fprintf(w, "%s: %s\n\n", c.Name, c.Says()); err != nil {
			return err
		}
	}
	run, err := c.ReplayText(schedule)
	if err == nil {
		err = write(w, run)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\n%s\n[Step through it](%s)\n", c.command(schedule), pageURL(c.Name, schedule))
	return err
}

func writeAblations(w io.Writer, known []Record) error {
	_, failed := fmt.Fprint(w, "| the production code without this safeguard | scenario | steps | broken |\n"+
		"| ----------------------------------- | -------- | ----- | ------ |\n")
	for _, c := range Cases() {
		if c.Part != Ablated {
			continue
		}
		record, _ := About(known, c.Name)
		run, err := c.ReplayText(record.Schedule)
		if err == nil && len(run.Violations) == 0 {
			err = fmt.Errorf("%s: no invariant is violated", c.Name)
		}
		if err == nil {
			_, err = fmt.Fprintf(w, "| %s | [%s](%s) | %d | %s |\n", c.Safeguard.Why, c.Name, pageURL(c.Name, record.Schedule),
				record.Shortest, c.DescribeViolation(run.Violations[0]))
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// writePicture writes a run that breaks invariants as a sequence diagram of Mermaid, and the invariants.
func (c Case) writePicture(w io.Writer, run lab.Run) error {
	var b strings.Builder
	b.WriteString("```mermaid\n" + c.Mermaid(run.Steps) + "```\n\n")
	for _, violation := range run.Violations {
		fmt.Fprintf(&b, "Then %s.\n", c.DescribeViolation(violation))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Mermaid is a sequence diagram of Mermaid. Each call is an arrow to its table or its queue.
func (c Case) Mermaid(steps []lab.Step) string {
	var b strings.Builder
	b.WriteString("sequenceDiagram\n    autonumber\n")
	for _, step := range steps {
		words := c.Words(step)
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

// command is the line that replays a schedule.
func (c Case) command(schedule string) string {
	return fmt.Sprintf("    go run ./lab/cmd/lab replay %s '%s'\n", c.Name, schedule)
}

// pageURL is the page that shows a schedule in the lab of a server that runs on the reader's
// machine.
func pageURL(name, schedule string) string {
	return "http://127.0.0.1:8080/lab/" + name + "?s=" + schedule
}
