package azure_test

import (
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

func TestTried(t *testing.T) {
	for sentence, test := range map[string]struct {
		answers []int // 0 is none
		calls   int
		told    []string
		meaning error
	}{
		"tells each try of a call with its number and its status": {[]int{503, 0, 429, 500}, 1,
			[]string{"1 503 true", "2 0 false", "3 429 true", "4 500 false"}, domain.ErrUnavailable},
		"starts to count again with each call": {[]int{503, 200, 200}, 2,
			[]string{"1 503 true", "2 200 false", "1 200 false"}, nil},
	} {
		t.Run(sentence, func(t *testing.T) {
			var told []string
			config := with(unreachable, fault(func(req *policy.Request) (*http.Response, error) {
				status := test.answers[0]
				if test.answers = test.answers[1:]; status == 0 {
					return nil, errReplyLost
				}
				return answers(status, http.Header{"X-Ms-Version": {"2019-02-02"}, "X-Ms-Approximate-Messages-Count": {"1"}}, "")(req)
			}))
			config.Tried = func(try azure.Try) {
				told = append(told, fmt.Sprintf("%d %d %t", try.Number, try.Status, try.Throttled()))
			}
			queue := driver.NewQueue(open(t, config), "q")
			for range test.calls {
				if _, err := queue.Length(t.Context()); !errors.Is(err, test.meaning) {
					t.Errorf("got %v", err)
				}
			}
			if !slices.Equal(told, test.told) {
				t.Errorf("told %q, want %q", told, test.told)
			}
		})
	}
}
