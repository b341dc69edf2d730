package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"microblogging/e2e/client"
	"microblogging/e2e/program"
)

// memoryLimit is what the process may use: half of what deploy/ gives a web role.
const memoryLimit = 256 << 20

// These run alone, since they hold the server to a second.
func TestMemory(t *testing.T) {
	t.Run("strangers and half-sent batches keep no reader waiting, and no SIGTERM", floodKeepsNoReaderWaiting)
	t.Run("sixteen clients who sign in and send batches are served, and Go knows the limit", ordinaryClientsAreServed)
}

// A limited process is a server that is killed if it takes more than memoryLimit.
type limited struct {
	*process
	pid int
}

func startLimited(t *testing.T) limited {
	t.Helper()
	unraced := binary
	if program.Raced { // which takes several times the memory
		var err error
		if unraced, err = program.Build(t.Context(), t.TempDir(), false); err != nil {
			t.Fatal(err)
		}
	}
	s := onBolt(t)
	s.Binary = unraced
	cmd := s.Command(context.WithoutCancel(t.Context()), "serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
	cmd.Dir = t.TempDir()
	confine(t, cmd)
	p := limited{launch(t, cmd), cmd.Process.Pid}
	var err error
	if p.url, err = p.AwaitURL(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p
}

// confine makes a command run in a control group of its own. Without the right to make one,
// Go's memory limit takes its place, and endSmall says whether that held.
func confine(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	for _, file := range []string{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory.max"} { // versions 1 and 2
		group, err := os.MkdirTemp(filepath.Dir(file), "microblogging-e2e-")
		if err != nil {
			continue
		}
		t.Cleanup(func() { eventually(t, func() error { return os.Remove(group) }) }) // once its process has gone
		limit, err := os.OpenFile(filepath.Join(group, filepath.Base(file)), os.O_WRONLY, 0)
		if err != nil {
			continue // not the version that limits memory here
		}
		_, err = fmt.Fprint(limit, memoryLimit)
		if err := errors.Join(err, limit.Close()); err != nil {
			t.Fatal(err)
		}
		cmd.Args = append([]string{"sh", "-c", `echo $$ >"$0"/cgroup.procs && exec "$@"`, group, cmd.Path}, cmd.Args[1:]...)
		cmd.Path = "/bin/sh"
		return
	}
	t.Log("no control group can be made here: GOMEMLIMIT takes its place")
	cmd.Env = append(cmd.Env, fmt.Sprintf("GOMEMLIMIT=%d", memoryLimit*9/10))
}

// endSmall ends the process in time, and says how much memory it had at most.
func (p limited) endSmall(t *testing.T) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		t.Fatal(err)
	}
	peak, err := strconv.Atoi(string(regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status)[1]))
	if t.Logf("it had %d MiB at most", peak>>10); err != nil || peak<<10 > memoryLimit {
		t.Errorf("%d MiB, %v", peak>>10, err)
	}
	told := time.Now()
	p.endCleanly(t)
	if took := time.Since(told); took > 20*time.Second { // 10 s for requests under way
		t.Errorf("it took %s to end", took)
	}
}

// A half is a request all of whose body is sent but the last byte.
type half struct {
	path, token string
	length      int
	// from is the address of the client, on this machine.
	from string
}

// send opens so many connections that each send the request, and keeps those open that the
// server does. The server need not read what they send.
func (h half) send(t *testing.T, url string, connections int, over context.Context, all *sync.WaitGroup) {
	t.Helper()
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n", h.path)
	if h.token != "" {
		head += "Authorization: Bearer " + h.token + "\r\n"
	}
	head += fmt.Sprintf("Content-Length: %d\r\n\r\n", h.length)
	body := strings.Repeat(" ", h.length-1)
	var opened sync.WaitGroup
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(h.from)}}
	for range connections {
		conn, err := dialer.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		context.AfterFunc(over, func() { _ = conn.Close() })
		opened.Add(1)
		all.Go(func() {
			// It fails if the server refuses it, or has ended.
			_, err := io.WriteString(conn, head)
			opened.Done()
			if err == nil {
				_, _ = io.WriteString(conn, body)
			}
		})
	}
	opened.Wait()
}

// fromAddress is a client of the same machine with another address.
func fromAddress(address string) *http.Client {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	return &http.Client{Timeout: program.Patience, Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}}
}

func floodKeepsNoReaderWaiting(t *testing.T) {
	const strangers, drafts, reads = 3000, 200, 40
	p := startLimited(t)
	ada := signUp(t, p.url, "ada")
	ada.createChannel(t, "garden")
	over, end := context.WithCancel(t.Context())
	defer end()
	var all sync.WaitGroup
	half{path: client.SessionsPath, length: 4 << 10, from: "127.0.0.1"}.send(t, p.url, strangers, over, &all)
	for i := range 4 { // they take all the room that there is for bodies
		half{path: "/channels/garden", length: 64 << 10, from: fmt.Sprint("127.0.0.1", i)}.send(t, p.url, drafts, over, &all)
	}
	half{path: "/api/v1/channels/garden/blogs:batch", token: ada.Token, length: 33 * 64 << 10, from: "127.0.0.20"}.send(t, p.url, drafts, over, &all)
	reader := fromAddress("127.0.0.2")
	signedIn := client.Client{URL: p.url, HTTP: reader}
	if r, err := signedIn.Send(t.Context(), "POST", client.SessionsPath, client.Credentials("ada"), nil); err != nil || r.Status != http.StatusCreated {
		t.Errorf("signing in beside them: %+v, %v", r, err)
	}
	var took []time.Duration
	for range reads {
		began := time.Now()
		answer, err := reader.Get(p.url + "/channels/garden")
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, answer.Body)
		if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusOK {
			t.Fatal(answer.Status, err)
		}
		if err != nil {
			t.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	t.Logf("a page takes %s to %s", took[0], took[reads-1])
	if took[reads-1] > time.Second {
		t.Errorf("a page takes up to %s", took[reads-1])
	}
	p.endSmall(t)
	end()
	all.Wait()
}

func ordinaryClientsAreServed(t *testing.T) {
	p := startLimited(t)
	admin := p.await(t, p.stderr, `answering the operator.* address=(http\S+)`)
	metrics, err := reader(admin).Send(t.Context(), "GET", "/metrics", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	goLimit := regexp.MustCompile(`(?m)^go_gc_gomemlimit_bytes (.*)$`).FindSubmatch(metrics.Body)
	if limit, err := strconv.ParseFloat(string(goLimit[1]), 64); err != nil || limit > memoryLimit*9/10 {
		t.Errorf("Go's memory limit is %s bytes, %v", goLimit[1], err)
	}
	type item struct {
		Text string `json:"text"`
	}
	items := make([]item, 33)
	for i := range items {
		items[i].Text = strings.Repeat("é", 5000)
	}
	signUp(t, p.url, "ada").createChannel(t, "garden")
	var all sync.WaitGroup
	for i := range 16 {
		name := fmt.Sprint("user", i)
		reader(p.url).do(t, "POST", client.UsersPath, client.Credentials(name), http.StatusCreated, nil)
		all.Go(func() {
			for range 3 {
				u := signIn(t, p.url, name)
				u.do(t, "POST", "/api/v1/channels/garden/blogs:batch", map[string]any{"items": items}, http.StatusOK, nil)
				u.do(t, "GET", "/api/v1/channels/garden/blogs?limit=100", nil, http.StatusOK, nil)
			}
		})
	}
	all.Wait()
	p.endSmall(t)
}
