package driver

// CheckKey refuses a partition key or row key that some backend refuses, alters
// or orders in its own way. Azure allows code points above U+007F but orders them
// by UTF-16 unit, and its SDK does not double an apostrophe in a batch. The error
// wraps domain.ErrLimit and calls the key by what.
func CheckKey(what, key string) error {
	if len(key) > maxKey {
		return limitError("%s has %d characters, at most %d fit in 1 KiB", what, len(key), maxKey)
	}
	for i := range len(key) {
		switch c := key[i]; {
		case c < 0x20, c >= 0x7f:
			return limitError("%s holds the byte 0x%02x; keys are printable ASCII", what, c)
		case c == '/', c == '\\', c == '#', c == '?', c == '\'':
			return limitError("%s holds %q, which a key must not", what, c)
		}
	}
	return nil
}

// CheckPartition is CheckKey for a partition key, which must not be empty: the
// SDK cannot address such an entity. An empty row key is allowed.
func CheckPartition(key string) error {
	if key == "" {
		return limitError("the partition key is empty")
	}
	return CheckKey("partition key", key)
}
