package manual_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"microblogging/cmd/microblogging/manual"
)

// commandLine is a small command line with all that the real one has.
type commandLine struct {
	Serve struct {
		Storage string `enum:"bolt,azure" default:"bolt" help:"Where it's kept: \\disk or network."`
		Data    string `help:"The directory."`
		Teach   bool   `help:"For learning."`
		Old     string `hidden:""`
	} `cmd:"" default:"withargs" help:"Run it."`
	Check struct {
		Storage string `enum:"bolt,azure" default:"bolt" help:"Where it's kept: \\disk or network."`
		JSON    bool   `help:"For programs."`
	} `cmd:"" help:"Check it."`
	Shell struct {
		Name string `arg:"" enum:"bash,zsh"`
	} `cmd:"" help:"Print it."`
	Secret struct{} `cmd:"" hidden:""`
}

func model(t *testing.T) *kong.Application {
	t.Helper()
	k, err := kong.New(&commandLine{}, kong.Name("blogs"), kong.Description("Channels and blogs."), kong.DefaultEnvars("BLOGS"))
	if err != nil {
		t.Fatal(err)
	}
	return k.Model
}

func TestPage(t *testing.T) {
	page := manual.Page(model(t), time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC), manual.Section{Title: "Exit status", Text: "* 0: success"})
	t.Run("is read by groff without a warning", func(t *testing.T) {
		groff := exec.Command(program(t, "groff"), "-ww", "-man", "-Tascii", "-P-cbou")
		groff.Stdin = strings.NewReader(page)
		var said bytes.Buffer
		groff.Stderr = &said
		shown, err := groff.Output()
		if err != nil || said.Len() > 0 {
			t.Fatalf("%v: %s", err, &said)
		}
		text := strings.Join(strings.Fields(string(shown)), " ")
		for _, want := range []string{
			"blogs - Channels and blogs.", "blogs serve [flags]", "blogs check", "2026-11-22",
			`Where it's kept: \disk or network. Environment: BLOGS_STORAGE. serve, check`, "0: success",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("the page does not say %q:\n%s", want, shown)
			}
		}
	})
	t.Run("does not tell what --help hides", func(t *testing.T) {
		for _, hidden := range []string{"secret", "--old"} {
			if strings.Contains(page, hidden) {
				t.Errorf("the page tells of %q", hidden)
			}
		}
	})
}

func TestCompletion(t *testing.T) {
	for _, shell := range manual.Shells() {
		script, err := manual.Completion(model(t), shell)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "completion")
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Run("in "+shell+" offers what fits", func(t *testing.T) {
			for line, want := range map[string][]string{
				"blogs ":                         {"check", "serve", "shell"},
				"blogs se":                       {"serve"},
				"blogs check --":                 {"--json", "--storage"},
				"blogs serve --t":                {"--teach"},
				"blogs serve --storage b":        {"bolt"},
				"blogs shell ":                   {"bash", "zsh"},
				"blogs serve --teach --storage ": {"azure", "bolt"},
			} {
				if got := complete(t, shell, file, line); !slices.Equal(got, want) {
					t.Errorf("%q is completed by %q, want %q", line, got, want)
				}
			}
		})
	}
	t.Run("is refused for another shell", func(t *testing.T) {
		if script, err := manual.Completion(model(t), "cmd"); err == nil || script != "" {
			t.Errorf("%q, %v", script, err)
		}
	})
}

// asks makes a shell complete $2 after it has read the script $1. In zsh, compdef would
// register the function, and zsh itself would leave out what does not begin with the word.
var asks = map[string][]string{
	"bash": {"--norc", "-c", `source "$1"; IFS=' ' read -ra COMP_WORDS <<<"$2x"; COMP_CWORD=$((${#COMP_WORDS[@]}-1))
		COMP_WORDS[COMP_CWORD]=${COMP_WORDS[COMP_CWORD]%x}; _blogs; printf '%s\n' "${COMPREPLY[@]}"`, "-"},
	"zsh": {"-f", "-c", `compdef() { }; source "$1"; COMP_WORDS=("${(@s: :)2}"); COMP_CWORD=$((${#COMP_WORDS}-1))
		emulate -R sh; _blogs; for word in "${COMPREPLY[@]}"; do
			case $word in "${COMP_WORDS[COMP_CWORD]}"*) echo "$word" ;; esac; done`, "-"},
	"fish": {"--no-config", "-c", `source $argv[1]; complete -C $argv[2]`},
}

// complete returns what a shell offers, in order.
func complete(t *testing.T, shell, script, line string) []string {
	t.Helper()
	c := exec.Command(program(t, shell), append(slices.Clone(asks[shell]), script, line)...)
	c.Env = append(os.Environ(), "HOME="+t.TempDir(), "TERM=dumb")
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil || said.Len() > 0 {
		t.Fatalf("%s: %v: %s", shell, err, &said)
	}
	var offered []string
	for offer := range strings.Lines(string(out)) {
		word, _, _ := strings.Cut(strings.TrimSpace(offer), "\t") // fish tells what it means behind a tab
		if word != "" && word != "--help" {
			offered = append(offered, word)
		}
	}
	slices.Sort(offered)
	return slices.Compact(offered)
}

// program finds a program, or skips the test.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed: make deps installs it", name)
	}
	return path
}
