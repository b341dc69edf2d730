package drivertest

import (
	"testing"

	"microblogging/domain"
)

// FailOnce returns a function that fails the test for a violation of an invariant. It tells of one of each
// kind, with the row that shows it: a fault that each row has would fill hundreds of lines.
func FailOnce(t testing.TB) func(domain.Violation) {
	told := map[string]bool{}
	return func(v domain.Violation) {
		if !told[v.String()] {
			told[v.String()] = true
			t.Errorf("violation of %v: row %q of partition %q of %s", v, v.RowKey, v.PartitionKey, v.Table)
		}
	}
}
