package lab_test

import (
	"testing"

	"microblogging/lab/protocol"
	"microblogging/storage/schema"
)

func TestRowKinds(t *testing.T) {
	scenarios := map[string]bool{}
	for _, s := range protocol.Scenarios() {
		scenarios[s.Name] = true
	}
	// The guarantees do not rest on these.
	none := map[string]bool{
		"owned channel": true, "address of a user": true, "failures": true,
	}
	for _, kind := range schema.Kinds() {
		if scenarios[kind.Scenario] == none[kind.Name] {
			t.Errorf("%s of %s leads to the scenario %q", kind.Name, kind.Table, kind.Scenario)
		}
	}
}
