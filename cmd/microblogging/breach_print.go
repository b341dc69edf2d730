package main

import (
	"encoding/json"
	"fmt"
	"io"

	"microblogging/domain"
	"microblogging/storage"
)

// A breachWriter prints breaches as they are found, holding none. Its first
// failure to write is returned at the end.
type breachWriter interface {
	breach(domain.Breach)
	end(storage.CheckCounts) error
}

type lineWriter struct {
	w   io.Writer
	n   int
	err error
}

func (l *lineWriter) printf(format string, args ...any) {
	if l.err == nil {
		_, l.err = fmt.Fprintf(l.w, format, args...)
	}
}

func (l *lineWriter) breach(b domain.Breach) {
	l.n++
	l.printf("%s %s (%s, %s): %s", b.Invariant, b.Table, b.PartitionKey, b.RowKey, b.Detail)
	if b.Repaired != "" {
		l.printf(" [%s]", b.Repaired)
	}
	l.printf("\n")
}

func (l *lineWriter) end(counts storage.CheckCounts) error {
	l.printf("%d breaches in %d channels, %d blogs, %d rows\n", l.n, counts.Channels, counts.Blogs, counts.Rows)
	return l.err
}

// jsonWriter prints {"breaches":[…],"channels":N,"blogs":N,"rows":N} piece by
// piece.
type jsonWriter struct {
	w       io.Writer
	started bool
	err     error
}

func (j *jsonWriter) write(text string) {
	if j.err == nil {
		_, j.err = io.WriteString(j.w, text)
	}
}

func (j *jsonWriter) breach(b domain.Breach) {
	text, err := json.Marshal(b)
	if err != nil && j.err == nil {
		j.err = err
	}
	j.separate()
	j.write(string(text))
}

func (j *jsonWriter) separate() {
	if j.started {
		j.write(",")
	} else {
		j.write(`{"breaches":[`)
	}
	j.started = true
}

func (j *jsonWriter) end(counts storage.CheckCounts) error {
	if !j.started {
		j.separate()
	}
	text, err := json.Marshal(counts)
	if err != nil {
		return err
	}
	// The object of counts, without its opening brace, ends the object begun.
	j.write("]," + string(text[1:]) + "\n")
	return j.err
}
