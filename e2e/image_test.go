package e2e

import (
	"debug/elf"
	"io/fs"
	"os"
	"os/exec"
	"path"
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
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// buildAsDockerDoes runs the build command of the Dockerfile on the files that
// Docker would see, and returns the binary.
func buildAsDockerDoes(t *testing.T) string {
	t.Helper()
	command := regexp.MustCompile(`(?m)^RUN (.*go build .*)$`).FindStringSubmatch(readRoot(t, "Dockerfile"))
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
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, output)
	}
	return filepath.Join(image, "microblogging")
}

// dockerContext copies the project without the files that .dockerignore excludes.
func dockerContext(t *testing.T) string {
	t.Helper()
	ignored := strings.Fields(regexp.MustCompile(`(?m)^#.*$`).ReplaceAllString(readRoot(t, ".dockerignore"), ""))
	target := t.TempDir()
	project := os.DirFS(root)
	err := fs.WalkDir(project, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case isIgnored(ignored, name) && entry.IsDir():
			return fs.SkipDir
		case isIgnored(ignored, name) || !entry.Type().IsRegular():
			return nil
		}
		data, err := fs.ReadFile(project, name)
		if err != nil {
			return err
		}
		copied := filepath.Join(target, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(copied), 0o755); err != nil {
			return err
		}
		return os.WriteFile(copied, data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// isIgnored knows the two kinds of pattern in .dockerignore: a name at the top of
// the project, and a name at any depth, which begins with **/.
func isIgnored(patterns []string, name string) bool {
	for _, pattern := range patterns {
		subject := name
		if anywhere, ok := strings.CutPrefix(pattern, "**/"); ok {
			pattern, subject = anywhere, path.Base(name)
		}
		if matched, err := path.Match(pattern, subject); err == nil && matched {
			return true
		}
	}
	return false
}

func TestImage(t *testing.T) {
	t.Parallel()
	t.Run("it holds nothing but a static binary that runs without privileges", imageHoldsStaticBinary)
}

func imageHoldsStaticBinary(t *testing.T) {
	t.Parallel()
	stages := strings.Split(readRoot(t, "Dockerfile"), "\nFROM ")
	last := stages[len(stages)-1]
	if !strings.HasPrefix(last, "scratch\n") {
		t.Errorf("the last stage is not from scratch:\n%s", last)
	}
	if !regexp.MustCompile(`(?m)^USER [1-9]\d*:[1-9]\d*$`).MatchString(last) {
		t.Errorf("the last stage must name a user by number, and not root:\n%s", last)
	}
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED, NOT TESTED: this system's binaries are not those of the image")
	}
	file, err := elf.Open(buildAsDockerDoes(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range file.Progs {
		if program.Type == elf.PT_INTERP {
			t.Error("the binary needs a dynamic linker")
		}
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
}
