package prove

import (
	"bytes"
	_ "embed" // the file of records
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
)

// A Record is what the explorer has found out about one case.
type Record struct {
	Name string `json:"name"`
	Part string `json:"part"`
	// Schedule is the shortest that breaks a law, Law is that law, and Par the number of its
	// choices. They are empty for shipped code: nothing was found.
	Schedule string `json:"schedule,omitempty"`
	Law      string `json:"law,omitempty"`
	Par      int    `json:"par,omitempty"`
	// States is how many states were entered until then, or in vain.
	States int `json:"states"`
	// Anomalies has one sighting for each of Anomalies. Shipped code has none.
	Anomalies []Sighting `json:"anomalies,omitempty"`
}

//go:embed known.json
var recorded []byte

// Known are the records of all cases, in their order. The command lab known writes them
// and make prove compares them with what it finds.
func Known() ([]Record, error) { return ReadRecords(recorded) }

// ReadRecords reads what WriteRecords wrote.
func ReadRecords(text []byte) ([]Record, error) {
	var records []Record
	if err := json.Unmarshal(text, &records); err != nil {
		return nil, fmt.Errorf("reading what the explorer has found: %w", err)
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

// Learn makes the records of results. It looks for the anomalies in those that are not
// shipped code, as many at a time as there are processors.
func Learn(results []Result) []Record {
	records := make([]Record, len(results))
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				records[i] = results[i].learn()
			}
		})
	}
	for i := range results {
		next <- i
	}
	close(next)
	workers.Wait()
	return records
}

func (r Result) learn() Record {
	record := Record{Name: r.Name, Part: r.Part.String(), States: r.States}
	if r.Part != Real {
		record.Anomalies = r.Sightings()
	}
	if r.Finding == nil {
		return record
	}
	record.Schedule, record.Par = r.Format(r.Finding.Schedule), len(r.Finding.Schedule)
	record.Law = r.Finding.Breaches[0].Invariant
	if law := r.Law(); law != "" {
		record.Law = law
	}
	return record
}

// errStale is the error of a file of records that is not what the explorer finds.
var errStale = errors.New("go run ./lab/cmd/lab known lab/prove/known.json writes it anew")

// CheckRecords returns an error if a record is not among the known ones, or one of those
// has no case any more.
func CheckRecords(found, known []Record) error {
	var failed error
	cases := Cases(false)
	for _, record := range found {
		at := slices.IndexFunc(known, func(k Record) bool { return k.Name == record.Name })
		if at < 0 || !known[at].equal(record) {
			failed = errors.Join(failed, fmt.Errorf("lab/prove/known.json is out of date about %s: %w", record.Name, errStale))
		}
	}
	for _, k := range known {
		if !slices.ContainsFunc(cases, func(c Case) bool { return c.Name == k.Name && c.Part.String() == k.Part }) {
			failed = errors.Join(failed, fmt.Errorf("lab/prove/known.json knows %s, and there is no such case: %w", k.Name, errStale))
		}
	}
	return failed
}

func (r Record) equal(other Record) bool {
	same := slices.Equal(r.Anomalies, other.Anomalies)
	r.Anomalies, other.Anomalies = nil, nil
	return same && fmt.Sprint(r) == fmt.Sprint(other)
}
