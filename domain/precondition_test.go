package domain_test

import (
	"testing"

	"microblogging/domain"
)

func TestPrecondition(t *testing.T) {
	for what, test := range map[string]struct {
		p    domain.Precondition[domain.Revision]
		a, b bool
	}{
		"the zero value": {domain.Precondition[domain.Revision]{}, false, false},
		"any":            {domain.Any[domain.Revision](), true, true},
		"none":           {domain.OneOf[domain.Revision](), false, false},
		"one":            {domain.OneOf[domain.Revision]("a"), true, false},
		"two":            {domain.OneOf[domain.Revision]("b", "a"), true, true},
	} {
		if a, b := test.p.Holds("a"), test.p.Holds("b"); a != test.a || b != test.b {
			t.Errorf("%s holds for a: %v, for b: %v", what, a, b)
		}
	}
}
