package page

import (
	"fmt"
	"strconv"
	"time"
)

// Where Microsoft says what this page says.
const (
	designForQuery   = "https://learn.microsoft.com/azure/storage/tables/table-storage-design-for-query"
	designPartitions = "https://learn.microsoft.com/rest/api/storageservices/designing-a-scalable-partitioning-strategy-for-azure-table-storage"
	storageChecklist = "https://learn.microsoft.com/azure/storage/tables/storage-performance-checklist"
	prependPattern   = "https://learn.microsoft.com/azure/storage/tables/table-storage-design-patterns#prepend-append-anti-pattern"
	scaleTargets     = "https://learn.microsoft.com/azure/storage/tables/scalability-targets"
)

func wayName(way int) string {
	return [ways]string{"Point queries", "Row range", "Partition scan", "Table scan"}[way]
}

// wayAbout says in a few words what a way gives the store to go by.
func wayAbout(way int) string {
	return [ways]string{
		"Both keys of each post are known, here from the row range. Each request reads one row and no other.",
		"PartitionKey and a range of RowKey. The posts since that day are the first rows of the partition. Those of other authors are read too.",
		"PartitionKey alone. Every row of the channel is looked at: posts, votes, subscribers, indexes, the gate.",
		"No PartitionKey. Every row of every channel is looked at.",
	}[way]
}

// condition is what Azure is given in $filter.
func (v *queryView) condition(way int) string {
	q := v.chosen.question
	partition := "PartitionKey eq '" + string(q.channel.Key) + "'"
	properties := "UserId eq '" + string(q.user) + "' and CreatedOn ge datetime'" + q.since.Format(time.RFC3339) + "'"
	switch way {
	case wayPoints:
		return partition + " and RowKey eq '" + v.someKey() + "'"
	case wayRange:
		from, to := q.keys()
		return partition + " and RowKey ge '" + from + "' and RowKey lt '" + to + "' and UserId eq '" + string(q.user) + "'"
	case wayPartition:
		return partition + " and " + properties
	}
	return "Incarnation eq '" + string(q.channel.Incarnation) + "' and " + properties
}

// someKey is the row key of one of the posts.
func (v *queryView) someKey() string {
	if found := v.present.ways[wayRange].found; len(found) > 0 {
		return found[0]
	}
	return postPrefix + "…"
}

// stoppedWords says why a way was stopped. It is empty if it was not.
func stoppedWords(m measured) string {
	switch m.stopped {
	case stoppedByRows:
		return fmt.Sprintf("Stopped: the four ways together read at most %s rows. The whole would cost more.", grouped(maxQueryRows))
	case stoppedByRequests:
		return fmt.Sprintf("Stopped after %d requests. The whole would cost more.", maxPoints)
	case stoppedByTime:
		return "Stopped: the page takes at most " + queryTimeWords() + ". The whole would cost more."
	}
	return ""
}

func queryTimeWords() string { return counted(int(queryTime/time.Second), "second") }

// agreement says whether the four ways found the same posts.
func (v *queryView) agreement() string {
	switch posts := v.posts; {
	case posts < 0:
		return "No way was carried out whole."
	case !v.same:
		return "They did not find the same posts: somebody posted or deleted while they were asked."
	case posts == 0:
		return "There is no such post. A scan still reads every row to find that out."
	case posts == 1:
		return "Each way found the same post."
	default:
		return "Each way found the same " + grouped(posts) + " posts."
	}
}

// pointsOrRange says when a row range is better than point queries. It is empty if there was
// not more than one of them.
func (v *queryView) pointsOrRange() string {
	points := v.present.ways[wayPoints].requests
	if points <= 1 {
		return ""
	}
	return "A point query is the cheapest way to one row. " + grouped(points) + " of them are " + grouped(points) +
		" requests, here sent one after the other. For many neighbours in one partition, a row range is better."
}

// onWords says when the store was asked: "22 November 2026 at 08:30:00 UTC".
func (v *queryView) onWords() string { return v.on.UTC().Format("2 January 2006 at 15:04:05 UTC") }

// sinceWords names the day: "Monday, 16 November 2026".
func (v *queryView) sinceWords() string { return v.chosen.since.Format("Monday, 2 January 2006") }

// perReturned is how many rows were read for each that was returned. It is 0 if none was.
func (m measured) perReturned() float64 {
	if m.returned == 0 {
		return 0
	}
	return float64(m.read) / float64(m.returned)
}

func ratioWords(m measured) string {
	switch ratio := m.perReturned(); {
	case ratio == 0:
		return "–"
	case ratio < 10:
		return strconv.FormatFloat(ratio, 'f', 1, 64)
	default:
		return grouped(int(ratio + 0.5))
	}
}

