package own

import "microblogging/storage/driver"

// Activity is a workflow engine that runs two activities, and runs the first again when its answer does not come.
func (Protocols) Activity(g Safeguards) Protocol {
	write := func(c Client, state string, attempt int64) error {
		//lab: Read the seat, and which attempt has written it last.
		seat, err := c.Table("Seats").Get(c, "12A", "")
		if err != nil {
			return err
		}
		version := driver.Exists
		if g.On("fence") {
			if seat.Properties.Int64("Attempt") > attempt {
				return nil // another attempt has taken over
			}
			version = driver.Match(seat.ETag)
		}
		//lab: Write the seat, with the number of the attempt.
		return c.Table("Seats").Transact(c, "12A", driver.Merge("", version, driver.String("State", state), driver.Int64("Attempt", attempt)))
	}
	engine := func(c Client) error {
		//lab: Read in the history how many activities are done.
		history, err := c.Table("History").Get(c, "trip", "")
		if err != nil {
			return err
		}
		for done := history.Properties.Int64("Done"); done < 2; {
			if err := write(c, []string{"reserved", "released"}[done], done+2); err != nil {
				return err
			}
			done++
			//lab: Note in the history that the activity is done.
			if err := c.Table("History").Transact(c, "trip", driver.Merge("", driver.Exists, driver.Int64("Done", done))); err != nil {
				return err
			}
		}
		return nil
	}
	return Protocol{
		About: "a workflow reserves a seat and releases it, and the first attempt to reserve it comes late", Deaths: 1,
		Setup: func(c Client) {
			_ = c.Table("Seats").Transact(c, "12A", driver.Insert("", driver.String("State", "free"), driver.Int64("Attempt", 0))) // no call of a set-up fails
			_ = c.Table("History").Transact(c, "trip", driver.Insert("", driver.Int64("Done", 0)))
		},
		Actors: []Actor{
			{"attempt1", func(c Client) { _ = write(c, "reserved", 1) }}, // no answer reaches the engine in time
			{"engine", func(c Client) { _ = engine(c) }},                 // or Recover does: the engine resumes
		},
		Recover:    engine,
		Safeguards: map[string]string{"fence": "A seat is written in the version that was read, and by no earlier attempt, so an attempt that comes late is refused."},
		Invariants: []Invariant{{Name: "what is done stays done", Means: "Once the history says that the seat was released, it is not reserved.", Always: func(s State) string {
			if s.Row("History", "trip", "").Int64("Done") == 2 && s.Row("Seats", "12A", "").String("State") == "reserved" {
				return "the history says that the seat was released, and a late attempt has reserved it"
			}
			return ""
		}}, {Name: "it ends", Means: "The workflow ends, whichever process dies.", Quiescent: func(s State) string {
			if s.Row("History", "trip", "").Int64("Done") < 2 {
				return "the workflow has not ended"
			}
			return ""
		}}},
	}
}
