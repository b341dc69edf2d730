package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
)

// A breachWriter prints each breach when it is found, so that its memory does not
// grow with their number.
type breachWriter interface {
	breach(domain.Breach)
	// end prints the counts, and the space of the store if compact is worth it. It returns
	// the first error of all writes.
	end(counts storage.CheckCounts, compact *bolt.Space) error
}

// lineWriter prints a line for each breach.
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
	l.printf("%s", printable(fmt.Sprintf("%s %s (%s, %s): %s", b.Invariant, b.Table, b.PartitionKey, b.RowKey, b.Detail)))
	if b.Repaired != "" {
		l.printf(" [%s]", b.Repaired)
	}
	l.printf("\n")
}

// printable returns a line as it is, or quoted as in a Go program if it holds anything else than
// text. Who writes to the store must not move the operator's cursor.
func printable(line string) string {
	if utf8.ValidString(line) && strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return line
	}
	return strconv.Quote(line)
}

// The advice to compact is printed elsewhere.
func (l *lineWriter) end(counts storage.CheckCounts, _ *bolt.Space) error {
	l.printf("%d breaches in %d channels, %d blogs, %d rows\n", l.n, counts.Channels, counts.Blogs, counts.Rows)
	return l.err
}

// jsonWriter prints {"breaches":[…],"channels":N,"blogs":N,"rows":N}, and before the end
// "compact":{"bytes":N,"free":N} if compact is worth it.
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

func (j *jsonWriter) end(counts storage.CheckCounts, compact *bolt.Space) error {
	if !j.started {
		j.separate()
	}
	text, err := json.Marshal(struct {
		storage.CheckCounts
		Compact *bolt.Space `json:"compact,omitempty"`
	}{counts, compact})
	if err != nil {
		return err
	}
	// The counts, without their opening brace, complete the object.
	j.write("]," + string(text[1:]) + "\n")
	return j.err
}
