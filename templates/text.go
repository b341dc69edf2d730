package templates

import (
	"context"
	"io"

	"github.com/a-h/templ"

	"microblogging/templates/markdown"
)

// markup shows a text that somebody wrote. Package markdown made its HTML, and vouches
// for it.
func markup(text markdown.HTML) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, text.String())
		return err
	})
}
