package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// ok ends the test if there is an error.
func ok(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// program runs the program to its end.
func program(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return programWithInput(t, "", args...)
}

// programWithInput runs the program to its end, with this on standard input.
func programWithInput(t *testing.T, input string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, &console{stdin: strings.NewReader(input), stdout: &out, stderr: &errs})
	return code, out.String(), errs.String()
}

// refused runs the program, which must end with this status, print nothing, and say why in one line, which it returns.
func refused(t *testing.T, status int, says string, args ...string) string {
	t.Helper()
	code, out, errs := program(t, args...)
	line, advice, _ := strings.Cut(errs, "\n")
	if code != status || out != "" || !strings.Contains(line, says) || advice != "" && advice != "Run microblogging --help, or microblogging COMMAND --help.\n" {
		t.Errorf("%q exits with %d, prints %q and says %q, want %d, nothing and a line with %q", args, code, out, errs, status, says)
	}
	return line
}

// What cannot run exits with 2 and says why.
func TestExitCode(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	ok(t, os.WriteFile(file, nil, 0o600))
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"an unknown flag":    {[]string{"--nosuch"}, "--nosuch"},
		"an unknown command": {[]string{"nosuch"}, "nosuch"},
		"an unknown store":   {[]string{"check", "--storage", "paper"}, "--storage"},
		"a base URL without scheme, before the store is opened": {[]string{"web", "--base-url", "example.org", "--data", file}, "--base-url"},
		"an operator's address that is none":                    {[]string{"web", "--admin-listen", "nowhere:http:8080", "--data", t.TempDir()}, "--admin-listen"},
		"a slow worker that waits for too long":                 {[]string{"worker", "--slow", "61s", "--data", t.TempDir()}, "--slow must be 0s to 1m, not 1m1s"},
		"a proxy that is no network":                            {[]string{"web", "--trust-proxy=10.0.0.0/8,nowhere", "--data", t.TempDir()}, "nowhere"},
		"a proxy in no network at all":                          {[]string{"web", "--trust-proxy=", "--data", t.TempDir()}, "--trust-proxy"},
		"a file as data directory":                              {[]string{"check", "--data", file}, file},
		"azure without an account":                              {[]string{"check", "--storage", "azure"}, "AZURE_STORAGE_CONNECTION_STRING"},
		"a file of a secret that is not there":                  {[]string{"check", "--storage", "azure", "--azure-connection-string", unreachable, "--azure-connection-string-file", file + "x"}, file + "x"},
		"a probe that is no address":                            {[]string{"health", "127.0.0.1:8080"}, "127.0.0.1:8080"},
		"import without a channel":                              {[]string{"import", "--owner", "ada", file}, "--channel"},
		"an owner that is no name":                              {[]string{"import", "--channel", "a", "--owner", "A!", file}, "--owner: may hold only"},
		"poisoned deletions of no name":                         {[]string{"requeue", "--channel", "a b", "--data", t.TempDir()}, "--channel: Spaces are not allowed"},
		"a level of logs that is none":                          {[]string{"worker", "--log-level", "loud", "--data", t.TempDir()}, `--log-level must be one of`},
		"poisoned deletions of no channel":                      {[]string{"requeue", "--channel", "nosuch", "--data", stocked(t, 0)}, "no channel nosuch"},
		"dropping of one channel":                               {[]string{"requeue", "--drop", "--channel", "a", "--data", t.TempDir()}, "--drop"},
		"a directory as feed":                                   {[]string{"import", "--channel", "a", "--owner", "ada", t.TempDir()}, "is a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, exitCannotRun, c.says, c.args...)
		})
	}
}

func TestListenFlag(t *testing.T) {
	t.Run("a process that cannot listen makes no store", func(t *testing.T) {
		busy, err := listen("--listen", "127.0.0.1:0")
		ok(t, err)
		defer busy.Close()
		for _, address := range []string{busy.Addr().String(), "nowhere:http:8080"} {
			for command, flag := range map[string]string{"serve": "--listen", "web": "--listen", "worker": "--health-listen"} {
				dir := filepath.Join(t.TempDir(), "data")
				refused(t, exitCannotRun, flag, command, flag, address, "--data", dir)
				if _, err := os.Stat(dir); !os.IsNotExist(err) {
					t.Errorf("the store: %v", err)
				}
			}
		}
	})
}

// unreachable is an account on a port of this machine that nothing listens on.
const unreachable = "DefaultEndpointsProtocol=http;AccountName=a;AccountKey=YQ==;" +
	"TableEndpoint=http://127.0.0.1:1/a;QueueEndpoint=http://127.0.0.1:1/a"
