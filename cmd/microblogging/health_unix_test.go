//go:build linux || darwin

package main

import (
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
)

func TestHealth(t *testing.T) {
	t.Run("fails while the disk refuses what the embedded store writes", healthOnFullDisk)
	t.Run("fails once the file of the embedded store is removed, and nothing is written", healthWithoutFile)
}

// A limit on the size of files is as near to a full disk as a process gets.
func healthOnFullDisk(t *testing.T) {
	data := t.TempDir()
	var token string
	inStore(t, data, func(store *storage.Store) {
		_, err := store.SignUp(t.Context(), "ada", testPassword)
		if err == nil {
			token, _, err = store.SignIn(t.Context(), storage.Attempt{Name: "ada", Password: testPassword, Address: "here"})
		}
		channel, channelErr := domain.NewChannel("news", "", "ada")
		if err == nil && channelErr == nil {
			_, err = store.CreateChannel(t.Context(), channel)
		}
		if err != nil || channelErr != nil {
			t.Fatal(err, channelErr)
		}
	})
	r := startRole(t, "serve", "--listen", "127.0.0.1:0", "--data", data)
	address := r.await(t, `listening on (\S+)\n`)
	posts := 0
	post := func() int {
		posts++
		request, err := http.NewRequestWithContext(t.Context(), "POST", address+"/api/v1/channels/news/blogs",
			strings.NewReader(fmt.Sprintf(`{"title":"","text":"%s"}`, strings.Repeat("😀", domain.MaxText))))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Idempotency-Key", fmt.Sprint(posts))
		return statusOf(t, request)
	}
	probe := func() int {
		request, err := http.NewRequestWithContext(t.Context(), "GET", address+"/healthz", nil)
		if err != nil {
			t.Fatal(err)
		}
		return statusOf(t, request)
	}
	restore := limitFileSize(t, 1<<20)
	for status := post(); status != http.StatusServiceUnavailable; status = post() {
		if health := probe(); status != http.StatusCreated || health != http.StatusOK || posts > 200 {
			t.Fatalf("post %d answers %d and /healthz %d", posts, status, health)
		}
	}
	if health := probe(); health != http.StatusServiceUnavailable {
		t.Errorf("on a full disk, /healthz answers %d, want 503", health)
	}
	restore()
	if status, health := post(), probe(); status != http.StatusCreated || health != http.StatusOK {
		t.Errorf("with space again, a post answers %d and /healthz %d", status, health)
	}
	r.stop()
	if code := <-r.ended; code != exitOK {
		t.Errorf("ended with %d", code)
	}
}

func healthWithoutFile(t *testing.T) {
	data := t.TempDir()
	r := startRole(t, "serve", "--listen", "127.0.0.1:0", "--data", data)
	address := r.await(t, `listening on (\S+)\n`)
	ask := func(method, path, body string) int {
		request, err := http.NewRequestWithContext(t.Context(), method, address+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		return statusOf(t, request)
	}
	if err := os.Remove(filepath.Join(data, "microblogging.db")); err != nil {
		t.Fatal(err)
	}
	if status := ask("POST", "/api/v1/users", `{"name":"ada","password":"`+testPassword+`"}`); status != http.StatusServiceUnavailable {
		t.Errorf("a write answers %d, want 503", status)
	}
	if status := ask("GET", "/healthz", ""); status != http.StatusServiceUnavailable {
		t.Errorf("/healthz answers %d, want 503", status)
	}
	r.stop()
	if code := <-r.ended; code != exitFound || !strings.Contains(r.wrote.String(), "was removed or replaced") {
		t.Errorf("ended with %d after writing %s", code, r.wrote.String())
	}
}

func statusOf(t *testing.T, request *http.Request) int {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Error(err)
	}
	return response.StatusCode
}

// limitFileSize limits every file of this process until restored.
func limitFileSize(t *testing.T, bytes uint64) (restore func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	restore = func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(restore)
	return restore
}
