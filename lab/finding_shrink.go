package lab

import (
	"slices"

	"microblogging/domain"
)

// Shrink looks for a shorter run that breaks the same law. It leaves out parts of
// the schedule, larger parts first, as long as the law is still broken (delta
// debugging, see doc.go). Actors that still wait at the schedule's end go on without
// faults.
func (x *Explorer) Shrink(found Finding) *Finding {
	best := found
	for size := len(best.Schedule) / 2; size > 0; {
		shorter := x.withoutPart(best, size)
		if shorter == nil {
			size /= 2
			continue
		}
		best = *shorter
		size = min(size, len(best.Schedule)/2)
	}
	return &best
}

// withoutPart leaves out one part of the given size, if the law is still broken then.
func (x *Explorer) withoutPart(found Finding, size int) *Finding {
	for at := 0; at+size <= len(found.Schedule); at += size {
		rest := slices.Concat(found.Schedule[:at], found.Schedule[at+size:])
		run, err := x.Replay(rest, true)
		if err == nil && sameLaw(run.Breaches, found.Breaches) && len(run.Steps) < len(found.Schedule) {
			return &Finding{run.Schedule(), run.Breaches}
		}
	}
	return nil
}

func sameLaw(a, b []domain.Breach) bool {
	return slices.ContainsFunc(a, func(breach domain.Breach) bool {
		return slices.ContainsFunc(b, func(other domain.Breach) bool { return other.Invariant == breach.Invariant })
	})
}
