package own

import "microblogging/lab"

// Whole is the scenario of a protocol with all its safeguards.
func (p Protocol) Whole() lab.Scenario { return p.Scenario("whole") }

// Chance says what a file calls that is not the same each time.
var Chance = chance
