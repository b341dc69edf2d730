package modelcheck

import (
	"bytes"
	"cmp"
	_ "embed" // the file of records
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"microblogging/lab"
)

// A Record is what the model checker has found out about one case.
type Record struct {
	Name string `json:"name"`
	Part string `json:"part"`
	// Schedule is the shortest that breaks an invariant, Invariant is that invariant, and Shortest the number of its
	// choices. They are empty for the production code: nothing was found.
	Schedule  string `json:"schedule,omitempty"`
	Invariant string `json:"invariant,omitempty"`
	Shortest  int    `json:"shortest,omitempty"`
	// States is how many states were entered until then, or in vain.
	States int `json:"states"`
	// Cause is why the schedule breaks the invariant.
	Cause
	// Failure says what is wrong with the code of a reader's own protocol. Then nothing else is known.
	Failure string `json:"failure,omitempty"`
}

//go:embed known.json
var recorded []byte

//go:embed known.code
var code string

// Stale is an error if the records are about other code than this, whose lab.Fingerprint differs.
func Stale() error {
	if strings.TrimSpace(code) == lab.Fingerprint() {
		return nil
	}
	return fmt.Errorf("lab/modelcheck/known.json is about other code than this: %w", errStale)
}

// Known are the records of all cases, in their order. The command lab known writes them
// and make modelcheck compares them with what it finds.
func Known() (records []Record, err error) {
	if err := json.Unmarshal(recorded, &records); err != nil {
		return nil, fmt.Errorf("reading what the model checker has found: %w", err)
	}
	return records, nil
}

// WriteRecords is the text of a file of records.
func WriteRecords(records []Record) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(records)
	return text.Bytes(), err
}

// About is the record of the case of this name.
func About(known []Record, name string) (Record, bool) {
	at := slices.IndexFunc(known, func(r Record) bool { return r.Name == name })
	if at < 0 {
		return Record{}, false
	}
	return known[at], true
}

// Record is what the result says about its case.
func (r Result) Record() Record {
	record := Record{Name: r.Name, Part: r.Part.String(), States: r.States}
	if r.Finding == nil {
		return record
	}
	record.Schedule, record.Shortest = r.Format(r.Finding.Schedule), len(r.Finding.Schedule)
	record.Invariant, record.Cause = r.broken(), r.Cause
	return record
}

// broken is the invariant that a record of the result names.
func (r Result) broken() string { return cmp.Or(r.Invariant(), r.Finding.Violations[0].Invariant) }

// errStale is the error of a file of records that is not what the model checker finds.
var errStale = errors.New("go run ./lab/cmd/lab known lab/modelcheck/known.json writes it anew")

// CheckRecords returns an error if a record is not among the known ones, or one of those
// has no case any more.
func CheckRecords(found []Result, known []Record) error {
	var records []Record
	for _, result := range found {
		records = append(records, result.Record())
	}
	if changes := Changes(known, records); changes != "" {
		return fmt.Errorf("lab/modelcheck/known.json is out of date: %w\n%s", errStale, changes)
	}
	return nil
}

// Changes says which records are not as before, and how, in lines. Of a schedule, the one below replaces the
// one above. It is empty if all is as before.
func Changes(before, now []Record) string {
	var text strings.Builder
	for _, r := range now {
		was, known := About(before, r.Name)
		if !known {
			fmt.Fprintf(&text, "%s: new, with %s\n", r.Name, lab.Count(r.States, "state"))
			continue
		}
		if was.Part != r.Part {
			fmt.Fprintf(&text, "%s: part %s, was %s\n", r.Name, r.Part, was.Part)
		}
		if was.States != r.States {
			fmt.Fprintf(&text, "%s: %s, was %s\n", r.Name, lab.Count(r.States, "state"), lab.Grouped(was.States))
		}
		if was.Schedule != r.Schedule || was.Invariant != r.Invariant || was.Shortest != r.Shortest {
			fmt.Fprintf(&text, "%s: breaks %s in %s, was %s in %d\n    - %s\n    + %s\n",
				r.Name, r.Invariant, lab.Count(r.Shortest, "step"), was.Invariant, was.Shortest, was.Schedule, r.Schedule)
		}
		if was.Cause != r.Cause {
			fmt.Fprintf(&text, "%s: its cause differs\n    - %+v\n    + %+v\n", r.Name, was.Cause, r.Cause)
		}
	}
	for _, was := range before {
		if !slices.ContainsFunc(Cases(), func(c Case) bool { return c.Name == was.Name }) {
			fmt.Fprintf(&text, "%s: there is no such case\n", was.Name)
		}
	}
	return text.String()
}
