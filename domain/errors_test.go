package domain_test

import (
	"errors"
	"fmt"
	"testing"

	"microblogging/domain"
)

func TestErrors(t *testing.T) {
	t.Run("include the wider meaning", meaningIncludesTheWiderOne)
	t.Run("of other kinds are not hidden by invalid ones", otherErrorsAreNotHiddenByInvalidOnes)
}

func meaningIncludesTheWiderOne(t *testing.T) {
	for _, test := range []struct{ narrow, wide error }{
		{domain.ErrStillDeleting, domain.ErrExists},
		{domain.ErrPostGone, domain.ErrGone},
		{&domain.StaleError{}, domain.ErrConflict},
	} {
		if !errors.Is(test.narrow, test.wide) || errors.Is(test.wide, test.narrow) {
			t.Errorf("%v should be a %v, and not the other way round", test.narrow, test.wide)
		}
	}
}

func otherErrorsAreNotHiddenByInvalidOnes(t *testing.T) {
	invalid := domain.Invalid("a", "is %d", 1)
	if err := domain.JoinInvalid(nil, nil); err != nil {
		t.Errorf("nothing wrong: %v", err)
	}
	if err := domain.JoinInvalid(invalid, domain.ErrUnavailable); !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("%v, want the one that is not invalid", err)
	}
	var all *domain.InvalidError
	err := domain.JoinInvalid(invalid, nil, fmt.Errorf("wrapped: %w", domain.Invalid("b", "is 2")))
	if !errors.As(err, &all) || len(all.Fields) != 2 || all.Fields[0] != (domain.FieldError{Field: "a", Detail: "is 1"}) {
		t.Errorf("%v, want both fields", err)
	}
}
