package web

import "microblogging/domain"

// maxList is how many bytes an answer with posts may have, about. A list that has more ends
// earlier, and links to the rest. It has one post at least.
const maxList = 1 << 20

// fitting reads a page of posts, and a shorter one if its answer would have more than maxList bytes. bytes
// is how many a post takes there, about.
func fitting[P any](limit int, read func(limit int) (P, error), posts func(P) []domain.Blog, bytes func(domain.Blog) int) (P, error) {
	for {
		page, err := read(limit)
		if err != nil {
			return page, err
		}
		blogs, left, fit := posts(page), maxList, 0
		for fit < len(blogs) && left >= 0 {
			if left -= bytes(blogs[fit]); left >= 0 {
				fit++
			}
		}
		if fit == len(blogs) || limit == 1 {
			return page, nil
		}
		limit = max(fit, 1)
	}
}
