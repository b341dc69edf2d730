package modelcheck

import (
	"strings"

	"microblogging/domain"
	"microblogging/lab"
)

// Picture is one picture of a document.
var Picture = picture

// KnownCode is the fingerprint of the code that the records are about.
var KnownCode = strings.TrimSpace(code)

// Why is the cause of a run that breaks the invariant.
func (c Case) Why(schedule lab.Schedule, invariant string) Cause {
	return Result{Case: c, Finding: &lab.Finding{Schedule: schedule, Violations: []domain.Violation{{Invariant: invariant}}}}.why()
}

// FindIn is Find among these cases.
var FindIn = find
