package driver_test

import (
	"errors"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
)

func TestPosition(t *testing.T) {
	t.Run("only a cursor that this list gave, with a position, is a position", func(t *testing.T) {
		for after, want := range map[string]string{
			"": "", driver.Cursor("posts", "k"): "k", driver.Cursor("posts", ""): "refused", driver.Cursor("votes", "k"): "refused", "x": "refused",
		} {
			position, err := driver.List{Name: "posts", After: after}.Position()
			if _, refused := errors.AsType[*domain.InvalidError](err); refused {
				position = "refused"
			}
			if position != want {
				t.Errorf("%q: position %q, %v, want %q", after, position, err, want)
			}
		}
	})
}
