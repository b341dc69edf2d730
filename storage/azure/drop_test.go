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
	gone, stays := newTable(t, c), newTable(t, c)
	transact(t, c, stays, driver.Insert("r"))
	queueGone, queueStays := newQueue(t, c), newQueue(t, c)
	ok(t, c.Drop(t.Context(), []string{gone}, []string{queueGone}))
	get(t, c, stays, "r")
	for name, want := range map[string]error{queueGone: domain.ErrMissing, queueStays: nil} {
		if _, err := driver.NewQueue(c, name).Length(t.Context()); !errors.Is(err, want) {
			t.Errorf("the queue %s has the error %v, want %v", name, err, want)
		}
	}
	_, err := driver.NewTable(c, gone).Get(t.Context(), "p", "r")
	want(t, err, domain.ErrMissing)
}

func dropsNothing(t *testing.T, c *azure.Client) {
	t.Helper()
	if err := c.Drop(t.Context(), []string{newName()}, []string{newName()}); err != nil {
		t.Error(err)
	}
}

// Azurite deletes immediately. Azure takes 40 s, and answers 409 until then ("Delete Table",
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
