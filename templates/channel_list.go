package templates

import (
	"strings"

	"microblogging/domain"
)

// A Directory is the list of channels, at [HomePath] for strangers and at
// [ChannelsPath]. Its filter is a GET form to [ChannelsPath] with the field contains.
type Directory struct {
	// Contains is the filter, as somebody typed it.
	Contains string
	Channels []domain.Channel
	// After is the continuation token where this page starts. It is empty on the
	// first page.
	After string
	// Next is the continuation token of the next page. It is empty on the last.
	Next string
}

// firstLine is the part of a description that the directory shows.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func (v Directory) frame() frame {
	return frame{Title: "Channels", About: directoryAbout, Path: directoryPath(v.Contains, v.After)}
}

const directoryAbout = "Places for short posts. Anyone may read; anyone signed in may post."
