package web

import (
	"encoding/json"
	"time"

	"github.com/labstack/echo/v4"
)

// apiPrefix is where the API lives. Another version would live beside it.
const apiPrefix = "/api/v1"

// apiRoutes registers what programs use.
func (s *server) apiRoutes(e *echo.Echo, version string) error {
	return nil
}

// writeJSON sends a value, once it is encoded whole.
func writeJSON(c echo.Context, status int, mediaType string, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return c.Blob(status, mediaType, append(body, '\n'))
}

// apiTime writes an instant as RFC 3339 in UTC with seven fractional digits,
// the resolution of a tick. The zero time is null: it has not come.
type apiTime time.Time

const apiTimeLayout = `"2006-01-02T15:04:05.0000000Z"`

// MarshalJSON implements json.Marshaler.
func (t apiTime) MarshalJSON() ([]byte, error) {
	if time.Time(t).IsZero() {
		return []byte("null"), nil
	}
	return time.Time(t).UTC().AppendFormat(nil, apiTimeLayout), nil
}
