package modelcheck

import (
	"bytes"
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
	record.Invariant = r.Finding.Violations[0].Invariant
	if invariant := r.Invariant(); invariant != "" {
		record.Invariant = invariant
	}
	return record
}

// errStale is the error of a file of records that is not what the model checker finds.
var errStale = errors.New("go run ./lab/cmd/lab known lab/modelcheck/known.json writes it anew")

// CheckRecords returns an error if a record is not among the known ones, or one of those
// has no case any more.
func CheckRecords(found []Result, known []Record) error {
	var failed error
	cases := Cases()
	for _, result := range found {
		record := result.Record()
		at := slices.IndexFunc(known, func(k Record) bool { return k.Name == record.Name })
		if at < 0 || known[at] != record {
			failed = errors.Join(failed, fmt.Errorf("lab/modelcheck/known.json is out of date about %s: %w", record.Name, errStale))
		}
	}
	for _, k := range known {
		if !slices.ContainsFunc(cases, func(c Case) bool { return c.Name == k.Name && c.Part.String() == k.Part }) {
			failed = errors.Join(failed, fmt.Errorf("lab/modelcheck/known.json knows %s, and there is no such case: %w", k.Name, errStale))
		}
	}
	return failed
}
