package domain

// A Registration says who may sign up.
type Registration string

// The registrations. The empty one is that of a site on which every visitor may sign up.
const (
	RegistrationOpen    Registration = "open"
	RegistrationInvited Registration = "invited"
	RegistrationClosed  Registration = "closed"
)

// Open reports whether every visitor may sign up.
func (r Registration) Open() bool { return r == RegistrationOpen || r == "" }

// Admits reports whether a visitor may sign up, with an invitation or without one.
func (r Registration) Admits(invited bool) bool {
	return r.Open() || r == RegistrationInvited && invited
}
