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

// Watched is the scenario of a protocol, and what is said of it and of a text once it was searched.
func (p Protocol) Watched(text string) (lab.Scenario, func() []string) {
	p.watch = newWatch()
	return p.Scenario("whole"), func() []string {
		return append(p.watch.warnings(p, "mine.go:7"), p.watch.unwritten("mine.go", text)...)
	}
}

// Chance says what a file calls that is not the same each time.
var Chance = chance
