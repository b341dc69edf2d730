package modelcheck

import "strings"

// AblationTable is the table of all ablations.
var AblationTable = ablationTable

// KnownCode is the fingerprint of the code that the records are about.
var KnownCode = strings.TrimSpace(code)
