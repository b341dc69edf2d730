package main

import (
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
	fmt.Fprintln(console.stdout, "microblogging", programVersion(build))
	fmt.Fprintln(console.stdout, runtime.Version())
	for _, dependency := range build.Deps {
		if slices.Contains(storageLibraries, dependency.Path) {
			fmt.Fprintln(console.stdout, dependency.Path, dependency.Version)
		}
	}
	return nil
}
