package prove

import "slices"

// A MatrixRow says which anomalies the explorer has found in one version of the code.
type MatrixRow struct {
	// Name is "textbook", the name of an ablation, or "shipped".
	Name string
	// Title is the guard that the ablation took out.
	Title string
	// Record is the ablation's. Its law may be none of the four anomalies.
	Record Record
	// Cells are the anomalies in the order of Anomalies.
	Cells []MatrixCell
}

// A MatrixCell is an anomaly in one version.
type MatrixCell struct {
	Sighting
	// Scenario is where it was found. It is empty if several were searched in vain.
	Scenario string
}

// Matrix has a row for the textbook version, one for each ablation, and one for the
// shipped code.
func Matrix(known []Record) []MatrixRow {
	textbook, shipped := MatrixRow{Name: Textbook.String()}, MatrixRow{Name: Real.String()}
	var guards []MatrixRow
	vain := 0
	for _, c := range Cases(false) {
		record, ok := About(known, c.Name)
		switch {
		case !ok || c.Part == Mishap:
		case c.Part == Real:
			vain += record.States
		case c.Part == Textbook:
			at := slices.IndexFunc(record.Anomalies, func(s Sighting) bool { return s.Anomaly == c.Name })
			textbook.Cells = append(textbook.Cells, MatrixCell{record.Anomalies[at], c.Name})
		default:
			row := MatrixRow{Name: c.Name, Title: c.Guard, Record: record}
			for _, s := range record.Anomalies {
				row.Cells = append(row.Cells, MatrixCell{s, c.Name})
			}
			guards = append(guards, row)
		}
	}
	for _, a := range Anomalies() {
		shipped.Cells = append(shipped.Cells, MatrixCell{Sighting: Sighting{Anomaly: a.Name, States: vain}})
	}
	return slices.Concat([]MatrixRow{textbook}, guards, []MatrixRow{shipped})
}

// About is the record of the case of this name.
func About(known []Record, name string) (Record, bool) {
	at := slices.IndexFunc(known, func(r Record) bool { return r.Name == name })
	if at < 0 {
		return Record{}, false
	}
	return known[at], true
}
