package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

func TestAzureFlags(t *testing.T) {
	t.Run("say how often a command asks a busy service again", retriesOfCommands)
	t.Run("name a file whose one line goes before the string", connectionStringFile)
	t.Run("never print a secret of that file, and refuse what is no line", badConnectionStringFile)
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
		args := []string{command, "--storage", "azure", "--retry-min", "1ms", "--retry-max", "1ms"}
		if code, _, _ := program(t, append(args, "--retries", "0")...); code != exitCannotRun {
			t.Errorf("%s exits with %d", command, code)
		}
		once := tries.Swap(0)
		if program(t, append(args, "--retries", "4")...); once == 0 || tries.Load() != 5*once {
			t.Errorf("%s sends %d requests with 4 retries, and %d without", command, tries.Load(), once)
		}
	}
}

func connectionStringFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "secret")
	ok(t, os.WriteFile(name, []byte(unreachable+"\r\n"), 0o400))
	for file, want := range map[string]string{name: unreachable, "": "none"} {
		flags := storageFlags{AzureConnectionString: "none", AzureConnectionStringFile: file}
		if got, err := flags.connectionString(); got != want || err != nil {
			t.Errorf("with the file %q the account is %q (%v)", file, got, err)
		}
	}
	t.Setenv("AZURE_STORAGE_CONNECTION_STRING_FILE", filepath.Join(t.TempDir(), "nosuch"))
	if code, _, errs := program(t, "check", "--data", emptyStore(t)); code != exitOK {
		t.Errorf("of the embedded store: exits with %d and says %q", code, errs)
	}
}

func badConnectionStringFile(t *testing.T) {
	const secret = "hunter2hunter2"
	for text, says := range map[string]string{
		unreachable + "\n" + secret: "one line", " \n\t\n": "one line", "AccountKey=" + secret: "", secret: "",
	} {
		name := filepath.Join(t.TempDir(), "secret")
		ok(t, os.WriteFile(name, []byte(text), 0o400))
		t.Setenv("AZURE_STORAGE_CONNECTION_STRING_FILE", name)
		if errs := refused(t, exitCannotRun, says, "check", "--storage", "azure"); strings.Contains(errs, secret) {
			t.Errorf("%q: says %q", text, errs)
		}
	}
}
