package own

import "microblogging/lab"

// Whole is the scenario of a protocol with all its safeguards.
func (p Protocol) Whole() lab.Scenario { return p.scenario("whole") }
