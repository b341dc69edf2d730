package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/storage"
	"microblogging/storage/bolt"
)

func TestServe(t *testing.T) {
	t.Run("answers to its own names alone, on each listener", listenersAnswerToTheirNames)
	t.Run("prints an address that other devices can use if it listens on every address, and none else", otherDevicesAreTold)
	t.Run("readers who never read do not hold up a stop", readersWhoNeverReadDoNotHoldUpAStop)
	t.Run("writes every line of its log before it ends", everyLineIsWritten)
	t.Run("says that it makes a new store, once", newStoreIsAnnounced)
	t.Run("says which process it is, to which request a line belongs, and why it stops", linesTellWhatHappens)
	t.Run("says its version at each level of the log, and that its clock is behind the store's", clockBehindTheStore)
}

func listenersAnswerToTheirNames(t *testing.T) {
	r, public := serving(t, "--health-listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--host", "further.example", "--base-url", "http://blogs.example")
	health := r.await(t, `health listener started" address=(\S+)`)
	for address, path := range map[string]string{public: "/latest", health: "/metrics", r.admin(t): "/debug/pprof/"} {
		for name, want := range map[string]int{"": 200, "further.example:8080": 200, "blogs.example": 200, "rebind.test:8080": 421} {
			request, err := http.NewRequestWithContext(t.Context(), "GET", address+path, nil)
			ok(t, err)
			request.Host = name // "" is the address
			if status := statusOf(t, request); status != want {
				t.Errorf("%s%s at %q answers %d, want %d", address, path, name, status, want)
			}
		}
	}
	r.end(t)
}

// stuck opens a connection that asks for more than all buffers hold and reads nothing.
// It returns once the server waits for its reader.
func stuck(t *testing.T, address string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	ok(t, err)
	t.Cleanup(func() { conn.Close() })
	request := []byte(strings.Repeat("GET /static/app.css HTTP/1.1\r\nHost: blog.example\r\n\r\n", 100))
	for {
		// The server answers one request after the other: it stops reading them when
		// the client does not read its responses.
		ok(t, conn.SetWriteDeadline(time.Now().Add(time.Second)))
		switch _, err := conn.Write(request); {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return
		case err != nil:
			t.Fatal(err)
		}
	}
}

func readersWhoNeverReadDoNotHoldUpAStop(t *testing.T) {
	r, address := serving(t)
	for range 3 {
		stuck(t, address)
	}
	began := time.Now()
	r.end(t)
	if took := time.Since(began); took > drainTime+2*time.Second {
		t.Errorf("the stop took %s, want %s at most", took, drainTime)
	}
}

// linesTellWhatHappens reads the log as a collector does: a JSON object in each line.
func linesTellWhatHappens(t *testing.T) {
	t.Setenv("MICROBLOGGING_TRUST_PROXI", "true")
	data := t.TempDir()
	r := startRole(t, "web", "--listen", "127.0.0.1:0", "--data", data, "--log-format", "json", "--drain-delay", "1ms")
	address := r.await(t, `listening on (\S+)\n`)
	response, err := http.Get(address + "/channels")
	ok(t, err)
	ok(t, response.Body.Close())
	http.DefaultClient.CloseIdleConnections()
	r.end(t)
	lines := map[string]map[string]any{}
	for text := range strings.Lines(r.wrote.String()) {
		if line := map[string]any{}; json.Unmarshal([]byte(text), &line) == nil {
			lines[fmt.Sprint(line["msg"])] = line
		}
	}
	for message, want := range map[string]map[string]string{
		"process started": {"role": "^web$", "version": ".", "instance": "^[A-Z2-7]{26}$", "store": "^bolt " + data + "$",
			"listen": "^" + strings.TrimPrefix(address, "http://") + "$", "health_listen": "^off$"},
		"unknown environment variable has no effect": {"variable": "^MICROBLOGGING_TRUST_PROXI$"},
		"request":          {"status": "^200$", "duration": `^0\.\d+$`, "request_id": "^" + response.Header.Get("X-Request-Id") + "$"},
		"process stopping": {"reason": "^context canceled$", "drain_delay": `^0\.001$`},
		"process stopped":  {"reason": "^context canceled$", "error": "^<nil>$", "uptime": `^\d+\.\d+$`},
	} {
		for key, pattern := range want {
			if got := fmt.Sprint(lines[message][key]); !regexp.MustCompile(pattern).MatchString(got) {
				t.Errorf("the line %q has %s %q, want %s:\n%s", message, key, got, pattern, r.wrote.String())
			}
		}
	}
}

