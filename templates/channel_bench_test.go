package templates

import (
	"io"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/templates/markdown"
)

// BenchmarkRenderChannelPage renders a page of 20 posts of 400 bytes. Every fifth
// post has a link.
func BenchmarkRenderChannelPage(b *testing.B) {
	now := time.Date(2026, 7, 29, 12, 0, 0, 0, time.UTC)
	page := Page{Path: "/channels/aurora-watch", Now: now}
	v := Channel{Channel: domain.Channel{Name: "aurora-watch", Owner: "ingrid", Description: "Sightings.", CreatedOn: now}, Part: Part{Next: "next"}}
	for i := range 20 {
		text := strings.Repeat("it's faint & far. ", 23)[:400]
		if i%5 == 0 {
			text = text[:370] + " https://example.org/aurora/20"
		}
		v.Posts = append(v.Posts, Post{
			Rendered: markdown.Render(text, markdown.BelowList),
			Blog: domain.Blog{
				ID: "2516789012345678901!abcdefghijklmnopqrst", Title: "A title", Text: text,
				UserID: "ingrid", CreatedOn: now.Add(-time.Duration(i) * time.Hour),
			},
		})
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := ChannelPage(page, v).Render(b.Context(), io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
