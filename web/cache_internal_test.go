package web

import (
	"fmt"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
)

func TestPageCacheMemory(t *testing.T) {
	t.Run("is bounded", cacheIsBounded)
	t.Run("counts every text", cacheCountsEveryText)
	t.Run("of none is none", cacheOfNone)
}

func keptPage(version string, size int) storage.Kept[*sharedPage] {
	return storage.Kept[*sharedPage]{Channel: domain.Channel{Name: "a"}, Version: storage.Version(version), Value: &sharedPage{body: make([]byte, size)}}
}

func cacheIsBounded(t *testing.T) {
	const limit = 4 << 20
	cache := newPageCache[*sharedPage](limit)
	for n := range 2000 {
		cache.Set(fmt.Sprint(n), keptPage("1", 16<<10))
	}
	cache.Set("huge", keptPage("1", 2*limit))
	cache.kept.CleanUp()
	if weight := cache.kept.WeightedSize(); weight > limit || weight < limit/2 {
		t.Errorf("it weighs %d, want at most %d", weight, limit)
	}
	if _, found := cache.Get("huge"); found {
		t.Error("a page that is larger than the cache is in it")
	}
}

func cacheCountsEveryText(t *testing.T) {
	const size = 1000
	text := strings.Repeat("x", size)
	blog, channel := domain.Blog{}, domain.Channel{Name: "a"}
	words := append(blog.Fields(), channel.Fields()...)
	for _, word := range words {
		*word.Text = text
	}
	cache := newPageCache[*channelView](4 << 20)
	view := &channelView{posts: storage.BlogsFound{ListPage: storage.Page[domain.Blog]{Items: []domain.Blog{blog}, Next: text}}}
	cache.Set("a", storage.Kept[*channelView]{Channel: channel, Value: view})
	cache.kept.CleanUp()
	if weight := cache.kept.WeightedSize(); weight < uint64(len(words)+1)*size+keptOverhead {
		t.Errorf("%d texts of %d bytes weigh %d", len(words)+1, size, weight)
	}
}

func cacheOfNone(t *testing.T) {
	for _, limit := range []int64{0, -1} {
		cache := newPageCache[*sharedPage](limit)
		cache.Set("a", keptPage("1", 1))
		if _, found := cache.Get("a"); found {
			t.Errorf("of %d bytes it keeps a page", limit)
		}
	}
}

func TestTexts(t *testing.T) {
	t.Run("a text is never shown in place of another", textIsNeverShownInPlaceOfAnother)
}

func sampleBlog(revision, text string) domain.Blog {
	return domain.Blog{
		Channel: domain.ChannelRef{Key: "k", Incarnation: "i"}, ID: "id", Revision: domain.Revision(revision), Draft: domain.Draft{Text: text},
	}
}

func textIsNeverShownInPlaceOfAnother(t *testing.T) {
	texts := newTexts(maxTexts)
	blog := sampleBlog("r", "# a")
	seen := map[string]bool{texts.content(blog) + "in a feed": true}
	for name, change := range map[string]func(*domain.Blog) place{
		"an edit":             func(b *domain.Blog) place { b.Revision, b.Text = "s", "# b"; return alone },
		"another post":        func(b *domain.Blog) place { b.ID, b.Text = "other", "# c"; return alone },
		"another incarnation": func(b *domain.Blog) place { b.Channel.Incarnation, b.Text = "j", "# d"; return alone },
		"a list":              func(*domain.Blog) place { return inList },
		"a digest":            func(*domain.Blog) place { return inDigest },
	} {
		other := blog
		place := change(&other)
		texts.post("", other, place)
		got := texts.post("", other, place).Rendered.String() // what is kept
		if seen[got] {
			t.Errorf("%s shows %s", name, got)
		}
		seen[got] = true
	}
	channel := domain.Channel{Incarnation: "i", About: domain.About{Description: "a"}}
	before := texts.description(channel)
	channel.Description = "b"
	if texts.description(channel) == before {
		t.Error("a new description shows the old one")
	}
}
