package blog_test

import (
	"fmt"
	"slices"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/internal/storetest"
)

func TestBlogListRated(t *testing.T) {
	t.Run("highest rating is first, newest first among equals", highestRatingIsFirst)
}

func highestRatingIsFirst(t *testing.T) {
	w := newWorld(t)
	channel := w.Create("garden", ada)
	var blogs []domain.Blog
	for i := range 7 {
		blogs = append(blogs, w.Post(channel, ada, storetest.Text(i)))
	}
	votes := []int{0, 2, 1, 2, 0, 5, 1}
	for i, n := range votes {
		for v := range n {
			w.OK(w.Store.Posts.Vote(t.Context(), channel.Ref(), blogs[i].ID, domain.UserName(fmt.Sprintf("voter%d", v))))
		}
	}
	two := int64(2)
	for _, list := range []struct {
		rating *int64
		want   []string
	}{
		{nil, []string{"post 5", "post 3", "post 1", "post 6", "post 2", "post 4", "post 0"}},
		{&two, []string{"post 3", "post 1"}},
	} {
		var got []string
		for _, blog := range storetest.FullPages(w.World, 2, storetest.Nothing, func(after string) (storage.Page[domain.Blog], error) {
			return w.Store.Posts.ListByRating(t.Context(), channel.Ref(), storage.RatingQuery{Rating: list.rating, After: after, Limit: 2})
		}) {
			got = append(got, blog.Text)
		}
		if !slices.Equal(got, list.want) {
			t.Errorf("by rating the posts come as %v, want %v", got, list.want)
		}
	}
}
