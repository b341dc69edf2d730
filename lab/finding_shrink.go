package lab

import (
	"slices"

	"microblogging/domain"
)

// Shrink looks for a shorter run that breaks the same law: it leaves out parts
// of the schedule, larger ones first, as long as that can be done (delta
// debugging). Who still waits at the schedule's end goes on undisturbed, so that
// what is left of the schedule is what matters.
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

// withoutPart tries to do without each part of the given size.
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
