package azure_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"microblogging/storage/driver"
)

func TestClock(t *testing.T) {
	t.Run("tells the Date of the latest answer, whatever it was", func(t *testing.T) {
		dates := []string{"Tue, 03 Jan 2006 15:04:05 GMT", "", "Wed, 04 Jan 2006 15:04:05 GMT", "noon"}
		client := open(t, with(unreachable, fault(func(req *policy.Request) (*http.Response, error) {
			date := dates[0]
			dates = dates[1:]
			return answers(http.StatusForbidden, http.Header{"Date": {date}}, "")(req)
		})))
		clock := client.Capabilities().Clock
		if _, _, known := clock(); known {
			t.Error("it knows the time before the first answer")
		}
		for _, day := range []int{3, 3, 4, 4} {
			began := time.Now()
			_, _ = driver.NewQueue(client, "q").Length(t.Context()) // it is refused
			store, here, known := clock()
			if want := time.Date(2006, 1, day, 15, 4, 5, 0, time.UTC); !known || !store.Equal(want) {
				t.Errorf("the time is %s (%t), want %s", store, known, want)
			}
			if day != 3 && here.Before(began) != (len(dates) == 0) {
				t.Errorf("with %d answers to come, the time here is %s, and the call began at %s", len(dates), here, began)
			}
		}
	})
}
