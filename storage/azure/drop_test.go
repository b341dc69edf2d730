package azure_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"microblogging/storage/azure"
	"microblogging/storage/azuritetest"
	"microblogging/storage/driver"
)

func TestDrop(t *testing.T) {
	c := open(t, patient(azuritetest.Shared(t).Account()))
	t.Run("a table that is dropped is gone with its rows, and no other", func(t *testing.T) { dropsTable(t, c) })
	t.Run("a queue that is dropped is gone, and no other", func(t *testing.T) { dropsQueue(t, c) })
	t.Run("what is not there is dropped without an error", func(t *testing.T) { dropsNothing(t, c) })
	t.Run("what the service is deleting is dropped already", dropsTwice)
}

func dropsTable(t *testing.T, c *azure.Client) {
	prefix := newName()
	gone, stays := prefix+"Gone", prefix+"Stays"
	for _, table := range []string{gone, stays} {
		transact(t, c, table, driver.Insert("r"))
	}
	if names, err := c.TableNames(t.Context(), strings.ToUpper(prefix)); err != nil || !slices.Equal(names, []string{gone, stays}) {
		t.Fatalf("the tables are %q (%v)", names, err)
	}
	if err := c.DropTable(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	if names, err := c.TableNames(t.Context(), prefix); err != nil || !slices.Equal(names, []string{stays}) {
		t.Errorf("with %s dropped, the tables are %q (%v)", gone, names, err)
	}
	get(t, c, stays, "r")
	absent(t, c, gone, "r") // this creates the table again
}

func dropsQueue(t *testing.T, c *azure.Client) {
	prefix := newName()
	gone, stays := prefix+"-gone", prefix+"-stays"
	for _, queue := range []string{gone, stays} {
		if err := driver.NewQueue(c, queue).Create(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.DropQueue(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	if names, err := c.QueueNames(t.Context(), prefix); err != nil || !slices.Equal(names, []string{stays}) {
		t.Errorf("with %s dropped, the queues are %q (%v)", gone, names, err)
	}
}

func dropsNothing(t *testing.T, c *azure.Client) {
	name := newName()
	if err := c.DropTable(t.Context(), name); err != nil {
		t.Error(err)
	}
	if err := c.DropQueue(t.Context(), name); err != nil {
		t.Error(err)
	}
}

// Azurite deletes at once. Azure takes 40 s, and answers 409 until then ("Delete Table",
// "Delete Queue").
func dropsTwice(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		code := "QueueBeingDeleted"
		if strings.Contains(r.URL.Path, "/Tables(") {
			code = "TableBeingDeleted"
		}
		w.Header().Set("X-Ms-Error-Code", code)
		w.WriteHeader(http.StatusConflict)
	}))
	t.Cleanup(server.Close)
	dropsNothing(t, open(t, azure.Config{ConnectionString: strings.ReplaceAll(unreachable, "http://127.0.0.1:1", server.URL)}))
}
