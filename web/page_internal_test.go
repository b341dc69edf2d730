package web

import (
	"net/http/httptest"
	"testing"

	"github.com/labstack/echo/v4"
)

func TestOwnPath(t *testing.T) {
	t.Run("names no other host, so that no page leads there", func(t *testing.T) {
		for address, want := range map[string]string{"//example.org/x": "", "/channels/größe": "/channels/gr%C3%B6%C3%9Fe?after=x", `/\example.org`: "/%5Cexample.org?after=x"} {
			r := httptest.NewRequestWithContext(t.Context(), "GET", "http://site.example/", nil)
			r.URL.Path, r.URL.RawQuery = address, "after=x"
			if got := ownPath(echo.New().NewContext(r, nil)); got != want {
				t.Errorf("%s is %q, want %q", address, got, want)
			}
		}
	})
}
