package templates

// A GateState is how far the gate of one incarnation has come. It never goes back.
type GateState string

// The states of a gate, in their order.
const (
	GateReserved GateState = "reserved"
	GateOpen     GateState = "open"
	GateShut     GateState = "shut"
	GateGone     GateState = "gone"
)

// GateStates are all of them, in their order.
func GateStates() [4]GateState { return [...]GateState{GateReserved, GateOpen, GateShut, GateGone} }

// Word is the state as a picture has it.
func (s GateState) Word() string {
	switch s {
	case GateOpen:
		return "OPEN"
	case GateShut:
		return "SHUT"
	default:
		return string(s)
	}
}

// Means says in a few words what the store lets happen in this state.
func (s GateState) Means() string {
	switch s {
	case GateReserved:
		return "no post is accepted yet"
	case GateOpen:
		return "the store can accept a post"
	case GateShut:
		return "rows are removed, no post is accepted"
	default:
		return "no post is accepted, no row is removed"
	}
}
