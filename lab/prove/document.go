package prove

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"microblogging/lab"
)

// Document returns a Markdown document with its explorer regions written anew. A
// region is everything between <!-- explorer: WHAT --> and <!-- end -->, where WHAT
// is
//
//   - schedule NAME: the shortest schedule that breaks a law of a scenario
//   - run NAME SCHEDULE: a schedule of a scenario, whatever its outcome
//   - table ablations: the shortest schedule of each ablation
//
// Each schedule has a link to its page of the lab, on a server that runs on the reader's
// machine with the default address.
func Document(text string) (string, error) {
	regions := regexp.MustCompile(`(?s)(<!-- explorer: ([^>]*) -->\n).*?(<!-- end -->)`)
	var failed error
	d := document{}
	text = regions.ReplaceAllStringFunc(text, func(region string) string {
		parts := regions.FindStringSubmatch(region)
		var content strings.Builder
		if err := d.writeRegion(&content, strings.Fields(parts[2])); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", parts[2], err))
		}
		return parts[1] + "\n" + strings.Trim(content.String(), "\n") + "\n\n" + parts[3]
	})
	return text, failed
}

// A document holds the results of the cases explored so far, so that each is
// explored once.
type document map[string]Result

func (d document) explore(c Case) Result {
	r, ok := d[c.Name]
	if !ok {
		r = c.Explore(seedOfDocuments)
		d[c.Name] = r
	}
	return r
}

func (d document) writeRegion(w io.Writer, what []string) error {
	switch {
	case len(what) == 2 && what[0] == "schedule":
		return d.writeFound(w, what[1])
	case len(what) == 3 && what[0] == "run":
		return writeRun(w, what[1], what[2])
	case len(what) == 2 && what[0] == "table" && what[1] == "ablations":
		return d.writeAblations(w)
	}
	return errors.New("the explorer does not know this kind of region")
}

func (d document) writeFound(w io.Writer, name string) error {
	c, err := Find(name)
	if err != nil {
		return err
	}
	r := d.explore(c)
	if r.Finding == nil {
		return errNothingFound
	}
	if err := r.WriteSchedule(w); err != nil {
		return err
	}
	return writeLink(w, name, r.Format(r.Finding.Schedule))
}

func writeRun(w io.Writer, name, schedule string) error {
	c, err := Find(name)
	if err != nil {
		return err
	}
	choices, err := c.Parse(schedule)
	if err != nil {
		return err
	}
	x := lab.NewExplorer(c.Scenario)
	defer x.Close()
	run, err := x.Replay(choices, false)
	if err != nil {
		return err
	}
	if err := c.WriteTable(w, run); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	if err := writeCommand(w, name, schedule); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return writeLink(w, name, schedule)
}

func (d document) writeAblations(w io.Writer) error {
	report := NewReport(w)
	report.linked = true
	for _, c := range Cases(false) {
		if c.Part == Ablated {
			report.Add(d.explore(c))
		}
	}
	return report.Err()
}

// writeCommand writes the command that replays a schedule.
func writeCommand(w io.Writer, name, schedule string) error {
	_, err := fmt.Fprintf(w, "    go run ./lab/cmd/lab replay %s '%s'\n", name, schedule)
	return err
}

// labURL is the lab of a server that runs on the reader's machine.
const labURL = "http://127.0.0.1:8080/lab/"

// pageURL is the page of the lab that shows a schedule.
func pageURL(name, schedule string) string { return labURL + name + "?s=" + schedule }

func writeLink(w io.Writer, name, schedule string) error {
	_, err := fmt.Fprintf(w, "[Step through it](%s)\n", pageURL(name, schedule))
	return err
}

// seedOfDocuments has no effect: no case of a document takes random walks.
const seedOfDocuments = 0

var errNothingFound = errors.New("no law is broken")
