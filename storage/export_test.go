package storage

// EncodeCursor lets a test forge a cursor. Anybody can, since its checksum is no
// secret.
func EncodeCursor(list, position string) string { return encodeCursor(list, position) }

// VotedPosts is how many posts are being voted on.
func (s *Store) VotedPosts() int { return s.votes.Len() }
