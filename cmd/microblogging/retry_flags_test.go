package main

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"microblogging/storage/azure"
)

func TestRetryFlags(t *testing.T) {
	t.Run("say how often a command asks a busy service again", retriesOfCommands)
	t.Run("out of bounds end each command before it opens the store", badRetries)
	t.Run("are in the help of each command with the table of what is sent again", retryHelp)
}

// azureCommands are the commands that open Azure.
func azureCommands(t *testing.T) map[string][]string {
	t.Helper()
	feed := filepath.Join(t.TempDir(), "feed.json")
	if err := os.WriteFile(feed, []byte(`{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string][]string{
		"serve": {"serve"}, "web": {"web"}, "worker": {"worker"}, "requeue": {"requeue"}, "check": {"check"},
		"import": {"import", "--channel", "news", "--owner", "olga", feed},
	}
}

// Only commands that end when the service does not answer are asked here. All open
// Azure in one place.
func retriesOfCommands(t *testing.T) {
	var tries atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		tries.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	t.Setenv("AZURE_STORAGE_CONNECTION_STRING", strings.ReplaceAll("DefaultEndpointsProtocol=http;AccountName=a;AccountKey=dGVzdA==;"+
		"TableEndpoint=URL/a;QueueEndpoint=URL/a;", "URL", server.URL))
	for _, command := range []string{"check", "requeue"} {
		tries.Store(0)
		args := append(azureCommands(t)[command], "--storage", "azure", "--retry-min", "1ms", "--retry-max", "1ms")
		if code, _, _ := program(t, append(args, "--retries", "0")...); code != exitCannotRun {
			t.Errorf("%s exits with %d", command, code)
		}
		once := tries.Swap(0)
		if program(t, append(args, "--retries", "4")...); once == 0 || tries.Load() != 5*once {
			t.Errorf("%s sends %d requests with 4 retries, and %d without", command, tries.Load(), once)
		}
	}
}

func badRetries(t *testing.T) {
	for name, args := range azureCommands(t) {
		for _, bad := range []string{"--retries=-1", "--retries=21", "--retry-min=0s", "--retry-min=2m", "--retry-max=100ms", "--retry-max=2m"} {
			flag, _, _ := strings.Cut(bad, "=")
			dir := t.TempDir() + "/data"
			code, _, stderr := program(t, append(args, bad, "--data", dir)...)
			if code != exitCannotRun || !strings.Contains(stderr, flag+" must be") {
				t.Errorf("%s %s exits with %d and says %q", name, bad, code, stderr)
			}
			if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s %s made a store: %v", name, bad, err)
			}
		}
	}
}

func retryHelp(t *testing.T) {
	for name := range azureCommands(t) {
		_, help, _ := program(t, name, "--help")
		flat := strings.Join(strings.Fields(help), " ")
		for _, rule := range azure.RetryRules() {
			again := map[bool]string{true: "yes", false: "no"}[rule.Again]
			if line := strings.Join([]string{rule.Answer, again, rule.Why}, " "); !strings.Contains(flat, line) {
				t.Errorf("%s --help lacks %q", name, line)
			}
		}
		for _, flag := range []string{"--retries=3", "--retry-min=150ms", "--retry-max=2s"} {
			if !strings.Contains(flat, flag) {
				t.Errorf("%s --help lacks %s", name, flag)
			}
		}
	}
}