// The last line waits in a buffer when the process is told to stop.
func everyLineIsWritten(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		r := startRole(t, "web", "--listen", "127.0.0.1:0", "--log-format", format)
		address := r.await(t, `listening on (\S+)\n`)
		for range 50 {
			get(t, http.DefaultClient, address+"/channels", http.StatusOK)
		}
		http.DefaultClient.CloseIdleConnections()
		r.stop()
		code, wrote := <-r.ended, r.wrote.String()
		if lines := strings.Count(wrote, "/channels"); code != exitOK || lines != 50 {
			t.Errorf("%s: ended with %d and %d lines, want 50:\n%s", format, code, lines, wrote)
		}
	}
}

func newStoreIsAnnounced(t *testing.T) {
	data := t.TempDir()
	for _, want := range []int{1, 0} {
		r, _ := serving(t, "--data", data)
		r.end(t)
		if wrote := r.wrote.String(); strings.Count(wrote, "new store") != want || strings.Count(wrote, "data="+data) != want {
			t.Errorf("%q, want %d lines about a new store in %s", wrote, want, data)
		}
	}
}

// The store was written to by a process whose clock was two days ahead.
func clockBehindTheStore(t *testing.T) {
	data, ahead := t.TempDir(), time.Now().Add(48*time.Hour).Round(0)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(ahead))
		db, err := bolt.Open(data, bolt.Options{NoSync: true})
		ok(t, err)
		ok(t, storage.New(db, storage.Options{}).Operator.Prepare(t.Context()), db.Close())
	})
	r, _ := serving(t, "--data", data, "--log-level", "error", "--health-listen", "127.0.0.1:0")
	health := r.await(t, `level=INFO msg="process started" role=serve version=\S+ .*health_listen=(\S+)`)
	r.await(t, `(level=ERROR msg="the clock of this machine and the store's are far apart, .*clock=\S+ store_clock=`+ahead.UTC().Format("2006-01-02T15:04:05")+`)`)
	metrics := get(t, http.DefaultClient, "http://"+health+"/metrics", http.StatusOK)
	if found := regexp.MustCompile(`\nmicroblogging_clock_ahead_seconds -172\d\d\d`).FindString(metrics); found == "" {
		t.Errorf("the metrics have no clock: %.200s", metrics)
	}
	http.DefaultClient.CloseIdleConnections()
	r.end(t)
}

func otherDevicesAreTold(t *testing.T) {
	for listen, told := range map[string]bool{"0.0.0.0:0": true, "127.0.0.1:0": false} {
		r := startRole(t, "serve", "--listen", listen, "--registration", "closed")
		local := r.await(t, `(?m)^listening on (http://127\.0\.0\.1:\d+)$`)
		r.await(t, `(process \d+)\n`)
		addresses := regexp.MustCompile(`(?m)^for devices on the same network: (http://\S+)$`).FindAllStringSubmatch(r.wrote.String(), -1)
		if len(addresses) > 0 != told {
			t.Errorf("%s: %s", listen, r.wrote.String())
		}
		for _, address := range addresses {
			if address[1] == local {
				t.Errorf("other devices are told %s", local)
			}
			get(t, http.DefaultClient, address[1]+"/lab", http.StatusOK)
		}
		http.DefaultClient.CloseIdleConnections()
		r.end(t)
	}
}
