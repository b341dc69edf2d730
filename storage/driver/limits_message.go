package driver

import (
	"time"
	"unicode/utf8"
)

// checkMessageText refuses a text that Azure refuses or alters: queue messages
// travel as XML. Domain messages are JSON in ASCII and always pass.
func checkMessageText(text string) error {
	if text == "" || len(text) > MaxMessageText {
		return limitError("a message has 1 to %d bytes, this has %d", MaxMessageText, len(text))
	}
	if !utf8.ValidString(text) {
		return limitError("a message is not valid UTF-8")
	}
	for _, r := range text {
		if r < 0x20 && r != '\t' && r != '\n' || r == 0x7f || r == 0xFFFE || r == 0xFFFF {
			return limitError("a message must not hold %U", r)
		}
	}
	return nil
}

func checkLease(lease time.Duration) error {
	if lease < 0 || lease > maxLease || lease%time.Second != 0 {
		return limitError("a lease is 0 s to 7 days in whole seconds, not %s", lease)
	}
	return nil
}
