package own

import (
	"time"

	"microblogging/storage/driver"
)

// Name deletes a channel by its name, which another user may have by then. Which condition spares the new channel?
func (Protocols) Name(g Safeguards) Protocol {
	work := func(c Client) {
		//lab: Take the message. It says whose channel is to be deleted.
		messages, err := c.Queue().Receive(c, 1, time.Minute)
		if err != nil || len(messages) == 0 {
			return
		}
		if g.Adds("message-first") {
			//lab: Take the message off the queue before the work.
			_ = c.Queue().Delete(c, messages[0]) // another worker may have done so
		}
		if g.Adds("done-row") {
			//lab: Look whether a worker has noted that this is done.
			if _, err := c.Table("Done").Get(c, messages[0].Text, ""); err == nil {
				return
			}
		}
		version := driver.Exists
		if g.Adds("owner") || g.Adds("version") {
			//lab: Read the channel, and whose it is.
			row, err := c.Table("Channels").Get(c, "news", "")
			if err != nil || row.Properties.String("Owner") != messages[0].Text {
				return
			}
			if g.Adds("version") {
				version = driver.Match(row.ETag)
			}
		}
		//lab: Delete the channel that has the name.
		if c.Table("Channels").Transact(c, "news", driver.Delete("", version)) == nil && g.Adds("done-row") {
			//lab: Note that this is done.
			_ = c.Table("Done").Transact(c, messages[0].Text, driver.Merge("", driver.Upsert)) // nothing fails here
		}
		if !g.Adds("message-first") {
			//lab: Take the message off the queue.
			_ = c.Queue().Delete(c, messages[0]) // another worker may have done so
		}
	}
	return Protocol{
		About: "two workers have the message that deletes a channel by its name, and another user takes the name",
		Conditions: map[string]string{
			"message-first": "A worker takes the message off the queue before it deletes the channel.",
			"done-row":      "A worker notes in a row that the deletion is done, and looks for that row before it deletes.",
			"owner":         "A worker reads the channel, and goes on only if it is the one that the message means.",
			"version":       "A worker reads the channel, goes on only if it is the one that the message means, and deletes it only in the version that it read.",
		},
		Setup: func(c Client) {
			_ = c.Table("Channels").Transact(c, "news", driver.Insert("", driver.String("Owner", "olga"))) // no call of a set-up fails
			_ = c.Queue().Send(c, "olga")
		},
		Actors: []Actor{{"w1", work}, {"w2", work}, {"ann", func(c Client) {
			//lab: Create a channel of the name, if it is free.
			if c.Table("Channels").Transact(c, "news", driver.Insert("", driver.String("Owner", "ann"))) == nil {
				c.Tell("created")
			}
		}}},
		Invariants: []Invariant{{Name: "the new channel stays", Means: "A channel that was created again is not deleted.", Always: func(s State) string {
			if s.Told("created") > 0 && !s.There("Channels", "news", "") {
				return "the new channel is gone, and no user asked for that"
			}
			return ""
		}}},
	}
}
