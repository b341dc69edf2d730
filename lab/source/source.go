// Package source has the embedded files for the lab. Its own code stays the same when one of these changes, so the
// lab is not compiled again whenever a protocol in lab/own is saved.
package source

import (
	"embed"

	"microblogging"
)

// Files are the Go files of the packages that make calls to the store.
func Files() embed.FS { return microblogging.Source }
