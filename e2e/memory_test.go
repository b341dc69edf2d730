package e2e

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
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

// TestMemory runs alone, since it holds the server to a second.
func TestMemory(t *testing.T) {
	t.Run("bodies of many parts take less than the 256 MiB of a small container", crowdedBodiesTakeLittleMemory)
	t.Run("answers that no client reads take little memory, of the kernel too, and keep no reader waiting", unreadAnswersTakeLittleMemory)
	t.Run("anonymous clients and half-sent batches keep no reader waiting, no SIGTERM, and little memory", floodKeepsNoReaderWaiting)
}

// startUnraced starts a server without the race detector.
func startUnraced(t *testing.T, environment ...string) (p *process, pid int) {
	t.Helper()
	s := onBolt(t)
	s.Binary, s.Environment = unraced, environment
	cmd := s.Command(context.WithoutCancel(t.Context()), "serve", "--listen", "127.0.0.1:0")
	cmd.Dir = t.TempDir()
	p = launch(t, cmd)
	var err error
	if p.url, err = p.AwaitURL(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p, cmd.Process.Pid
}

// resetMostMemory makes mostMemory begin anew.
func resetMostMemory(t *testing.T, pid int) {
	t.Helper()
	ok(t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0))
}

// mostMemory returns how many bytes a process had at most.
func mostMemory(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	ok(t, err)
	kilobytes, err := strconv.Atoi(string(regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status)[1]))
	ok(t, err)
	return kilobytes << 10
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
		ok(t, err)
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

// A crowdedBody has parts that would each take many times what they have in the body.
type crowdedBody struct{ what, path, mediaType, body string }

func crowdedBodies() []crowdedBody {
	const batch, form = 33 * 64 << 10, 64 << 10
	fill := func(size int, part func(i int) string) string {
		var b strings.Builder
		for i := 0; b.Len() < size-100; i++ {
			b.WriteString(part(i))
		}
		return b.String()
	}
	member := func(i int) string { return `"` + strconv.FormatInt(int64(i), 36) + `":0,` }
	bodies := []crowdedBody{
		{what: "entries", body: `{"items":[` + fill(batch, func(int) string { return "0," }) + `0]}`},
		{what: "nested entries", body: `{"items":[` + fill(batch, func(int) string { return "[[[[]]]]," }) + `0]}`},
		{what: "members", body: `{` + fill(batch, member) + `"":0}`},
		{what: "members of entries", body: `{"items":[` + strings.Repeat(`{`+fill(batch/33, member)+`"":0},`, 32) + `0]}`},
		{what: "long texts", body: `{"items":[` + strings.Repeat(`{"text":"`+strings.Repeat(`\u00e9`, 10_000)+`"},`, 32) + `0]}`},
	}
	for i := range bodies {
		bodies[i].path, bodies[i].mediaType = client.BlogsPath("garden")+":batch", "application/json"
	}
	field := func(i int) string { return strconv.FormatInt(int64(36*36*36+i), 36) + "=&" } // 10,000 at most, says package url
	part := func(i int) string {
		return "--b\r\nContent-Disposition: form-data; name=" + strconv.Itoa(i) + "\r\n\r\n\r\n"
	}
	return append(bodies,
		crowdedBody{"fields", "/channels/garden", "application/x-www-form-urlencoded", fill(form, field)},
		crowdedBody{"parts", "/channels/garden", "multipart/form-data; boundary=b", fill(form, part) + "--b--"})
}

// The kernel kills a process by what is resident, and Go collects with that in mind.
func crowdedBodiesTakeLittleMemory(t *testing.T) {
	const limit, authors, addresses, rounds = 256 << 20, 15, 5, 3
	p, pid := startUnraced(t, fmt.Sprint("GOMEMLIMIT=", limit*8/10))
	signUp(t, p.url, "ada").createChannel(t, "garden")
	var all sync.WaitGroup
	tokens := make(chan string, authors)
	for i := range authors {
		tokens <- signUp(t, p.url, fmt.Sprint("user_", i)).Token
	}
	for _, b := range crowdedBodies() {
		resetMostMemory(t, pid)
		for i := range authors {
			from := fromAddress(fmt.Sprint("127.0.0.", 10+i%addresses))
			all.Go(func() {
				token := <-tokens
				defer func() { tokens <- token }()
				for range rounds {
					request, err := http.NewRequestWithContext(t.Context(), "POST", p.url+b.path, strings.NewReader(b.body))
					if err != nil {
						t.Error(err)
						return
					}
					request.Header.Set("Content-Type", b.mediaType)
					request.Header.Set("Authorization", "Bearer "+token)
					answer, err := from.Do(request)
					if err != nil {
						t.Error(err)
						return
					}
					if err := answer.Body.Close(); err != nil || answer.StatusCode == http.StatusInternalServerError {
						t.Error(answer.Status, err)
					}
				}
			})
		}
		all.Wait()
		most := mostMemory(t, pid)
		if t.Logf("%s: %d MiB at most", b.what, most>>20); most > limit {
			t.Errorf("the kernel would have killed the process for bodies of many %s", b.what)
		}
	}
	p.endCleanly(t)
}

// kernelMemory returns how many bytes the kernel has for the TCP connections of this machine.
func kernelMemory(t *testing.T) int {
	t.Helper()
	stat, err := os.ReadFile("/proc/net/sockstat")
	ok(t, err)
	pages, err := strconv.Atoi(string(regexp.MustCompile(`TCP: .* mem (\d+)`).FindSubmatch(stat)[1]))
	ok(t, err)
	return pages * os.Getpagesize()
}

