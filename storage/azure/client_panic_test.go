package azure_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"microblogging/domain"
	"microblogging/storage/drivertest"
)

func TestPanic(t *testing.T) {
	t.Run("of a library is unavailable, and its stack is logged once", panickingLibrary)
}

func panickingLibrary(t *testing.T) {
	var log strings.Builder
	cfg := with(unreachable, fault(func(*policy.Request) (*http.Response, error) { panic("a bug of a library") }))
	cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	c := open(t, cfg)
	for _, call := range drivertest.EachCall("name") {
		t.Run(string(call.Method), func(t *testing.T) {
			log.Reset()
			err := c.Do(t.Context(), &call)
			want(t, err, domain.ErrUnavailable)
			wantBrief(t, err)
			if n := strings.Count(log.String(), "debug.Stack"); n != 1 || !strings.Contains(log.String(), "a bug of a library") {
				t.Errorf("%d stacks in %.200q", n, log.String())
			}
		})
	}
}
