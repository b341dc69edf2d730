package page

import (
	"microblogging/lab/prove"
	"microblogging/templates"
)

// A matrixView says which anomalies were found in which version of the code.
type matrixView struct {
	Anomalies []prove.Anomaly
	Rows      []matrixRow
}

// A matrixRow is one version.
type matrixRow struct {
	// Title is the version, and URL its scenario. There is none if it has several.
	Title, URL string
	// Other says which law it breaks if that is none of the four.
	Other string
	Cells []matrixCell
}

// A matrixCell is an anomaly in a version.
type matrixCell struct {
	// URL is a schedule that shows it. It is empty if none was found.
	URL  string
	Text string
}

func newMatrixView(known []prove.Record) matrixView {
	v := matrixView{Anomalies: prove.Anomalies()}
	for _, r := range prove.Matrix(known) {
		row := matrixRow{Title: r.Title}
		switch r.Name {
		case prove.Textbook.String():
			row.Title = "the textbook"
		case prove.Real.String():
			row.Title = "what ships, in all scenes"
		default:
			row.URL = templates.LabPath(r.Name)
		}
		found := false
		for _, c := range r.Cells {
			row.Cells = append(row.Cells, newMatrixCell(c))
			found = found || c.Found()
		}
		if !found && r.Record.Law != "" {
			row.Other = lawSentence(r.Record.Law)
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

func newMatrixCell(c prove.MatrixCell) matrixCell {
	if !c.Found() {
		text := "not found in " + counted(c.States, "state")
		if c.All {
			text += " (all)"
		}
		return matrixCell{Text: text}
	}
	return matrixCell{templates.LabPath(c.Scenario) + "?s=" + c.Schedule, "breaks " + lawSentence(c.Law)}
}
