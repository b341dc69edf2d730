package modelcheck

import "strings"

// Picture is one picture of a document.
var Picture = picture

// KnownCode is the fingerprint of the code that the records are about.
var KnownCode = strings.TrimSpace(code)
