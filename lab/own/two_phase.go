package own

import (
	"errors"

	"microblogging/storage/driver"
)

// TwoPhase moves a coin: both sides are prepared, it is decided, both commit.
func (Protocols) TwoPhase(g Safeguards) Protocol {
	change := map[string]int64{"from": -1, "to": +1}
	set := func(c Client, partition string, held, coins int64) error {
		return c.Table("Coins").Transact(c, partition, driver.Merge("", driver.Upsert, driver.Int64("Held", held), driver.Int64("Coins", coins)))
	}
	finish := func(c Client) error { // what was decided, or nothing
		//lab: Read what was decided.
		_, undecided := c.Table("Decisions").Get(c, "transfer", "")
		for _, partition := range []string{"from", "to"} {
			//lab: Read whether this side is still prepared.
			row, err := c.Table("Coins").Get(c, partition, "")
			if err != nil || row.Properties.Int64("Held") == 0 {
				continue
			}
			moved := change[partition]
			if undecided != nil {
				moved = 0
			}
			//lab: Bring this side to its end.
			if err := set(c, partition, 0, row.Properties.Int64("Coins")+moved); err != nil {
				return err
			}
		}
		return nil
	}
	return Protocol{
		About:  "a coin moves from one partition to another, and the process may die between any two steps",
		Deaths: 1, Setup: func(c Client) { _, _ = set(c, "from", 0, 1), set(c, "to", 0, 0) }, // no call of a set-up fails
		Actors: []Actor{{"bank", func(c Client) {
			//lab: Prepare a side.
			err := errors.Join(set(c, "from", 1, 1), set(c, "to", 1, 0))
			if err == nil && g.On("decision") {
				//lab: Write the decision down, before any side commits.
				err = c.Table("Decisions").Transact(c, "transfer", driver.Insert(""))
			}
			if err == nil {
				//lab: Commit a side.
				_ = errors.Join(set(c, "from", 0, 0), set(c, "to", 0, 1)) // or Recover does
			}
		}}},
		Recover:    finish,
		Safeguards: map[string]string{"decision": "The decision is written before either side commits, so the next process ends both sides in the same way."},
		Invariants: []Invariant{{Name: "no coin is lost", Means: "In the end there is one coin, on one side.", Quiescent: func(s State) string {
			if s.Row("Coins", "from", "").Int64("Coins")+s.Row("Coins", "to", "").Int64("Coins") != 1 {
				return "the coin is on neither side, or on both"
			}
			return ""
		}}},
	}
}
