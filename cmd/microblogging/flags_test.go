package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func TestReconcileFlag(t *testing.T) {
	for sentence, c := range map[string]struct {
		flag  string
		warns bool
	}{
		"its own name gives no warning":         {"--reconcile", false},
		"its old name works, and warns of that": {"--sweep", true},
	} {
		t.Run(sentence, func(t *testing.T) {
			if _, _, stderr := program(t, "worker", "--data", t.TempDir(), c.flag, "0s"); !strings.Contains(stderr, "not 0s") {
				t.Errorf("%s 0s is answered by %q", c.flag, stderr)
			}
			warned := false
			for _, line := range workerStarts(t, c.flag, "2s") {
				warned = warned || strings.Contains(line, "--sweep") && strings.Contains(line, "--reconcile")
			}
			if warned != c.warns {
				t.Errorf("%s warns: %v, want %v", c.flag, warned, c.warns)
			}
		})
	}
}

// workerStarts runs a worker until it has started, and returns what it logged.
func workerStarts(t *testing.T, flags ...string) (log []string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"worker", "--data", t.TempDir()}, flags...), &console{stdout: io.Discard, stderr: in})
		in.Close()
	}()
	for scanner := bufio.NewScanner(out); scanner.Scan(); {
		log = append(log, scanner.Text())
		if strings.Contains(scanner.Text(), "worker started") {
			cancel()
		}
	}
	if code := <-ended; code != exitOK {
		t.Errorf("the worker ended with %d", code)
	}
	return log
}

func TestHelp(t *testing.T) {
	t.Run("shows every flag with its environment variable", helpShowsEnvironment)
	t.Run("shows the default of every flag that has one", helpShowsDefaults)
	t.Run("of the program shows the flags of serve", helpShowsServe)
}

func helpShowsEnvironment(t *testing.T) {
	for _, command := range []string{"serve", "web", "worker", "import", "requeue", "check", "compact", "health"} {
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

func helpShowsDefaults(t *testing.T) {
	parser, err := kong.New(&commands{})
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range parser.Model.Leaves(true) {
		_, help, _ := program(t, command.Name, "--help")
		for _, flag := range command.Flags {
			if shown := "--" + flag.Name + "=" + flag.Default; flag.HasDefault && !strings.Contains(strings.ReplaceAll(help, `"`, ""), shown) {
				t.Errorf("%s --help does not show %s", command.Name, shown)
			}
		}
	}
}

func helpShowsServe(t *testing.T) {
	code, help, _ := program(t, "--help")
	if code != exitOK || !strings.Contains(help, "--listen") || !strings.Contains(help, "requeue") {
		t.Errorf("--help exits with %d and shows\n%s", code, help)
	}
}

func TestWriteRateFlag(t *testing.T) {
	for sentence, c := range map[string]struct {
		flags   []string
		limited bool
	}{
		"its default lets a busy user write": {nil, false},
		"it limits how fast one user writes": {[]string{"--write-rate", "0.001", "--write-burst", "5"}, true},
		"0 is no limit, whatever the burst":  {[]string{"--write-rate", "0", "--write-burst", "5"}, false},
	} {
		t.Run(sentence, func(t *testing.T) {
			printed, stop := serving(t, 2, append(c.flags, "--sample", "--data", t.TempDir())...)
			defer stop()
			defer http.DefaultClient.CloseIdleConnections()
			address := strings.TrimPrefix(printed[0], "listening on ")
			_, link, _ := strings.Cut(printed[1], "once: ")
			if got := isLimited(t, address, link); got != c.limited {
				t.Errorf("limited after 30 writes: %t, want %t", got, c.limited)
			}
		})
	}
}

// isLimited follows a sign-in link, subscribes 30 times, and tells whether that was too
// often.
func isLimited(t *testing.T, address, link string) bool {
	t.Helper()
	client := signedIn(t, link)
	for range 30 {
		switch status := send(t, client, "PUT", address+"/api/v1/subscriptions/reading-list", ""); status {
		case http.StatusTooManyRequests:
			return true
		case http.StatusNoContent:
		default:
			t.Fatalf("status %d", status)
		}
	}
	return false
}

// signedIn follows a sign-in link.
func signedIn(t *testing.T, link string) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	get(t, client, link, http.StatusOK)
	return client
}

// send sends a request with a body of JSON, which may be empty, and returns the status.
func send(t *testing.T, client *http.Client, method, url, body string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Error(err)
	}
	return response.StatusCode
}

