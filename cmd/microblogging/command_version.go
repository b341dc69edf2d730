package main

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
)

type versionCommand struct{}

// Run prints the versions, one on each line.
func (versionCommand) Run(console *console) error {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return errors.New("this program was built without build information")
	}
	storageLibraries := []string{
		"github.com/Azure/azure-sdk-for-go/sdk/data/aztables",
		"github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue/v2",
		"go.etcd.io/bbolt",
	}
	fmt.Fprintln(console.stdout, "microblogging", buildVersion())
	fmt.Fprintln(console.stdout, runtime.Version())
	for _, dependency := range build.Deps {
		if slices.Contains(storageLibraries, dependency.Path) {
			fmt.Fprintln(console.stdout, dependency.Path, dependency.Version)
		}
	}
	return nil
}

// commit is the commit that the program was built from. The linker sets it where the build
// does not see the checkout, as in the Dockerfile: -ldflags "-X main.commit=…".
var commit string

// buildVersion returns the commit that the program was built from or, outside a checkout, the
// version of its module.
func buildVersion() string {
	build, ok := debug.ReadBuildInfo()
	if commit != "" || !ok {
		return cmp.Or(commit, "unknown")
	}
	for _, setting := range build.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value
		}
	}
	return build.Main.Version
}
