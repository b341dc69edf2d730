package storage

// EncodeCursor lets a test forge a cursor. Anybody can, since its checksum is no
// secret.
func EncodeCursor(list, position string) string { return encodeCursor(list, position) }

// MaxCounts bounds Counts.
const MaxCounts = maxCounts

// Counts is how many numbers of subscribers the store keeps.
func (s *Store) Counts() int { return len(s.counts.kept) }

// VotedPosts is how many posts are being voted on.
func (s *Store) VotedPosts() int { return s.votes.Len() }
