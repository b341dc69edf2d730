package main

import (
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
)

// A partition is one of a table, or, if the table is empty, that of every table.
type partition struct{ table, key string }

// covers tells whether another partition is this one, or one of these.
func (p partition) covers(other partition) bool {
	return p.key == other.key && (p.table == "" || p.table == other.table)
}

var (
	// addressed matches the row that a URL names.
	addressed = regexp.MustCompile(`/(\w+)\(PartitionKey='([^']*)'`)
	// selected matches the filter of a query for one partition.
	selected = regexp.MustCompile(`PartitionKey eq '([^']*)'`)
	// operation matches the first line of an operation of a batch.
	operation = regexp.MustCompile(`(?m)^[A-Z]+ (\S+) HTTP/1\.1`)
	// inserted matches the partition key of a row.
	inserted = regexp.MustCompile(`"PartitionKey":"([^"]*)"`)
)

// isBatch tells whether a request is an entity group transaction.
func isBatch(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/$batch") }

// partitionOf returns the partition that a request to the table service is about.
// It is empty if there is none, or if the request is about many: a scan, or a
// table.
func partitionOf(r *http.Request, body []byte) partition {
	if isBatch(r) {
		return partitionOfBatch(body)
	}
	if found := addressed.FindStringSubmatch(r.URL.Path); found != nil {
		return partition{found[1], found[2]}
	}
	if found := selected.FindStringSubmatch(r.URL.Query().Get("$filter")); found != nil {
		return partition{strings.TrimSuffix(path.Base(r.URL.Path), "()"), found[1]}
	}
	return partition{}
}

// partitionOfBatch looks at the first operation, for all have one partition.
func partitionOfBatch(body []byte) partition {
	line := operation.FindSubmatch(body)
	if line == nil {
		return partition{}
	}
	u, err := url.Parse(string(line[1]))
	if err != nil {
		return partition{}
	}
	if found := addressed.FindStringSubmatch(u.Path); found != nil {
		return partition{found[1], found[2]}
	}
	if found := inserted.FindSubmatch(body); found != nil {
		return partition{path.Base(u.Path), string(found[1])}
	}
	return partition{}
}