func TestMaxChannelsPerOwnerFlag(t *testing.T) {
	for flag, want := range map[string]int{"1": http.StatusUnprocessableEntity, "0": http.StatusCreated} {
		t.Run(flag, func(t *testing.T) {
			printed, stop := serving(t, 1, "--max-channels-per-owner", flag, "--data", t.TempDir())
			defer stop()
			defer http.DefaultClient.CloseIdleConnections()
			jar, err := cookiejar.New(nil)
			if err != nil {
				t.Fatal(err)
			}
			client, site := &http.Client{Jar: jar}, strings.TrimPrefix(printed[0], "listening on ")
			signedUp, err := client.PostForm(site+"/sign-up", url.Values{"name": {"grace"}, "password": {"correct horse battery"}})
			if err != nil || signedUp.StatusCode != http.StatusOK {
				t.Fatal(signedUp, err)
			}
			if err := signedUp.Body.Close(); err != nil {
				t.Error(err)
			}
			channels := site + "/api/v1/channels"
			first := send(t, client, "POST", channels, `{"name":"first"}`)
			if second := send(t, client, "POST", channels, `{"name":"second"}`); first != http.StatusCreated || second != want {
				t.Errorf("answered %d and %d, want 201 and %d", first, second, want)
			}
		})
	}
}

// A cookie is Secure if a proxy that is believed says that its client uses HTTPS.
func TestTrustProxyFlag(t *testing.T) {
	for sentence, c := range map[string]struct {
		flags       []string
		environment string
		believed    bool
	}{
		"unset it believes nobody":                       {nil, "", false},
		"without a value it believes the peer":           {[]string{"--trust-proxy"}, "", true},
		"false believes nobody":                          {[]string{"--trust-proxy=false"}, "", false},
		"the environment sets it":                        {nil, "true", true},
		"the environment unsets it":                      {nil, "false", false},
		"the environment names networks":                 {nil, "127.0.0.0/8", true},
		"a flag wins over the environment":               {[]string{"--trust-proxy=false"}, "true", false},
		"a peer in the networks is believed":             {[]string{"--trust-proxy=10.0.0.0/8, 127.0.0.1/8,fd00::/8"}, "", true},
		"a peer outside the networks is not":             {[]string{"--trust-proxy=10.0.0.0/8,fd00::/8"}, "", false},
		"networks of the flag replace the environment's": {[]string{"--trust-proxy=10.0.0.0/8"}, "127.0.0.0/8", false},
	} {
		t.Run(sentence, func(t *testing.T) {
			if c.environment != "" {
				t.Setenv("MICROBLOGGING_TRUST_PROXY", c.environment)
			}
			printed, stop := serving(t, 1, append(c.flags, "--data", t.TempDir())...)
			defer stop()
			if got := cookieIsSecure(t, strings.TrimPrefix(printed[0], "listening on ")); got != c.believed {
				t.Errorf("believed: %t, want %t", got, c.believed)
			}
		})
	}
}

// cookieIsSecure signs out, with a header as a proxy that ends TLS sends it, and tells
// whether the cookie in the answer is Secure.
func cookieIsSecure(t *testing.T, address string) bool {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), "POST", address+"/sign-out", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Forwarded-Proto", "https")
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	for _, cookie := range response.Cookies() {
		if strings.HasSuffix(cookie.Name, "session") {
			return cookie.Secure
		}
	}
	t.Fatalf("status %d and no cookie of a session", response.StatusCode)
	return false
}
