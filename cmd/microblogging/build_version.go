package main

import (
	"runtime/debug"
)

// commit is the commit that the program was built from. The linker sets it where the build
// does not see the checkout, as in the Dockerfile: -ldflags "-X main.commit=…".
var commit string

// buildVersion returns the version of this program, or "unknown".
func buildVersion() string {
	if build, ok := debug.ReadBuildInfo(); ok {
		return programVersion(build)
	}
	return "unknown"
}

// programVersion returns the commit that the program was built from or, outside a
// checkout, the version of its module.
func programVersion(build *debug.BuildInfo) string {
	if commit != "" {
		return commit
	}
	for _, setting := range build.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value
		}
	}
	return build.Main.Version
}
