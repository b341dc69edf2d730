package templates

import (
	"strings"
	"time"
)

// A Directory is the list of channels, at / and at /channels. Its filter is a
// GET form to /channels with the field prefix.
type Directory struct {
	// Prefix is the filter as typed.
	Prefix   string
	Channels []ChannelItem
	// After is the continuation that this page was read from, empty on the first.
	After string
	// Next is the continuation of the next page, empty on the last.
	Next string
}

// A ChannelItem is a channel in the directory.
type ChannelItem struct {
	Name        string
	Owner       string
	Description string
	CreatedOn   time.Time
}

// firstLine is what the directory shows of a description.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
