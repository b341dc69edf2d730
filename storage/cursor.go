package storage

import (
	"crypto/sha256"
	"encoding/base64"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// A cursor is the continuation that users of a list hold: the position of the
// last item that they saw, so that it stays exact while rows come and go, and a
// checksum over the position and the list, so that one that was made up or
// belongs to another list is refused. The checksum is no secret: whoever forges
// one merely chooses where to start reading what they may read anyhow.
const cursorChecksum = 8

func encodeCursor(list, position string) string {
	sum := cursorSum(list, position)
	return base64.RawURLEncoding.EncodeToString(append(sum[:cursorChecksum], position...))
}

// decodeCursor returns the position, or an InvalidError on the field "after" for
// whatever encodeCursor does not write. The decoder is more forgiving: it skips
// line breaks. A forged position becomes part of what a backend is asked for, and
// so has to be one that a key can hold.
func decodeCursor(list, cursor string) (position string, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil && len(raw) > cursorChecksum {
		position = string(raw[cursorChecksum:])
		if cursor == encodeCursor(list, position) && driver.CheckKey("position", position) == nil {
			return position, nil
		}
	}
	return "", domain.Invalid("after", "is not a continuation of this list")
}

func cursorSum(list, position string) [sha256.Size]byte {
	return sha256.Sum256([]byte(list + "\x00" + position))
}
