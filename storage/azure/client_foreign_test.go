package azure_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue/v2"

	"microblogging/storage/azuritetest"
	"microblogging/storage/driver"
)

// TestForeign is about rows and messages that another program, with the SDK or a
// tool, has written or will read.
func TestForeign(t *testing.T) {
	t.Run("properties of unknown kinds are not read and are kept", foreignKinds)
	t.Run("programs see a message that never expires", messageNeverExpires)
}

func foreignKinds(t *testing.T) {
	account := azuritetest.Shared(t).Account()
	c := open(t, with(account))
	name := newTable(t, c)
	table := raw(t, account).NewClient(name)
	foreign, err := json.Marshal(aztables.EDMEntity{
		Entity: aztables.Entity{PartitionKey: "p", RowKey: "r"},
		Properties: map[string]any{
			"Int32": int32(-7), "Double": 1.5, "Text": "known", "Flag": true, "Long": aztables.EDMInt64(1 << 60),
			"Guid": aztables.EDMGUID("c9da6455-213d-42c9-9a79-3e9149a57833"), "Binary": aztables.EDMBinary("bytes"),
			"Since": aztables.EDMDateTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)),
		},
	})
	ok(t, err)
	if _, err := table.AddEntity(t.Context(), foreign, nil); err != nil {
		t.Fatal(err)
	}

	properties := get(t, c, name, "r").Properties
	if n, long := properties.Int64("Int32"), properties.Int64("Long"); n != -7 || long != 1<<60 || len(properties) != 5 {
		t.Errorf("the row is read as %v", properties)
	}
	transact(t, c, name, driver.Merge("r", driver.Exists, driver.String("Text", "changed")))
	reply, err := table.GetEntity(t.Context(), "p", "r", nil)
	ok(t, err)
	for _, kept := range []string{`"Double":1.5`, `"Guid":"c9da6455-`, `"Binary":"`, `"Text":"changed"`} {
		if !strings.Contains(string(reply.Value), kept) {
			t.Errorf("no %s in %s", kept, reply.Value)
		}
	}
}

func messageNeverExpires(t *testing.T) {
	account := azuritetest.Shared(t).Account()
	queue := newQueue(t, open(t, with(account)))
	service, err := azqueue.NewServiceClientFromConnectionString(account, &azqueue.ClientOptions{ClientOptions: rawOptions(t)})
	ok(t, err)
	reply, err := service.NewQueueClient(queue).PeekMessage(t.Context(), nil)
	ok(t, err)
	if expires := *reply.Messages[0].ExpirationTime; time.Until(expires) < 100*365*24*time.Hour {
		t.Errorf("it expires on %s", expires)
	}
}

// raw returns the SDK's own client.
func raw(t *testing.T, account string) *aztables.ServiceClient {
	t.Helper()
	service, err := aztables.NewServiceClientFromConnectionString(account, &aztables.ClientOptions{ClientOptions: rawOptions(t)})
	ok(t, err)
	return service
}

// rawOptions replaces the SDK's default transport, whose connections a test cannot close.
func rawOptions(t *testing.T) azcore.ClientOptions {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return azcore.ClientOptions{Transport: &http.Client{Transport: transport}}
}
