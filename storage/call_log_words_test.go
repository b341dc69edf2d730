package storage

import (
	"strings"
	"testing"

	"microblogging/storage/schema"
)

func TestRangeHasTheKindsWhoseRowsMayBeInIt(t *testing.T) {
	for _, c := range []struct{ table, partition, from, to, want string }{
		{schema.TableBlogs, "garden", "blog!", "blog\"", "post"},
		{schema.TableBlogs, "garden", "blog!2516", "blog\"", "post"},
		{schema.TableBlogs, "garden", "a", "blog!", ""}, {schema.TableBlogs, "garden", "blog\"", "gate!", ""},
		{schema.TableBlogs, "garden", "gate!", "gate\"", "open gate, shut gate, reservation"},
		{schema.TableBlogs, "garden", "gate!open!", "gate!open\"", "open gate"},
		{schema.TableBlogs, "garden", "vote!x!", "vote!x\"", "vote"},
		{schema.TableUsers, "ada", "owned!", "owned\"", "owned channel"},
		{schema.TableDeletions, "poison!", "", "", "poison message"},
		{schema.TableDeletions, "open!7", "", "", "open deletion, open deletion of a post"},
		{schema.TableSubscriptions, "ada", "", "", "subscription"},
	} {
		var names []string
		for _, kind := range kindsWithin(c.table, c.partition, c.from, c.to) {
			names = append(names, kind.Name)
		}
		if got := strings.Join(names, ", "); got != c.want {
			t.Errorf("%+v has %s", c, got)
		}
	}
}
