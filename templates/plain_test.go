package templates

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// inner are words of the program's parts, which a reader of a site need not know.
var inner = regexp.MustCompile(`(?i)\b(gates?|sweeps?|swept|rows|incarnations?|workers?|queued?|the store|storage calls?|lab)\b`)

// plain passes if a page says nothing about the parts of the program.
func plain(n *html.Node) error {
	if found := inner.FindString(textOf(n)); found != "" {
		return fmt.Errorf("says %q in %q", found, textOf(n))
	}
	return nil
}

func TestPlainPages(t *testing.T) {
	t.Run("a page names no part of the program, but in a fold that is closed", func(t *testing.T) {
		eachPage(t, func(t *testing.T, root *html.Node) {
			if h1 := textOf(find(root, "h1")[0]); h1 == "How deletion works" || strings.HasPrefix(h1, "Rows of") {
				return // they are about that
			}
			for _, fold := range find(root, "details[class=how]") {
				fold.Parent.RemoveChild(fold)
			}
			if err := plain(root); err != nil {
				t.Error(err)
			}
		})
	})
}
