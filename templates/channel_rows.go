package templates

import (
	"net/url"
	"strings"

	"microblogging/domain"
	"microblogging/storage/schema"
)

// ChannelRows is the page of the rows behind a channel's name.
type ChannelRows struct {
	Channel domain.ChannelName
	// Of is the incarnation whose deletion is shown, if the reader asked for one.
	Of domain.Incarnation
	// Kind is the prefix of the row keys that the reader asked for. It is empty for all
	// rows.
	Kind string
	// Kinds are the prefixes that there are.
	Kinds []string
	// After and Next are the continuation tokens of this page and of the next one.
	After, Next string
	// Active says that the channel can be read.
	Active bool
	// Live says that the rows may still change, and UnderWay that a deletion changes
	// them.
	Live, UnderWay bool
	// Deletion is the page of the deletion, if there is one and it is the reader's.
	Deletion string
	Now      RowsNow
}

// RowsNow is the part of the page that changes. Each event "rows" carries it.
type RowsNow struct {
	// State says in a sentence what has become of the channel.
	State  string
	Tables []TableBlock
	Queue  QueueBlock
	// Partition is the page of the partition. Elsewhere says that there is none to show,
	// because the name belongs to another channel.
	Partition TableBlock
	Elsewhere bool
}

// scripts are those of the page.
func (v ChannelRows) scripts() []string {
	if !v.Live {
		return nil
	}
	return []string{"channel_rows.js", "stream.js"}
}

// with is the path of the page with another kind and another continuation token.
func (v ChannelRows) with(kind, after string) string {
	query := url.Values{}
	for name, value := range map[string]string{"of": string(v.Of), "kind": kind, "after": after} {
		if value != "" {
			query.Set(name, value)
		}
	}
	path := ChannelRowsPath(v.Channel, "")
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

// events is the stream of what the page shows.
func (v ChannelRows) events() string {
	path, query, _ := strings.Cut(v.with(v.Kind, v.After), "?")
	if query != "" {
		query = "?" + query
	}
	return path + "/events" + query
}

// explained are the kinds that the tables of the page can have.
func (v ChannelRows) explained() []*schema.Kind {
	var kinds []*schema.Kind
	for _, kind := range schema.Kinds() {
		if kind.Partition == schema.Channel.Partition {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}
