package web

import (
	"fmt"
	"runtime"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
)

func TestPageCacheMemory(t *testing.T) {
	t.Run("is bounded", cacheIsBounded)
	t.Run("holds what is asked for often, whatever a robot reads", cacheHoldsWhatIsAskedForOften)
	t.Run("holds one version of a page", cacheHoldsOneVersion)
	t.Run("of none is none", cacheOfNone)
}

func pageSlot(cache *pageCache, n int) slot[*sharedPage] {
	return slot[*sharedPage]{cache, cacheKey{host: "example.com", uri: fmt.Sprint("/channels/", n)}}
}

func keptPage(version string, size int) storage.Kept[*sharedPage] {
	return storage.Kept[*sharedPage]{Channel: domain.Channel{Name: "a"}, Version: storage.Version(version), Value: &sharedPage{body: make([]byte, size)}}
}

func cacheIsBounded(t *testing.T) {
	const limit = 4 << 20
	cache := newPageCache(limit)
	before := heap()
	for n := range 2000 {
		pageSlot(cache, n).Set("", keptPage("1", 16<<10))
	}
	cache.kept.CleanUp()
	if weight := cache.kept.WeightedSize(); weight > limit || weight < limit/2 {
		t.Errorf("it weighs %d, want at most %d", weight, limit)
	}
	if grown := heap() - before; grown > limit*5/4 {
		t.Errorf("it takes %d bytes, want about %d", grown, limit)
	}
	pageSlot(cache, 1).Set("", keptPage("1", 2*limit))
	cache.kept.CleanUp()
	if _, found := pageSlot(cache, 1).Get(""); found {
		t.Error("a page that is larger than the cache is in it")
	}
	runtime.KeepAlive(cache)
}

func cacheHoldsWhatIsAskedForOften(t *testing.T) {
	cache := newPageCache(1 << 20)
	for n := range 50 { // it begins to count when it is half full
		pageSlot(cache, n).Set("", keptPage("1", 16<<10))
	}
	cache.kept.CleanUp()
	for range 20 {
		for n := range 20 {
			pageSlot(cache, n).Get("")
		}
	}
	cache.kept.CleanUp()
	for n := range 1000 {
		robots := pageSlot(cache, 1000+n)
		robots.Get("")
		robots.Set("", keptPage("1", 16<<10))
	}
	cache.kept.CleanUp()
	found := 0
	for n := range 20 {
		if _, there := pageSlot(cache, n).Get(""); there {
			found++
		}
	}
	if found < 12 { // it counts most reads, not all; of those that were used last there would be none
		t.Errorf("%d of 20 pages are left", found)
	}
}

func cacheHoldsOneVersion(t *testing.T) {
	cache := newPageCache(1 << 20)
	for n := range 100 {
		pageSlot(cache, 1).Set("", keptPage(fmt.Sprint(n), 16<<10))
	}
	cache.kept.CleanUp()
	kept, found := pageSlot(cache, 1).Get("")
	if !found || kept.Version != "99" || cache.kept.EstimatedSize() != 1 {
		t.Errorf("version %s, found %v, %d entries", kept.Version, found, cache.kept.EstimatedSize())
	}
}

func cacheOfNone(t *testing.T) {
	for _, limit := range []int64{0, -1} {
		cache := newPageCache(limit)
		pageSlot(cache, 1).Set("", keptPage("1", 1))
		if _, found := pageSlot(cache, 1).Get(""); cache != nil || found {
			t.Errorf("of %d bytes it keeps a page", limit)
		}
	}
}
