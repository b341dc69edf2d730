package storage

// EncodeCursor lets a test forge a cursor. Anybody can, since its checksum is no
// secret.
func EncodeCursor(list, position string) string { return encodeCursor(list, position) }