// tookWords says how long something took: "0.042 ms", "3.1 ms", "1.2 s".
func tookWords(d time.Duration) string {
	switch ms := float64(d) / float64(time.Millisecond); {
	case d == 0:
		return "–"
	case ms < 0.1:
		return strconv.FormatFloat(ms, 'f', 3, 64) + " ms"
	case ms < 1:
		return strconv.FormatFloat(ms, 'f', 2, 64) + " ms"
	case ms < 10:
		return strconv.FormatFloat(ms, 'f', 1, 64) + " ms"
	case ms < 1000:
		return strconv.FormatFloat(ms, 'f', 0, 64) + " ms"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
}

// notAsked says why there is nothing to show.
func (v *queryView) notAsked() (title, detail string) {
	switch v.missing {
	case errNoChannels:
		return "There is no channel yet", "The page asks a question about a channel. Create one and post in it, or start the program with --sample."
	case errNoChannel:
		return "There is no channel “" + v.form.Channel + "”", "Nothing was asked but its row. Choose another channel, or leave the field empty: the page then takes the newest."
	case errChannelGone:
		return "“" + v.form.Channel + "” is being deleted", "Its posts are going. Choose another channel, or leave the field empty: the page then takes the newest."
	}
	return "This question cannot be asked", "The store was not read. Change what is marked in the form."
}

// shownForm is what the fields hold: what was typed, or what the page chose.
func (v *queryView) shownForm() (channel, user, since string) {
	channel, user, since = v.form.Channel, v.form.User, v.form.Since
	if v.asked() {
		channel, user = string(v.chosen.name), string(v.chosen.user)
	}
	switch {
	case since != "":
	case v.asked():
		since = v.chosen.since.Format(time.DateOnly)
	default:
		since = v.form.since.Format(time.DateOnly)
	}
	return channel, user, since
}

// asked tells that the question was asked.
func (v *queryView) asked() bool { return v.missing == nil && len(v.form.problems) == 0 }

// atLeast marks the figure of a way that was stopped.
func atLeast(m measured, words string) string {
	if m.stopped != "" {
		return "≥ " + words
	}
	return words
}

// copied says what the copies in memory hold.
func (v *queryView) copied() string {
	what := "The whole table was copied into memory: "
	if !v.present.whole {
		what = "The rows that were read were copied into memory, not the whole table: "
	}
	return what + counted(v.larger.rows, "row") + "."
}

// growth says how many more rows a way reads of the larger copy.
func (v *queryView) growth(way int) string {
	once, tenfold := v.larger.once.ways[way], v.larger.tenfold.ways[way]
	switch {
	case once.read == tenfold.read:
		return "Reads as many rows as before."
	case once.read == 0:
		return "Reads " + counted(tenfold.read, "row") + "."
	}
	words := fmt.Sprintf("Reads %s times as many rows", strconv.FormatFloat(float64(tenfold.read)/float64(once.read), 'f', -1, 64))
	if tenfold.returned > 0 {
		words += ": " + ratioWords(tenfold) + " for each that it returns, and not " + ratioWords(once)
	}
	return words + "."
}

// orCondition asks for two rows of the channel, as one would in SQL.
func (v *queryView) orCondition() string {
	first, second := postPrefix+"…1", postPrefix+"…2"
	if found := v.present.ways[wayRange].found; len(found) > 1 {
		first, second = found[0], found[1]
	}
	return "PartitionKey eq '" + string(v.chosen.channel.Key) + "' and (RowKey eq '" + first + "' or RowKey eq '" + second + "')"
}

// orCost says what the condition costs on this partition.
func (v *queryView) orCost() string {
	m := v.present.ways[wayPartition]
	rows := counted(m.read, "row")
	if m.stopped != "" {
		rows = "at least " + rows
	}
	return "On the partition of this channel it reads " + rows + ", to return 2. Two point queries read 2."
}

// spreadWords says where the posts of the store went.
func (v *queryView) spreadWords() string {
	s := v.spread
	switch {
	case s.posts == 0:
		return ""
	case s.partitions == 1:
		return fmt.Sprintf("Of the rows read, %s since that day, all in one channel.", areNew(s.posts))
	}
	return fmt.Sprintf("Of the rows read, %s since that day, in %d partitions, %s of them in the busiest. With the time as PartitionKey, all would have gone to the first range.",
		areNew(s.posts), s.partitions, grouped(s.most))
}

func areNew(posts int) string {
	if posts == 1 {
		return "1 is a post"
	}
	return grouped(posts) + " are posts"
}