// ask opens so many connections of clients with different addresses, asks on each for a path, in which it puts another
// number each time, and reads nothing.
func ask(t *testing.T, url, path string, connections, addresses int) (asked []net.Conn) {
	t.Helper()
	for i := range connections {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(10+i%addresses))}}
		conn, err := dialer.Dial("tcp", strings.TrimPrefix(url, "http://"))
		ok(t, err)
		ok(t, conn.(*net.TCPConn).SetReadBuffer(2<<10))
		if _, err := fmt.Fprintf(conn, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n", 1000+i); err != nil {
			t.Fatal(err)
		}
		asked = append(asked, conn)
	}
	return asked
}

func unreadAnswersTakeLittleMemory(t *testing.T) {
	const limit, kernelLimit, connections, posts = 256 << 20, 64 << 20, 250, 100
	table := strings.Repeat("|", 70) + "\n" + strings.Repeat("|-", 69) + "|\n" + strings.Repeat(strings.Repeat("|", 70)+"\n", 65)
	for name, environment := range map[string][]string{"": nil, " without the limit of connections": {"MICROBLOGGING_TRUST_PROXY=true"}} {
		p, pid := startUnraced(t, append(environment, fmt.Sprint("GOMEMLIMIT=", limit*8/10), "MICROBLOGGING_WRITE_RATE=0", "MICROBLOGGING_REGISTRATION=open")...)
		ada := signUp(t, p.url, "ada")
		ada.createChannel(t, "tables")
		ada.createChannel(t, "escapes")
		for i := range posts {
			if i < posts/2 {
				ada.post(t, "tables", table+strconv.Itoa(i))
			}
			ada.post(t, "escapes", strings.Repeat("<", 5000))
		}
		for _, path := range []string{"/channels/tables/feed.json?w=%d", client.BlogsPath("escapes") + "?limit=100&until=2500-01-01T00:00:00.%dZ"} {
			for _, addresses := range []int{1, 16} {
				before := kernelMemory(t)
				asked := ask(t, p.url, path, connections, addresses)
				reader := fromAddress("127.0.0.200")
				for _, page := range []string{"/channels/tables", "/latest", "/channels/tables/feed.atom", client.BlogsPath("escapes") + "?limit=100"} {
					answer, err := reader.Get(p.url + page)
					ok(t, err)
					_, err = io.Copy(io.Discard, answer.Body)
					if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusOK {
						t.Errorf("%s meanwhile: %s, %v", page, answer.Status, err)
					}
					ok(t, err)
				}
				most, kernel := mostMemory(t, pid), kernelMemory(t)-before
				t.Logf("%s from %d addresses%s: %d MiB at most, and %d MiB of the kernel", path, addresses, name, most>>20, kernel>>20)
				if most > limit || kernel > kernelLimit {
					t.Error("that is too much")
				}
				for _, conn := range asked {
					ok(t, conn.Close())
				}
			}
		}
		p.endCleanly(t)
	}
}

func floodKeepsNoReaderWaiting(t *testing.T) {
	const anonymous, drafts, reads = 3000, 200, 40
	p, pid := startUnraced(t)
	ada := signUp(t, p.url, "ada")
	ada.createChannel(t, "garden")
	over, end := context.WithCancel(t.Context())
	defer end()
	var all sync.WaitGroup
	half{path: client.SessionsPath, length: 4 << 10, from: "127.0.0.1"}.send(t, p.url, anonymous, over, &all)
	for i := range 4 { // they take all the memory that there is for bodies
		half{path: "/channels/garden", length: 64 << 10, from: fmt.Sprint("127.0.0.1", i)}.send(t, p.url, drafts, over, &all)
	}
	half{path: "/api/v1/channels/garden/blogs:batch", token: ada.Token, length: 33 * 64 << 10, from: "127.0.0.20"}.send(t, p.url, drafts, over, &all)
	reader := fromAddress("127.0.0.2")
	signedIn := client.Client{URL: p.url, HTTP: reader}
	if r, err := signedIn.Send(t.Context(), "POST", client.SessionsPath, client.Credentials("ada"), nil); err != nil || r.Status != http.StatusCreated {
		t.Errorf("signing in while they are sent: %+v, %v", r, err)
	}
	var took []time.Duration
	for range reads {
		began := time.Now()
		answer, err := reader.Get(p.url + "/channels/garden")
		ok(t, err)
		_, err = io.Copy(io.Discard, answer.Body)
		if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusOK {
			t.Fatal(answer.Status, err)
		}
		ok(t, err)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	t.Logf("a page takes %s to %s", took[0], took[reads-1])
	if took[reads-1] > time.Second {
		t.Errorf("a page takes up to %s", took[reads-1])
	}
	const sent = anonymous*4<<10 + 4*drafts*64<<10 + drafts*33*64<<10
	most := mostMemory(t, pid)
	if t.Logf("it had %d MiB at most, and was sent %d MiB", most>>20, sent>>20); most > sent/3 {
		t.Error("it keeps a third of what anonymous clients send, or more")
	}
	told := time.Now()
	p.endCleanly(t)
	if took := time.Since(told); took > 20*time.Second { // 10 s for requests under way
		t.Errorf("it took %s to end", took)
	}
	end()
	all.Wait()
}
