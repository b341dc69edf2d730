// Package microblogging holds the text of the Go files that the lab shows: the
// operations on the store, the worker, and the actors of the lab. It is the root of the
// module, because a package can embed only files below its own folder.
package microblogging

import "embed"

// Source are the files, by their paths in the module. Tests are left out, which takes
// several patterns: a name that ends in _test ends in t, and in st, and in est.
//
//go:embed storage/*[^t].go storage/*[^s]t.go storage/*[^e]st.go storage/*[^t]est.go
//go:embed worker/*[^t].go
//go:embed lab/client*.go lab/scenario_list.go
//go:embed lab/textbook/*[^t].go lab/textbook/*[^e]st.go
var Source embed.FS
