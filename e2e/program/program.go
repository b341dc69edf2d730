// Package program builds the program for those who run it as a process, and says
// in which environment.
package program

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Build builds the program into a directory, with the race detector if asked to,
// and returns the file. It must be called inside the repository.
func Build(ctx context.Context, dir string, race bool) (binary string, err error) {
	binary = filepath.Join(dir, "microblogging")
	// Version control is left out: it may be missing, or refuse to look into a
	// checkout of another user.
	args := []string{"build", "-buildvcs=false", "-o", binary}
	if race {
		args = append(args, "-race")
	}
	build := exec.CommandContext(ctx, "go", append(args, "microblogging/cmd/microblogging")...)
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the program, which must be done inside its repository: %w\n%s", err, output)
	}
	return binary, nil
}

// Environ is the caller's environment without what would set flags of the
// program.
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "MICROBLOGGING_") || strings.HasPrefix(variable, "AZURE_")
	})
}
