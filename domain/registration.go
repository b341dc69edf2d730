package domain

// A Registration says who may sign up.
type Registration string

// The registrations. The empty one is that of a site on which everybody may sign up.
const (
	RegistrationOpen    Registration = "open"
	RegistrationInvited Registration = "invited"
	RegistrationClosed  Registration = "closed"
)

// Open reports whether everybody may sign up.
func (r Registration) Open() bool { return r == RegistrationOpen || r == "" }

// Admits reports whether somebody may sign up, with an invitation or without one.
func (r Registration) Admits(invited bool) bool {
	return r.Open() || r == RegistrationInvited && invited
}
