package prove

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"microblogging/lab"
)

// Document returns a Markdown document with its explorer regions written anew, from what is
// known ([Known]). A region is everything between <!-- explorer: WHAT --> and <!-- end -->,
// where WHAT is
//
//   - schedule NAME: the shortest schedule that breaks a law of a scenario
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
	if len(what) < 2 || what[0] != "schedule" && what[0] != "run" {
		return errors.New("the explorer does not know this kind of region")
	}
	c, err := Find(what[1])
	if err != nil {
		return err
	}
	schedule := what[len(what)-1]
	if what[0] == "schedule" {
		record, _ := About(known, c.Name)
		schedule = record.Schedule
		if _, err := fmt.Fprintf(w, "%s: %s\n\n", c.Name, c.Says()); err != nil {
			return err
		}
	}
	run, err := c.replay(schedule)
	if err == nil {
		err = c.WriteTable(w, run)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\n%s\n[Step through it](%s)\n", c.command(schedule), pageURL(c.Name, schedule))
	return err
}

func writeAblations(w io.Writer, known []Record) error {
	_, failed := fmt.Fprint(w, "| the shipped code without this guard | scenario | steps | broken |\n"+
		"| ----------------------------------- | -------- | ----- | ------ |\n")
	for _, c := range Cases(false) {
		if c.Part != Ablated {
			continue
		}
		record, _ := About(known, c.Name)
		run, err := c.replay(record.Schedule)
		if err == nil && len(run.Breaches) == 0 {
			err = fmt.Errorf("%s: no law is broken", c.Name)
		}
		if err == nil {
			_, err = fmt.Fprintf(w, "| %s | [%s](%s) | %d | %s |\n", c.Guard.Why, c.Name, pageURL(c.Name, record.Schedule),
				record.Par, c.DescribeBreach(run.Breaches[0]))
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// replay takes a schedule.
func (c Case) replay(schedule string) (lab.Run, error) {
	choices, err := c.Parse(schedule)
	if err != nil {
		return lab.Run{}, err
	}
	x := lab.NewExplorer(c.Scenario)
	defer x.Close()
	return x.Replay(choices, false)
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
