package move

// A Phase is a part of a copy.
type Phase uint8

// The phases, in their order. A copy may wait twice.
const (
	Waiting Phase = iota
	Copying
	WaitingForMessages
	Comparing
	Checking
)

// Progress says how far a copy has come.
type Progress struct {
	Phase Phase
	// Rows counts the rows that this run has copied and compared: each row twice.
	Rows int
	// Held is the number of messages that workers hold.
	Held int
}

// tell tells of progress: rows more.
func (c *copier) tell(phase Phase, rows, held int) {
	c.told.Phase, c.told.Held = phase, held
	c.told.Rows += rows
	if c.Progress != nil {
		c.Progress(c.told)
	}
}
