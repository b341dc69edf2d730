package own

import "microblogging/storage/driver"

// Outbox takes an order and tells others of it by a message, which no transaction spans.
func (Protocols) Outbox(g Safeguards) Protocol {
	relay := func(c Client) error {
		//lab: Read whether something waits in the outbox.
		waiting, err := c.Table("Orders").Get(c, "shop", "outbox!1")
		if err != nil {
			return nil // nothing does
		}
		//lab: Send the message.
		if err := c.Queue().Send(c, "order 1"); err != nil {
			return err
		}
		//lab: Take it out of the outbox. If a process dies before this, the message is sent twice, but never not at all.
		return c.Table("Orders").Transact(c, "shop", driver.Delete("outbox!1", driver.Match(waiting.ETag)))
	}
	return Protocol{
		About:  "a shop takes an order and sends a message about it, and may die in between",
		Deaths: 1,
		Actors: []Actor{{"shop", func(c Client) {
			order := []driver.Operation{driver.Insert("order!1")}
			if g.On("outbox") {
				order = append(order, driver.Insert("outbox!1"))
			}
			//lab: Insert the order.
			if c.Table("Orders").Transact(c, "shop", order...) != nil {
				return
			}
			c.Tell("ordered")
			if len(order) == 1 {
				//lab: Send the message about the order.
				_ = c.Queue().Send(c, "order 1") // who reads an error now?
				return
			}
			_ = relay(c) // or the next process does
		}}},
		Recover:    relay,
		Safeguards: map[string]string{"outbox": "The order and the intent to send are inserted in one transaction, so the next process sends what a dead process has not."},
		Invariants: []Invariant{{Name: "each order is told", Means: "Of an order that was acknowledged, there is a message in the end.",
			Quiescent: func(s State) string {
				if s.Told("ordered") > 0 && len(s.Messages()) == 0 {
					return "the order was acknowledged, and there is no message about it"
				}
				return ""
			}}},
	}
}
