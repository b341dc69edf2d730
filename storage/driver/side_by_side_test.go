package driver_test

import (
	"iter"
	"slices"
	"testing"

	"microblogging/storage/driver"
)

func TestSideBySide(t *testing.T) {
	t.Run("rows with the same keys are visited together, and the others in the order of their keys", func(t *testing.T) {
		var visits []string
		err := driver.SideBySide(rows("a", "b", "d"), rows("b", "c"), func(a, b *driver.Entity) error {
			name := func(row *driver.Entity) string {
				if row == nil {
					return "-"
				}
				return row.Row
			}
			visits = append(visits, name(a)+name(b))
			return nil
		})
		if want := []string{"a-", "bb", "-c", "d-"}; err != nil || !slices.Equal(visits, want) {
			t.Errorf("visits %q, %v, want %q", visits, err, want)
		}
	})
}

func rows(keys ...string) iter.Seq2[driver.Entity, error] {
	return func(yield func(driver.Entity, error) bool) {
		for _, key := range keys {
			if !yield(driver.Entity{Partition: "p", Row: key}, nil) {
				return
			}
		}
	}
}
