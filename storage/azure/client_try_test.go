package azure_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"microblogging/domain"
	"microblogging/storage/azure"
	"microblogging/storage/driver"
)

func TestTried(t *testing.T) {
	t.Run("tells each try of a call with its number and its status", triedTellsEach)
	t.Run("starts to count again with each call", triedCountsCalls)
}

type asked struct{}

// triedBy makes so many calls on a service that gives these answers, in this order; 0 is none.
func triedBy(t *testing.T, statuses []int, calls int) (told []string, err error) {
	t.Helper()
	n := 0
	next := fault(func(req *policy.Request) (*http.Response, error) {
		status := statuses[n]
		n++
		if status == 0 {
			return nil, errReplyLost
		}
		return answers(status, http.Header{"Retry-After-Ms": {"1"}}, "")(req)
	})
	config := with(unreachable, next)
	config.Retry = &policy.RetryOptions{MaxRetries: 3, RetryDelay: time.Millisecond}
	config.Tried = func(ctx context.Context, try azure.Try) {
		told = append(told, fmt.Sprintf("%v %d %d %t", ctx.Value(asked{}), try.Number, try.Status, try.Throttled()))
	}
	queue := driver.NewQueue(open(t, config), "q")
	for range calls {
		if _, err = queue.Length(context.WithValue(t.Context(), asked{}, "by me")); err != nil {
			break
		}
	}
	return told, err
}

func triedTellsEach(t *testing.T) {
	told, err := triedBy(t, []int{503, 0, 429, 500}, 1)
	want := []string{"by me 1 503 true", "by me 2 0 false", "by me 3 429 true", "by me 4 500 false"}
	if !errors.Is(err, domain.ErrUnavailable) || !slices.Equal(told, want) {
		t.Errorf("told %q, %v, want %q", told, err, want)
	}
}

func triedCountsCalls(t *testing.T) {
	told, err := triedBy(t, []int{503, 200, 200}, 2)
	want := []string{"by me 1 503 true", "by me 2 200 false", "by me 1 200 false"}
	if err != nil || !slices.Equal(told, want) {
		t.Errorf("told %q, %v, want %q", told, err, want)
	}
}
