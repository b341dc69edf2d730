package storage

import (
	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// A Gate is a state of a gate on which a transaction can depend.
type Gate string

// The gates.
const (
	// GateOpen is held by posts and by every other change of what a channel shows.
	GateOpen Gate = "open"
	// GateShut is held by sweeps.
	GateShut Gate = "shut"
)

// RefusedByGate reports whether a call was a transaction that failed because the gate that it
// holds does not exist, and returns that gate. This is no error of the program: a post came after
// the deletion of its channel began, or a sweep after it had ended.
func RefusedByGate(call *driver.Call, err error) (gate Gate, refused bool) {
	if call.Target != schema.TableBlogs || !optimistic.FailedAt(err, 0, domain.ErrNotFound) || call.Operations[0].Action != driver.ActionMerge {
		return "", false
	}
	switch held := call.Operations[0].Row; {
	case schema.OpenGate.Has(held):
		return GateOpen, true
	case schema.ShutGate.Has(held):
		return GateShut, true
	}
	return "", false
}
