package own

import (
	"strings"
	"time"

	"microblogging/storage/driver"
)

// Sweep deletes a channel with its posts, while a user posts. Which condition leaves no post behind?
func (Protocols) Sweep(g Safeguards) Protocol {
	sweep := func(c Client) {
		//lab: List the posts, as they are at this moment.
		rows, _ := c.Table("Posts").First(c, 10, driver.Range{Partition: "news"}) // nothing fails here
		for _, row := range rows {
			if strings.HasPrefix(row.Row, "post!") {
				//lab: Delete a post.
				_ = c.Table("Posts").Transact(c, "news", driver.Delete(row.Row, driver.Exists)) // or it is gone
			}
		}
	}
	shut := func(c Client) {
		//lab: Delete the gate.
		_ = c.Table("Posts").Transact(c, "news", driver.Delete("gate", driver.Exists)) // or it is gone
	}
	work := func(c Client) error {
		//lab: Take the message.
		messages, err := c.Queue().Receive(c, 1, time.Minute)
		if err != nil || len(messages) == 0 {
			return err
		}
		if g.Adds("gate-first") {
			shut(c)
		}
		sweep(c)
		if g.Adds("gate-last") {
			shut(c)
		}
		//lab: Delete the channel.
		_ = c.Table("Channels").Transact(c, "news", driver.Delete("", driver.Exists)) // or it is gone
		if g.Adds("sweep-twice") {
			sweep(c)
		}
		//lab: Take the message off the queue.
		return c.Queue().Delete(c, messages[0])
	}
	return Protocol{
		About: "a user posts while a worker deletes the channel, and one of the two may die", Deaths: 1,
		Conditions: map[string]string{
			"look-again":  "The user's request looks again after the post, and deletes the post if the channel is gone.",
			"sweep-twice": "The worker sweeps once more after the channel is deleted.",
			"gate-last":   "A post requires a row, the gate, in its transaction. The worker deletes the gate after the sweep.",
			"gate-first":  "A post requires a row, the gate, in its transaction. The worker deletes the gate before the sweep.",
		},
		Setup: func(c Client) {
			_ = c.Table("Channels").Transact(c, "news", driver.Insert("")) // no call of a set-up fails
			_ = c.Table("Posts").Transact(c, "news", driver.Insert("gate"))
			_ = c.Queue().Send(c, "delete")
		},
		Actors: []Actor{{"ann", func(c Client) {
			//lab: Look whether the channel is there.
			if _, err := c.Table("Channels").Get(c, "news", ""); err != nil {
				return
			}
			post := []driver.Operation{driver.Insert("post!1")}
			if g.Adds("gate-first") || g.Adds("gate-last") {
				post = append(post, driver.Merge("gate", driver.Exists))
			}
			//lab: Insert the post.
			if c.Table("Posts").Transact(c, "news", post...) != nil || !g.Adds("look-again") {
				return
			}
			//lab: Look again whether the channel is there.
			if _, err := c.Table("Channels").Get(c, "news", ""); err != nil {
				//lab: Delete the post again.
				_ = c.Table("Posts").Transact(c, "news", driver.Delete("post!1", driver.Exists))
			}
		}}, {"w1", func(c Client) { _ = work(c) }}}, // or the next worker does
		Recover: work,
		Invariants: []Invariant{{Name: "no orphan", Means: "In the end no post is left of a channel that is gone.", Quiescent: func(s State) string {
			if s.There("Posts", "news", "post!1") && !s.There("Channels", "news", "") {
				return "a post is left of a channel that is gone"
			}
			return ""
		}}},
	}
}
