package storage

import (
	"context"
	"sync"
)

// voteLocks let the voters of one post that meet in this process go one after another. Of
// all who read one version of the post only one succeeds, so together they would retry until
// some of them give up. The lock saves effort and nothing rests on it: other processes do
// not know of it, and the version of the post keeps their votes apart.
type voteLocks struct {
	mu    sync.Mutex
	posts map[votedPost]*voteLock
}

type voteLock struct {
	// held is full while somebody votes. Those who wait get it in the order in which they came.
	held chan struct{}
	// voters is how many vote or wait. The last of them removes the lock.
	voters int
}

// lock waits until nobody else of this process votes on the post, or ctx ends.
func (l *voteLocks) lock(ctx context.Context, post votedPost) (unlock func(), err error) {
	l.mu.Lock()
	if l.posts == nil {
		l.posts = make(map[votedPost]*voteLock)
	}
	mine, ok := l.posts[post]
	if !ok {
		mine = &voteLock{held: make(chan struct{}, 1)}
		l.posts[post] = mine
	}
	mine.voters++
	l.mu.Unlock()

	select {
	case mine.held <- struct{}{}:
		return func() { <-mine.held; l.leave(post, mine) }, nil
	case <-ctx.Done():
		l.leave(post, mine)
		return nil, ctx.Err()
	}
}

func (l *voteLocks) leave(post votedPost, mine *voteLock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if mine.voters--; mine.voters == 0 {
		delete(l.posts, post)
	}
}
