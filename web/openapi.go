package web

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"
)

// openAPIPath serves the description of the API. The description is written by hand;
// the tests compare every route and every response with it.
const openAPIPath = "/api/openapi.json"

//go:embed openapi.json
var openAPITemplate []byte

func (s *server) openAPIRoute(r router) error {
	quoted, err := json.Marshal(s.Version)
	if err != nil {
		return fmt.Errorf("version: %w", err)
	}
	title, err := json.Marshal(s.site.Title())
	if err != nil {
		return fmt.Errorf("name of the site: %w", err)
	}
	description := bytes.Replace(openAPITemplate, []byte(`"{{version}}"`), quoted, 1)
	description = bytes.Replace(description, []byte(`"{{title}}"`), title, 1)
	get(r, openAPIPath, func(c echo.Context) error {
		return sendTagged(c, http.StatusOK, echo.MIMEApplicationJSON, description)
	})
	return nil
}
