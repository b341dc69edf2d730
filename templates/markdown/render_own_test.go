package markdown

import (
	"strings"
	"testing"
)

func TestRenderOwn(t *testing.T) {
	for sentence, c := range map[string]struct {
		text, want string
		found      bool
	}{
		"the heading that is asked for has an id": {"## Rules", `<h2 id="rules" dir="auto">Rules</h2>`, true},
		"capitals and marks do not hide it":       {"# *RULES*", `<h2 id="rules" dir="auto"><em>RULES</em></h2>`, true},
		"the first of two has the id":             {"# Rules\n# Rules", "<h2 id=\"rules\" dir=\"auto\">Rules</h2>\n<h2 dir=\"auto\">Rules</h2>", true},
		"a heading that says more is another":     {"# Rules of 2026", `<h2 dir="auto">Rules of 2026</h2>`, false},
		"a paragraph is no heading":               {"rules", `<p dir="auto">rules</p>`, false},
		"a text is as safe as the text of a post": {"<script>x</script>\n\n[a](javascript:b)", "<p dir=\"auto\">&lt;script&gt;x&lt;/script&gt;</p>\n<p dir=\"auto\">[a](javascript:b)</p>", false},
	} {
		t.Run(sentence, func(t *testing.T) {
			got, found := RenderOwn(c.text, "rules")
			if html := strings.TrimSpace(got.String()); sorted(html) != sorted(c.want) || found != c.found {
				t.Errorf("it is %s, and found is %t; want %s", html, found, c.want)
			}
		})
	}
	t.Run("a long text has its marks", func(t *testing.T) {
		long := strings.Repeat("- *one* [two](https://a.example)\n", 3000)
		if got, _ := RenderOwn(long, "rules"); strings.Count(got.String(), "<em>") != 3000 {
			t.Errorf("it is shown as it was typed: %.200s", got)
		}
	})
}

// sorted has the attributes of a heading in one order.
func sorted(html string) string {
	return strings.ReplaceAll(html, `dir="auto" id="rules"`, `id="rules" dir="auto"`)
}
