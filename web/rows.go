package web

import (
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/channel"
	"microblogging/storage/schema"
	"microblogging/templates"
	"microblogging/templates/markdown"
)

const (
	// maxShownRows is the most rows of a partition on one page.
	maxShownRows = 50
	// maxShownValue is the most characters of a property that a page of rows shows.
	maxShownValue = 240
)

func (s *server) showRows(c echo.Context, v visitor) error {
	name, err := channelName(c)
	q := storage.RowsQuery{
		Key: name.Key(), By: v.User, Everybody: s.Teach, After: c.QueryParam("after"), Limit: maxShownRows,
	}
	if err != nil {
		return err
	}
	rows, err := s.store.Channels.Rows(c.Request().Context(), q)
	if rows.Channel.Name != "" {
		name = rows.Channel.Name // as its creator spelled it
	}
	view := templates.ChannelRows{
		Channel: name, Part: templates.Part{After: q.After, Next: rows.Next},
		Active: rows.Channel.State == domain.ChannelActive, UnderWay: underWay(rows),
		State: stateOf(rows), Queue: queueOf(rows),
	}
	view.Tables, view.Partition = tablesOf(rows, q.After+rows.Next != "")
	if d := rows.Deletion; d.Channel.Key != "" && d.RequestedBy == q.By {
		view.Deletion = templates.DeletionPath(name, d.Channel.Incarnation)
	}
	return show(s, c, v, err, templates.ChannelRowsPage, view)
}

// tablesOf are the tables around the partition, and the page of the partition, which may be one of several.
func tablesOf(rows storage.ChannelRows, paged bool) (tables []templates.TableBlock, partition templates.TableBlock) {
	gates := table("gate", "Blogs", rows.Gates)
	gates.Name, gates.Note = "Blogs: the gate", "The fence of the channel: the store checks it together with each post and each removal."
	gates.Empty = "There is no gate."
	channels := table("channel", "Channels", rows.Channels)
	deletions := table("deletion", "Deletions", rows.Deletions)
	deletions.Empty = "Its deletion was not requested."
	if len(rows.Deletions) == channel.MaxShownDeletions {
		deletions.Note = "The first rows. There may be more."
	}
	partition = table("row", "Blogs", rows.Rows)
	partition.Name, partition.Note = "Blogs: the partition", "Rows of all kinds in the order of their keys, the gate among them."
	if paged {
		partition.Note = "One page of the rows, in the order of their keys. Each count is of this page."
	}
	return []templates.TableBlock{gates, channels, deletions}, partition
}

// underWay reports whether a deletion is not done: it may also wait for an operator.
func underWay(rows storage.ChannelRows) bool {
	return rows.Channel.Name != "" && rows.Channel.State != domain.ChannelActive || rows.Deletion.Channel.Key != "" && !rows.Deletion.Over()
}

// stateOf says in a sentence what has become of the channel.
func stateOf(rows storage.ChannelRows) string {
	d := rows.Deletion
	switch {
	case underWay(rows) && d.State == domain.DeletionPoisoned:
		return "The deletion has stopped, and waits for an operator."
	case underWay(rows) && d.State == domain.DeletionRunning:
		return "A worker has taken up the deletion."
	case underWay(rows) && d.State == domain.DeletionPending:
		return "The channel is hidden. No worker begins while the deletion can be undone."
	case underWay(rows):
		return "The deletion waits for a worker."
	case rows.Channel.Name == "" && d.Channel.Key != "":
		return "The channel is gone. This is what is left of it."
	case rows.Channel.Name == "":
		return "No channel has this name now."
	}
	for _, gate := range rows.Gates {
		if schema.OpenGate.Has(gate.Row) {
			return "The channel is active, and its gate is open."
		}
	}
	return "The channel is active, but its gate is not open: no post is accepted."
}

// table shows rows of a table, without what is not of their kind. The prefix tells the keys of two
// blocks apart that show one row.
func table(prefix, name string, rows []storage.Row) templates.TableBlock {
	block := templates.TableBlock{Key: "table " + prefix, Name: name, Explained: true}
	for _, row := range rows {
		shownRow := templates.TableRow{
			Key: prefix + " " + templates.ShortKey(row.Row), Partition: row.Partition, ETag: string(row.ETag),
		}
		shownRow.Kind, shownRow.Parts = templates.ExplainRow(name, row.Partition, row.Row, domain.ParseRecentFirst)
		for _, p := range row.Properties {
			if !schema.Of(name, row.Partition, row.Row).HasProperty(p.Name) {
				continue
			}
			value := templates.ShortKey(cutValue(p.Value.String()))
			shownRow.Properties = append(shownRow.Properties, templates.RowProperty{Name: p.Name, Value: value})
		}
		block.Rows = append(block.Rows, shownRow)
	}
	return block
}

// cutValue is the beginning of a value.
func cutValue(value string) string {
	begun, _ := markdown.CutWords(shown(value), maxShownValue)
	return begun
}

// queueOf shows the messages about the channel that a peek shows.
func queueOf(rows storage.ChannelRows) templates.QueueBlock {
	queue := templates.QueueBlock{
		Key: "queue", Name: domain.QueueName, Empty: "No message about this channel is visible.",
		Note: "A look shows 32 visible messages at most. A message that a worker has leased is invisible until the lease ends.",
	}
	if underWay(rows) && rows.Deletion.State != domain.DeletionPoisoned {
		queue.Empty = "No message about this channel is visible: a worker has leased it, or it is not there."
	}
	for _, m := range rows.Messages {
		queue.Messages = append(queue.Messages, templates.QueuedMessage{
			Key: "message " + m.ID, Words: wordsOf(m.Message), Text: cutValue(m.Text), Deliveries: m.Deliveries,
		})
	}
	return queue
}

// wordsOf is what a message asks for.
func wordsOf(m domain.Message) string {
	by := ", asked for by " + string(m.RequestedBy) + " on " + m.RequestedOn.UTC().Format(time.DateTime) + " UTC"
	if m.Kind == domain.MessageBlog {
		return "Remove the post " + string(m.Blog) + by
	}
	return "Delete the incarnation " + string(m.Incarnation) + " of this channel" + by
}
