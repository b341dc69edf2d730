//go:build linux || darwin

package main

import (
	"fmt"
	"net/http"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

func TestHealth(t *testing.T) {
	t.Run("fails while the disk refuses what the embedded store writes", healthOnFullDisk)
}

// A limit on the size of files is as near to a full disk as a process gets.
func healthOnFullDisk(t *testing.T) {
	r := startRole(t, "serve", "--listen", "127.0.0.1:0")
	address := r.await(t, `listening on (\S+)\n`)
	probe := func() int {
		response, err := http.Get(address + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	users := 0
	signUp := func() int {
		users++
		body := strings.NewReader(fmt.Sprintf(`{"name":"user_%d","password":"%s"}`, users, testPassword))
		response, err := http.Post(address+"/api/v1/users", "application/json", body)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	if got, health := signUp(), probe(); got != http.StatusCreated || health != http.StatusOK {
		t.Fatalf("before: sign-up answers %d and /healthz %d", got, health)
	}
	restore := limitFileSize(t, 4096)
	if got, health := signUp(), probe(); got != http.StatusServiceUnavailable || health != http.StatusServiceUnavailable {
		t.Errorf("on a full disk: sign-up answers %d and /healthz %d, want 503", got, health)
	}
	restore()
	if got, health := signUp(), probe(); got != http.StatusCreated || health != http.StatusOK {
		t.Errorf("with space again: sign-up answers %d and /healthz %d", got, health)
	}
	r.stop()
	if code := <-r.ended; code != exitOK {
		t.Errorf("ended with %d", code)
	}
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
