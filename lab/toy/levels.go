package toy

import (
	"strconv"

	"microblogging/lab/own"
	"microblogging/storage/driver"
)

// The tables and their one partition. The channel of some levels lies in a table of its own.
const (
	channels  = "Channels"
	rows      = "Rows"
	partition = "news"
)

func digit(n int64) string { return strconv.FormatInt(n, 10) }

// posts are the rows whose keys begin so.
func posts() driver.Range { return driver.Range{Partition: partition, From: "post", To: "post~"} }

// deletions delete rows if they are there.
func deletions(listed []driver.Entity) (all []driver.Operation) {
	for _, row := range listed {
		all = append(all, driver.Delete(row.Row, driver.Exists))
	}
	return all
}

// sweep lists the posts, and deletes what it has listed.
func sweep(c own.Client) {
	//lab: List the posts.
	listed, _ := c.Table(rows).First(c, 10, posts()) // nothing fails here
	if len(listed) > 0 {
		//lab: Delete what was listed.
		_ = c.Table(rows).Transact(c, partition, deletions(listed)...) // or it is gone
	}
}

// always is an invariant that is judged in each state.
func always(name string, judge func(own.State) string) own.Invariant {
	return own.Invariant{Name: name, Means: name, Always: judge}
}

func none() Clause { return Clause{Name: None, Label: "(no condition)"} }

func checkThenWrite() Level {
	return Level{
		Title: "Check, then write",
		Task:  "Ann looks for the channel, and posts. The worker w marks the channel, lists its posts, deletes them, and deletes the channel. All rows lie in one partition.",
		Never: "a post without a channel.",
		Write: "Insert the post",
		Why:   "The mark gives the channel a new version. A post under the old version is refused. A post before the mark is listed.",
		Idea:  "The condition goes with the write, in one transaction.",
		Rows:  []string{"channel", "post"},
		Clauses: []Clause{none(),
			{Name: "exists", Label: "the channel exists", Code: "channel exists"},
			{Name: "version", Label: "the channel has the version that Ann read", Code: "channel.version = read"},
			{Name: "gate", Label: "the gate of this incarnation exists", Not: "There is no gate yet."}},
		protocol: func(clause string) own.Protocol {
			ann := func(c own.Client) {
				//lab: Look for the channel.
				channel, err := c.Table(rows).Get(c, partition, "channel")
				if err != nil || channel.Properties.String("State") != "active" {
					return
				}
				var write []driver.Operation
				switch clause {
				case "exists":
					write = append(write, driver.Merge("channel", driver.Exists))
				case "version":
					write = append(write, driver.Merge("channel", driver.Match(channel.ETag)))
				}
				//lab: Insert the post.
				_ = c.Table(rows).Transact(c, partition, append(write, driver.Insert("post"))...) // or it is refused
			}
			w := func(c own.Client) {
				//lab: Mark the channel.
				_ = c.Table(rows).Transact(c, partition, driver.Merge("channel", driver.Exists, driver.String("State", "deleting"))) // it is there
				sweep(c)
				//lab: Delete the channel.
				_ = c.Table(rows).Transact(c, partition, driver.Delete("channel", driver.Exists)) // it is there
			}
			return own.Protocol{
				Setup: func(c own.Client) {
					_ = c.Table(rows).Transact(c, partition, driver.Insert("channel", driver.String("State", "active"))) // no call of a set-up fails
				},
				Actors: []own.Actor{{Name: "ann", Run: ann}, {Name: "w", Run: w}},
				Invariants: []own.Invariant{always("no post without a channel", func(s own.State) string {
					if s.There(rows, partition, "post") && !s.There(rows, partition, "channel") {
						return "A post is left of a channel that is gone."
					}
					return ""
				})},
			}
		},
	}
}

func lease() Level {
	return Level{
		Title: "A lock with a lease",
		Task:  "Ann and Bob edit one page. Each takes the lock, which names its holder, then reads the lock and the page, then saves the page. The lease ends at any time, so each may take the lock while the other still works.",
		Never: "a save by a former holder over one by a later holder.",
		Write: "Save the page",
		Why:   "Taking the lock gives its row a new version. The save of each former holder is refused by that.",
		Idea:  "The holder of a lease does not notice that it has ended, so the store must.",
		Rows:  []string{"lock", "page"},
		Clauses: []Clause{none(),
			{Name: "exists", Label: "the lock exists", Code: "lock exists"},
			{Name: "page", Label: "the page has the version that was read", Code: "page.version = read"},
			{Name: "version", Label: "the lock has the version that I took", Code: "lock.version = taken"}},
		protocol: func(clause string) own.Protocol {
			write := func(me string) func(own.Client) {
				return func(c own.Client) {
					//lab: Take the lock.
					_ = c.Table(rows).Transact(c, partition, driver.Merge("lock", driver.Exists, driver.String("By", me))) // it is there
					//lab: Read the lock and the page.
					read, _ := c.Table(rows).First(c, 2, driver.Range{Partition: partition}) // both are there
					lock, page, version := read[0], read[1], driver.Exists
					var save []driver.Operation
					switch {
					case clause == "exists":
						save = append(save, driver.Merge("lock", driver.Exists))
					case clause == "page":
						version = driver.Match(page.ETag)
					case clause == "version" && lock.Properties.String("By") != me:
						return // the version that was taken is gone
					case clause == "version":
						save = append(save, driver.Merge("lock", driver.Match(lock.ETag)))
					}
					//lab: Save the page.
					if c.Table(rows).Transact(c, partition, append(save, driver.Merge("page", version, driver.String("By", me)))...) == nil {
						c.Tell(me + " saved")
					}
				}
			}
			return own.Protocol{
				Setup: func(c own.Client) {
					_ = c.Table(rows).Transact(c, partition, driver.Insert("lock"), driver.Insert("page")) // no call of a set-up fails
				},
				Actors: []own.Actor{{Name: "ann", Run: write("ann")}, {Name: "bob", Run: write("bob")}},
				Invariants: []own.Invariant{always("the later holder wins", func(s own.State) string {
					for former, later := range map[string]string{"ann": "bob", "bob": "ann"} {
						if s.Row(rows, partition, "page").String("By") == former && s.Row(rows, partition, "lock").String("By") == later && s.Told(later+" saved") > 0 {
							return capital(former) + "'s save lies over that of " + capital(later) + ", who took the lock later."
						}
					}
					return ""
				})},
			}
		},
	}
}

// capital is a name as it is in a sentence.
func capital(name string) string { return string(name[0]-'a'+'A') + name[1:] }
