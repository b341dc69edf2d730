package driver_test

import (
	"testing"

	"microblogging/storage/driver"
)

func TestPaging(t *testing.T) {
	t.Run("a selection of what is no property name is refused", func(t *testing.T) {
		table := driver.NewTable(unreached(t), "T")
		for _, names := range [][]string{{""}, {"RowKey"}, {"A", "B,C"}, {"A", "B "}, {"$top"}} {
			paging := driver.Paging{Limit: 1, Select: names}
			_, err := table.Range(t.Context(), driver.Range{Partition: "p", Paging: paging})
			wantLimit(t, err)
			_, err = table.Scan(t.Context(), driver.Scan{Paging: paging})
			wantLimit(t, err)
		}
	})
}
