package own

import "microblogging/lab"

// Whole is the scenario of a protocol with all its safeguards.
func (p Protocol) Whole() lab.Scenario { return p.Scenario("whole") }

// WrongAt says what keeps a protocol from being run.
func (p Protocol) WrongAt(line string) error { return p.wrong(line) }

// SameName is the error of methods that become one address.
var SameName = sameName

// Shared says which variable of a file its actors share.
var Shared = shared

// Unasked says which safeguards a file does not ask for.
func (p Protocol) Unasked(text string) []string { return p.unasked("mine.go", text, text) }

// Watched is the scenario of a protocol, and what is said of it once it was searched.
func (p Protocol) Watched() (lab.Scenario, func() []string) {
	p.watch = newWatch()
	return p.Scenario("whole"), func() []string { return p.watch.warnings(p) }
}

// Chance says what a file calls that is not the same each time.
var Chance = chance
