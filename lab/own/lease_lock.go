package own

import (
	"strconv"

	"microblogging/storage/driver"
)

// LeaseLock lets two writers take turns by a lock whose lease may end while its holder sleeps.
func (Protocols) LeaseLock(g Safeguards) Protocol {
	write := func(c Client) {
		//lab: Read who has the lock, and its number.
		lock, err := c.Table("Locks").Get(c, "page", "")
		number := lock.Properties.Int64("Number") + 1
		if err != nil {
			return
		}
		//lab: Take the lock under the next number, in the version that was read. The lease before has ended.
		if c.Table("Locks").Transact(c, "page", driver.Merge("", driver.Match(lock.ETag), driver.Int64("Number", number))) != nil {
			return
		}
		//lab: Read the page, and the number of the lock under which it was saved last.
		page, err := c.Table("Pages").Get(c, "page", "")
		if err != nil {
			return
		}
		version := driver.Exists
		if g.On("fence") {
			if page.Properties.Int64("Number") > number {
				return
			}
			version = driver.Match(page.ETag)
		}
		//lab: Save the page with the number of the lock.
		if c.Table("Pages").Transact(c, "page", driver.Merge("", version, driver.Int64("Number", number))) == nil {
			c.Tell("saved with lock " + strconv.FormatInt(number, 10))
		}
	}
	return Protocol{
		About: "two writers save a page, and the lease of the first may end before it saves",
		Setup: func(c Client) {
			_ = c.Table("Locks").Transact(c, "page", driver.Insert("", driver.Int64("Number", 0))) // no call of a set-up fails
			_ = c.Table("Pages").Transact(c, "page", driver.Insert("", driver.Int64("Number", 0)))
		},
		Actors:     []Actor{{"ann", write}, {"bob", write}},
		Safeguards: map[string]string{"fence": "A page is saved in the version that was read, and under no earlier lock, so a holder who slept is refused."},
		Invariants: []Invariant{{Name: "the later lock wins", Means: "What was saved under a later lock is never overwritten under an earlier one.",
			Always: func(s State) string {
				if s.Told("saved with lock 2") > 0 && s.Row("Pages", "page", "").Int64("Number") < 2 {
					return "the page was saved with lock 2, and lock 1 has overwritten it"
				}
				return ""
			}}},
	}
}
