package azure_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage/azure"
	"microblogging/storage/azuritetest"
	"microblogging/storage/driver"
)

func TestDrop(t *testing.T) {
	t.Run("what is dropped is gone with its rows, and nothing else", dropsNoOther)
	t.Run("what is not there is dropped without an error", func(t *testing.T) {
		dropsNothing(t, open(t, patient(azuritetest.Shared(t).Account())))
	})
	t.Run("what the service is deleting is dropped already", dropsTwice)
}

func dropsNoOther(t *testing.T) {
	c := open(t, patient(azuritetest.Shared(t).Account()))
	for _, name := range []string{"gone", "stays"} {
		transact(t, c, name, driver.Insert("r"))
		if err := driver.NewQueue(c, name).Create(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Drop(t.Context(), []string{"gone"}, []string{"gone"}); err != nil {
		t.Fatal(err)
	}
	get(t, c, "stays", "r")
	absent(t, c, "gone", "r") // this creates the table again
	for name, want := range map[string]error{"gone": domain.ErrUnavailable, "stays": nil} {
		if _, err := driver.NewQueue(c, name).Length(t.Context()); !errors.Is(err, want) {
			t.Errorf("the queue %s has the error %v, want %v", name, err, want)
		}
	}
}

func dropsNothing(t *testing.T, c *azure.Client) {
	t.Helper()
	if err := c.Drop(t.Context(), []string{newName()}, []string{newName()}); err != nil {
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
