package azure_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"microblogging/domain"
	"microblogging/storage/azure"
	"microblogging/storage/driver"
)

type asked struct{}

func TestTried(t *testing.T) {
	for sentence, test := range map[string]struct {
		answers []int // 0 is none
		calls   int
		told    []string
		meaning error
	}{
		"tells each try of a call with its number and its status": {[]int{503, 0, 429, 500}, 1,
			[]string{"by me 1 503 true", "by me 2 0 false", "by me 3 429 true", "by me 4 500 false"}, domain.ErrUnavailable},
		"starts to count again with each call": {[]int{503, 200, 200}, 2,
			[]string{"by me 1 503 true", "by me 2 200 false", "by me 1 200 false"}, nil},
	} {
		t.Run(sentence, func(t *testing.T) {
			var told []string
			config := with(unreachable, fault(func(req *policy.Request) (*http.Response, error) {
				status := test.answers[0]
				if test.answers = test.answers[1:]; status == 0 {
					return nil, errReplyLost
				}
				return answers(status, nil, "")(req)
			}))
			config.Tried = func(ctx context.Context, try azure.Try) {
				told = append(told, fmt.Sprintf("%v %d %d %t", ctx.Value(asked{}), try.Number, try.Status, try.Throttled()))
			}
			queue := driver.NewQueue(open(t, config), "q")
			for range test.calls {
				if _, err := queue.Length(context.WithValue(t.Context(), asked{}, "by me")); !errors.Is(err, test.meaning) {
					t.Errorf("got %v", err)
				}
			}
			if !slices.Equal(told, test.told) {
				t.Errorf("told %q, want %q", told, test.told)
			}
		})
	}
}
