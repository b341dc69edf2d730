package e2e

import (
	"debug/elf"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// root is the top of the project.
const root = ".."

func readRoot(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, name))
	ok(t, err)
	return string(data)
}

// buildAsDockerDoes runs the build command of the Dockerfile on the files that
// Docker would see, and returns the binary.
func buildAsDockerDoes(t *testing.T) string {
	t.Helper()
	lines := strings.ReplaceAll(readRoot(t, "Dockerfile"), "\\\n", "")
	command := regexp.MustCompile(`(?m)^RUN (.*go build .*)$`).FindStringSubmatch(lines)
	if command == nil {
		t.Fatal("the Dockerfile has no line that builds")
	}
	image := t.TempDir()
	script := strings.ReplaceAll(command[1], "/out/", image+"/")
	if script == command[1] {
		t.Fatalf("%q does not build into /out", command[1])
	}
	build := exec.CommandContext(t.Context(), "sh", "-c", script)
	build.Dir = dockerContext(t)
	build.Env = append(os.Environ(), "COMMIT=") // the argument that was not given
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, output)
	}
	return filepath.Join(image, "microblogging")
}

// dockerContext copies the files that are checked in, without those that .dockerignore excludes: a
// path from the top of the project, or a name at any depth, which begins with **/. What it has of
// .git is all that the build reads there.
func dockerContext(t *testing.T) string {
	t.Helper()
	target := t.TempDir()
	script := `git ls-files -z | xargs -0 cp --parents -t "$0"
tar -c --exclude=.git/objects .git | tar -x -C "$0"
cd "$0"
grep -Ev '^([#!]|\.git/)' .dockerignore | while read -r name; do
  case $name in
  '**/'*) find . -name "${name#??/}" -exec rm -rf {} + ;;
  *) rm -rf "./$name" ;;
  esac
done`
	copying := exec.CommandContext(t.Context(), "sh", "-ec", script, target)
	copying.Dir = root
	if output, err := copying.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return target
}

func TestImage(t *testing.T) {
	t.Parallel()
	t.Run("it holds nothing but a static binary that runs without privileges", imageHoldsStaticBinary)
}

func imageHoldsStaticBinary(t *testing.T) {
	t.Parallel()
	stages := strings.Split(readRoot(t, "Dockerfile"), "\nFROM ")
	last := stages[len(stages)-1] // it says what is in the image
	if !strings.HasPrefix(last, "scratch\n") {
		t.Errorf("the last stage is not from scratch:\n%s", last)
	}
	if !regexp.MustCompile(`(?m)^USER [1-9]\d*:[1-9]\d*$`).MatchString(last) {
		t.Errorf("the last stage must name a user by number, and not root:\n%s", last)
	}
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED, NOT TESTED: this system's binaries are not those of the image")
	}
	binary := buildAsDockerDoes(t)
	expectCommit(t, binary)
	file, err := elf.Open(binary)
	ok(t, err)
	for _, program := range file.Progs {
		if program.Type == elf.PT_INTERP {
			t.Error("the binary needs a dynamic linker")
		}
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
}

// expectCommit expects the binary to say the commit that is checked out.
func expectCommit(t *testing.T, binary string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root, ".git")); errors.Is(err, fs.ErrNotExist) {
		t.Log("not a checkout: the version is not tested")
		return
	}
	git := exec.CommandContext(t.Context(), "git", "rev-parse", "HEAD")
	git.Dir = root
	head, err := git.Output()
	ok(t, err)
	version, err := exec.CommandContext(t.Context(), binary, "version").Output()
	if want := "microblogging " + string(head); err != nil || !strings.HasPrefix(string(version), want) {
		t.Errorf("version prints %q (%v), want %q first", version, err, want)
	}
}
