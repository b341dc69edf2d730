package templates

import (
	"strings"
	"testing"
)

func TestLearnPage(t *testing.T) {
	for name, lab := range map[string]bool{"leads into the lab": true, "leads nowhere near a lab that is off": false} {
		t.Run(name, func(t *testing.T) {
			page := pageAt(LearnPath, "")
			page.Lab = lab
			html := render(t, LearnPage(page))
			for _, link := range []string{`href="/lab"`, `href="/lab/A1"`, `href="/lab/A2"`} {
				if strings.Contains(html, link) != lab {
					t.Errorf("with a lab (%t), the page has %s: %t", lab, link, !lab)
				}
			}
		})
	}
}
