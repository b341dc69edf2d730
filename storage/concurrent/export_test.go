package concurrent

// Len is how many keys somebody has or waits for.
func (l *Locks[K]) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.of)
}
