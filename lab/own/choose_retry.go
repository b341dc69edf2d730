package own

import (
	"errors"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Retry posts, and sends the request again if no answer comes. Which condition makes that safe?
func (Protocols) Retry(g Safeguards) Protocol {
	send := func(c Client, post string) error {
		operations, key := []driver.Operation{driver.Insert(post)}, driver.Insert("key!form")
		if g.Adds("key-first") {
			//lab: Insert the key of the form, in a transaction of its own.
			if err := c.Table("Posts").Transact(c, "news", key); err != nil {
				return err
			}
		}
		if g.Adds("key-together") {
			operations = append(operations, key)
		}
		//lab: Insert the post.
		err := c.Table("Posts").Transact(c, "news", operations...)
		if err == nil && g.Adds("key-last") {
			//lab: Insert the key of the form, now that the post is there.
			err = c.Table("Posts").Transact(c, "news", key)
		}
		return err
	}
	return Protocol{
		About: "a user posts, and sends the request again if no answer comes", Late: true,
		Conditions: map[string]string{
			"look":         "Before the request is sent again, the first post is read. If it is there already, nothing is left to do.",
			"key-first":    "The key of the form is inserted before the post. If the key is there already, nothing is left to do.",
			"key-last":     "The key of the form is inserted after the post. If the key is there already, nothing is left to do.",
			"key-together": "The key of the form is inserted in the transaction of the post. If the key is there already, nothing is left to do.",
		},
		Actors: []Actor{{"ann", func(c Client) {
			for _, post := range []string{"post!1", "post!2"} {
				if g.Adds("look") && post == "post!2" {
					//lab: Look whether the first post is there.
					if _, err := c.Table("Posts").Get(c, "news", "post!1"); err == nil {
						c.Tell("posted")
						return
					}
				}
				if err := send(c, post); err == nil || errors.Is(err, domain.ErrExists) {
					c.Tell("posted")
					return
				}
			}
		}}},
		Invariants: []Invariant{{Name: "one post", Means: "One click makes one post, and a user who was told “posted” has it.", Always: func(s State) string {
			first, second := s.There("Posts", "news", "post!1"), s.There("Posts", "news", "post!2")
			switch {
			case first && second:
				return "one click made two posts"
			case s.Told("posted") > 0 && !first && !second:
				return "the user was told “posted”, and there is no post"
			}
			return ""
		}}},
	}
}
