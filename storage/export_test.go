package storage

// EncodeCursor lets a test forge a continuation, as anybody can: its checksum is
// no secret.
func EncodeCursor(list, position string) string { return encodeCursor(list, position) }
