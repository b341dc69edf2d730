// Package microblogging holds the text of the Go files that the lab shows: the
// operations on the store, the worker, and the actors of the lab. It is the root of the
// module, because a package can embed only files below its own folder.
package microblogging

import "embed"

// Source are the files, by their paths in the module.
//
//go:embed storage/*.go storage/account/*.go storage/blog/*.go storage/check/*.go storage/deletion/*.go storage/channel/*.go storage/erasure/*.go storage/internal/fence/*.go storage/reader/*.go storage/optimistic/*.go worker/*.go lab/own/*.go lab/protocol/*.go lab/textbook/*.go lab/toy/*.go
var Source embed.FS
