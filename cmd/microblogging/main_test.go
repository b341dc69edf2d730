package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// program runs the program to its end and returns what it left.
func program(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestEveryFlagIsShownWithItsEnvironmentVariable(t *testing.T) {
	for _, command := range []string{"serve", "web", "worker", "import", "requeue", "check"} {
		code, help, _ := program(t, command, "--help")
		if code != exitOK {
			t.Fatalf("%s --help exits with %d", command, code)
		}
		flat := strings.Join(strings.Fields(help), " ")
		for _, flag := range regexp.MustCompile(`--[a-z][a-z-]*`).FindAllString(flat, -1) {
			if flag == "--help" {
				continue
			}
			variable := "$MICROBLOGGING_" + strings.ToUpper(strings.ReplaceAll(flag[2:], "-", "_"))
			if !strings.Contains(flat, variable) {
				t.Errorf("%s --help shows %s without %s", command, flag, variable)
			}
		}
	}
}

func TestTheHelpOfTheProgramShowsWhatServingTakes(t *testing.T) {
	code, help, _ := program(t, "--help")
	if code != exitOK || !strings.Contains(help, "--listen") || !strings.Contains(help, "requeue") {
		t.Errorf("--help exits with %d and shows\n%s", code, help)
	}
}

func TestACheckOfAStoreThatWasNotThereSaysSo(t *testing.T) {
	data := filepath.Join(t.TempDir(), "slip")
	if code, stdout, stderr := program(t, "check", "--data", data); code != exitOK || !strings.Contains(stdout, "0 breaches") || !strings.Contains(stderr, data) {
		t.Errorf("exit %d, %q and %q, want a warning that names %s", code, stdout, stderr, data)
	}
	if _, _, stderr := program(t, "check", "--data", data); stderr != "" {
		t.Errorf("of a store that is there: %q", stderr)
	}
}

func TestWhatCannotRunExitsWith2AndSaysWhy(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"an unknown flag":                        {[]string{"--nosuch"}, "--nosuch"},
		"an unknown command":                     {[]string{"nosuch"}, "nosuch"},
		"an unknown store":                       {[]string{"check", "--storage", "paper"}, "--storage"},
		"a lease of half a second":               {[]string{"worker", "--lease", "500ms"}, "--lease"},
		"no workers":                             {[]string{"worker", "--concurrency", "0"}, "--concurrency"},
		"no time between two reconciling passes": {[]string{"serve", "--reconcile", "0s"}, "--reconcile"},
		"a base URL without scheme":              {[]string{"web", "--base-url", "example.org", "--data", t.TempDir()}, "--base-url"},
		"an address that is none":                {[]string{"web", "--listen", "nowhere:http:8080", "--data", t.TempDir()}, "--listen"},
		"writes at a negative rate":              {[]string{"serve", "--write-rate=-1", "--data", t.TempDir()}, "--write-rate"},
		"fewer channels than none":               {[]string{"web", "--max-channels-per-owner=-1", "--data", t.TempDir()}, "--max-channels-per-owner"},
		"no write at once":                       {[]string{"web", "--write-burst", "0", "--data", t.TempDir()}, "--write-burst"},
		"a proxy that is no network":             {[]string{"web", "--trust-proxy=10.0.0.0/8,nowhere", "--data", t.TempDir()}, "nowhere"},
		"a proxy in no network at all":           {[]string{"web", "--trust-proxy=", "--data", t.TempDir()}, "--trust-proxy"},
		"a file as data directory":               {[]string{"check", "--data", file}, file},
		"azure without an account":               {[]string{"check", "--storage", "azure"}, "AZURE_STORAGE_CONNECTION_STRING"},
		"import without a channel":               {[]string{"import", "--owner", "ada", file}, "--channel"},
		"a channel that is no name":              {[]string{"import", "--channel", "a b", "--owner", "ada", file}, "--channel"},
		"a feed that is not there":               {[]string{"import", "--channel", "a", "--owner", "ada", file + "x"}, file + "x"},
		"azure that does not answer":             {[]string{"check", "--storage", "azure", "--azure-connection-string", unreachable}, "unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := program(t, c.args...)
			if code != exitCannotRun || !strings.Contains(errs, c.says) || out != "" {
				t.Errorf("exits with %d, prints %q and says %q, want 2, nothing and something of %q", code, out, errs, c.says)
			}
		})
	}
}

// unreachable is an account on a port of this machine that nothing listens on.
const unreachable = "DefaultEndpointsProtocol=http;AccountName=a;AccountKey=YQ==;" +
	"TableEndpoint=http://127.0.0.1:1/a;QueueEndpoint=http://127.0.0.1:1/a"

func TestTheVersionNamesTheStorageLibraries(t *testing.T) {
	code, out, _ := program(t, "version")
	for _, part := range []string{"microblogging ", "go1.", "aztables v", "azqueue/v2 v", "bbolt v"} {
		if code != exitOK || !strings.Contains(out, part) {
			t.Errorf("version exits with %d and prints %q, want %q in it", code, out, part)
		}
	}
}

// serving starts the program and returns the first lines that it prints.
func serving(t *testing.T, lines int, args ...string) (printed []string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan int)
	go func() {
		code := run(ctx, append([]string{"serve", "--listen", "127.0.0.1:0", "--log-level", "error"}, args...), in, t.Output())
		in.Close()
		ended <- code
	}()
	scanner := bufio.NewScanner(out)
	for len(printed) < lines && scanner.Scan() {
		printed = append(printed, scanner.Text())
	}
	return printed, func() {
		t.Helper()
		cancel()
		if code := <-ended; code != exitOK {
			t.Errorf("the program ended with %d", code)
		}
	}
}

func TestTheSampleComesOnceAndItsLinkSignsInOnce(t *testing.T) {
	defer http.DefaultClient.CloseIdleConnections()
	data := t.TempDir()
	printed, stop := serving(t, 2, "--sample", "--data", data)
	address := strings.TrimPrefix(printed[0], "listening on ")
	_, link, _ := strings.Cut(printed[1], "once: ")

	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	if page := get(t, &http.Client{Jar: jar}, link, http.StatusOK); !strings.Contains(page, "Sign out") {
		t.Error("who follows the link is not signed in")
	}
	get(t, http.DefaultClient, link, http.StatusUnauthorized)
	channels := get(t, http.DefaultClient, address+"/api/v1/channels", http.StatusOK)
	stop()

	printed, stop = serving(t, 1, "--sample", "--data", data)
	defer stop()
	address = strings.TrimPrefix(printed[0], "listening on ")
	if again := get(t, http.DefaultClient, address+"/api/v1/channels", http.StatusOK); again != channels {
		t.Errorf("a second start with --sample changed the channels from %s to %s", channels, again)
	}
}

func get(t *testing.T, client *http.Client, url string, want int) (body string) {
	t.Helper()
	response, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != want {
		t.Errorf("GET %s: %d, %v, want %d", url, response.StatusCode, err, want)
	}
	return string(text)
}
