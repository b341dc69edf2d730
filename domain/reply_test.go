package domain_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
)

func TestReplyID(t *testing.T) {
	first := domain.NewReplyID(time.Date(1999, 12, 31, 23, 59, 59, 0, time.UTC))
	next := domain.NewReplyID(time.Date(2000, 1, 1, 0, 0, 0, 100, time.UTC))
	t.Run("a later reply sorts after an earlier one", func(t *testing.T) {
		if first >= next {
			t.Errorf("%s sorts after %s", first, next)
		}
	})
	t.Run("what no reply has as its id is not found", func(t *testing.T) {
		if id, err := domain.ParseReplyID(string(first)); err != nil || id != first {
			t.Errorf("its own id is parsed as %q, %v", id, err)
		}
		id := string(first)
		for _, other := range []string{
			"", "-", id + "A", id[1:], strings.ToLower(id), strings.Replace(id, "-", "!", 1), "+" + id[1:], "9" + id[1:], string(domain.NewBlogID(time.Now())),
		} {
			if id, err := domain.ParseReplyID(other); !errors.Is(err, domain.ErrNotFound) {
				t.Errorf("%q is parsed as %q, %v", other, id, err)
			}
		}
	})
}
