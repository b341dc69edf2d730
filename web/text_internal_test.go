package web

import (
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/templates"
	"microblogging/templates/markdown"
)

func TestMark(t *testing.T) {
	// Each of these characters becomes three when it is normalized.
	text := strings.Repeat("\U0001d160", 4990) + " words"
	t.Run("posts whose texts take long are not all marked", func(t *testing.T) {
		posts := make([]templates.Post, 500)
		for i := range posts {
			posts[i] = templates.Post{Blog: domain.Blog{Draft: domain.Draft{Title: "words"}}, Rendered: markdown.Literal(text)}
		}
		began := time.Now()
		mark(t.Context(), posts, "words")
		if took := time.Since(began); took > 3*markTime || posts[0].Marked.String() != "<mark>words</mark>" {
			t.Errorf("it takes %s; the first is %s", took, posts[0].Marked)
		}
	})
	t.Run("nor are words cut out of all of them", func(t *testing.T) {
		posts := make([]blogJSON, 500)
		for i := range posts {
			posts[i].Text = text
		}
		began := time.Now()
		around(t.Context(), posts, "words")
		if took := time.Since(began); took > 3*markTime || !strings.HasSuffix(posts[0].Match, "words") {
			t.Errorf("it takes %s; the first has %q", took, posts[0].Match)
		}
	})
}
