package main

import (
	"runtime/debug"
)

func buildVersion() string {
	if build, ok := debug.ReadBuildInfo(); ok {
		return programVersion(build)
	}
	return "unknown"
}

// programVersion is the module's version or, in a checkout, its commit.
func programVersion(build *debug.BuildInfo) string {
	for _, setting := range build.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value
		}
	}
	return build.Main.Version
}
