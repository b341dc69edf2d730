package e2e

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"microblogging/e2e/client"
	"microblogging/e2e/program"
)

// TestRoot needs root, which gives files to other users and makes disks. CI runs it by sudo.
func TestRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED, NOT TESTED: it needs root")
	}
	t.Parallel()
	t.Run("the user of a service opens the store that root restores or copies to", rootRestores)
	t.Run("the restore of a service as docs/operating.md has it gives back the backup, and ends after any command with a whole site", restoresAsDocumented)
	t.Run("another user of the machine does nothing over the admin listener, and root does", onlyOwnerActs)
	t.Run("a full disk takes no writes, and its store is read, healthy and ready", fullDisk)
	t.Run("a first start on a full disk waits, healthy and not ready, until there is room", fullDiskAtStart)
	t.Run("a start that waits on a full disk ends with SIGTERM", fullDiskStops)
}

// serviceUser is the user and the group of a service, as that of the image.
const serviceUser = 65532

// openToAll returns a directory that each user can enter, with a copy of the program.
func openToAll(t *testing.T) (dir, binary string) {
	t.Helper()
	dir = t.TempDir()
	content, err := os.ReadFile(unraced)
	ok(t, err)
	binary = filepath.Join(dir, "microblogging")
	ok(t, errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.WriteFile(binary, content, 0o755)))
	return dir, binary
}

// serveAsUser starts a copy of the program as the user of the service.
func serveAsUser(t *testing.T, binary, data string) *process {
	t.Helper()
	cmd := setup{program.Setup{Binary: binary}}.Command(context.WithoutCancel(t.Context()), "serve", "--listen", "127.0.0.1:0", "--data", data, "--admin-listen", "127.0.0.1:0")
	cmd.Dir = filepath.Dir(binary)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: serviceUser, Gid: serviceUser}}
	p := launch(t, cmd)
	p.url = p.await(t, &p.Stdout, `listening on (\S+)\n`)
	return p
}

// documentedRestore returns the commands by which an operator restores a service.
func documentedRestore(t *testing.T) (commands []string) {
	t.Helper()
	_, text, _ := strings.Cut(readRoot(t, "docs/operating.md"), "With the systemd unit, as root:\n")
	text, _, _ = strings.Cut(text, "\nThe directory must")
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text, -1) {
		for _, command := range regexp.MustCompile(`&&|\n`).Split(block[1], -1) {
			if command = strings.TrimSpace(command); command != "" {
				commands = append(commands, command)
			}
		}
	}
	if len(commands) < 5 {
		t.Fatalf("docs/operating.md has the commands %q", commands)
	}
	return commands
}

// Of systemd there is only the call that the test records. A channel is deleted after the backup. After each command
// the machine may lose power and start the service.
func restoresAsDocumented(t *testing.T) {
	t.Parallel()
	dir, binary := openToAll(t)
	s, made, backup := setup{program.Setup{Binary: binary}}, filepath.Join(dir, "made"), filepath.Join(dir, "day-6.gz")
	p := s.start(t, "serve", "--listen", "127.0.0.1:0", "--data", made)
	alice := signUp(t, p.url, "alice")
	alice.createChannel(t, "gone")
	alice.createChannel(t, "news")
	alice.post(t, "news", "before the backup")
	p.endCleanly(t)
	s.mustRun(t, "backup", backup, "--data", made)
	p = s.start(t, "serve", "--listen", "127.0.0.1:0", "--data", made)
	alice.URL = p.url
	alice.awaitDeletion(t, alice.deleteChannel(t, "gone"))
	alice.post(t, "news", "after it")
	p.endCleanly(t)
	ok(t, os.WriteFile(filepath.Join(dir, "systemctl"), []byte("#!/bin/sh\necho $* >> "+dir+"/asked\n"), 0o755))

	commands := documentedRestore(t)
	for n := range len(commands) + 1 {
		data := filepath.Join(dir, fmt.Sprint("data ", n))
		ok(t, errors.Join(os.CopyFS(data, os.DirFS(made)), os.Chown(data, serviceUser, serviceUser), os.Chown(filepath.Join(data, "microblogging.db"), serviceUser, serviceUser)))
		script := strings.Join(commands[:n], " &&\n")
		script = strings.ReplaceAll(script, "/var/lib/microblogging-backup/day-6.gz", "'"+backup+"'")
		script = strings.ReplaceAll(script, "/var/lib/microblogging", "'"+data+"'")
		cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s\nends with %v: %s", script, err, out)
		}
		p := serveAsUser(t, binary, data)
		want := 2
		if strings.Contains(script, "mv new/") {
			want = 1
		}
		if page := reader(p.url).do(t, "GET", client.ChannelsPath, nil, http.StatusOK, nil); !strings.Contains(string(page.Body), `"news"`) {
			t.Errorf("after %q the channels are %s", script, page.Body)
		} else if blogs := reader(p.url).countBlogs(t, "news"); blogs != want {
			t.Errorf("after %q there are %d posts, want %d", script, blogs, want)
		}
		reader(p.url).awaitStatus(t, client.ChannelPath("gone"), http.StatusNotFound)
		p.endCleanly(t)
	}
	if asked, err := os.ReadFile(filepath.Join(dir, "asked")); err != nil || !strings.HasSuffix(string(asked), "stop microblogging\nstart microblogging\n") {
		t.Errorf("systemctl was asked for %q (%v)", asked, err)
	}
}

func rootRestores(t *testing.T) {
	t.Parallel()
	from, root := imported(t, 25)
	dir, binary := openToAll(t)
	backup := filepath.Join(dir, "backup")
	root.mustRun(t, "backup", backup, "--data", from)
	owned := func(name string) string {
		data := filepath.Join(dir, name)
		ok(t, errors.Join(os.Mkdir(data, 0o700), os.Chown(data, serviceUser, serviceUser)))
		return data
	}
	serve := func(data string) *process { return serveAsUser(t, binary, data) }
	ofRoot := owned("of root")
	root.start(t, "serve", "--listen", "127.0.0.1:0", "--data", ofRoot).endCleanly(t)
	ok(t, os.Chown(filepath.Join(ofRoot, "microblogging.db"), 0, 0))
	copied := filepath.Join(owned("of a copy"), "new")
	root.mustRun(t, "copy", "--from", "bolt:"+from, "--to", "bolt:"+copied)
	for what, flags := range map[string][]string{
		"its directory":              {owned("there")},
		"a new directory in its own": {filepath.Join(owned("parent"), "new", "er/")},
		"an empty store of root's":   {ofRoot},
		"a copy that root has made":  {copied},
	} {
		data := flags[0]
		if data != copied {
			root.mustRun(t, append([]string{"restore", backup, "--data"}, flags...)...)
		}
		root.mustRun(t, "backup", backup, "--data", data)
		p := serve(data)
		if n := reader(p.url).countBlogs(t, "news"); n != 25 {
			t.Errorf("%s: %d posts", what, n)
		}
		admin := p.await(t, p.stderr, `admin listener started" address=(\S+)`)
		told(t, admin, "microblogging_bolt_backup_age_seconds") // of the backup that root has taken
		if r := root.mustRun(t, "backup", backup, "--admin", admin, "--data", data); r.Stderr != "" {
			t.Errorf("%s: the backup says %s", what, r.Stderr)
		}
		p.endCleanly(t)
		for _, path := range []string{data, filepath.Join(data, "microblogging.db"), filepath.Join(data, "last-backup"), filepath.Join(data, "admin-secret")} {
			info, err := os.Stat(path)
			ok(t, err)
			if of := info.Sys().(*syscall.Stat_t); of.Uid != serviceUser || of.Gid != serviceUser || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s: %s is of %d:%d with mode %v", what, path, of.Uid, of.Gid, info.Mode())
			}
		}
	}
}

func onlyOwnerActs(t *testing.T) {
	t.Parallel()
	dir, binary := openToAll(t)
	data := filepath.Join(dir, "data")
	ok(t, errors.Join(os.Mkdir(data, 0o755), os.Chown(data, serviceUser, serviceUser))) // whose files others may list
	p := serveAsUser(t, binary, data)
	signUp(t, p.url, "alice")
	admin, s := p.await(t, p.stderr, `admin listener started" address=(\S+)`), setup{program.Setup{Binary: binary}}
	secret := filepath.Join(data, "admin-secret")
	for what, c := range map[string]struct{ data, says string }{
		"with the directory": {data, secret + ": permission denied"},
		"without it":         {filepath.Join(dir, "none"), "the secret of this server is in " + secret},
	} {
		for _, args := range [][]string{{"user", "reset", "alice"}, {"user", "close", "alice"}, {"backup", filepath.Join(os.TempDir(), "stolen")}} {
			cmd := s.Command(t.Context(), args[0], append(args[1:], "--admin", admin, "--data", c.data)...)
			cmd.Dir = dir
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: serviceUser + 1, Gid: serviceUser + 1}}
			if r, err := program.Run(cmd); err != nil || r.Code != 2 || r.Stdout != "" || !strings.Contains(r.Stderr, c.says) {
				t.Errorf("%s, %q: exit %d, %q and %q (%v), want %q", what, args, r.Code, r.Stdout, r.Stderr, err, c.says)
			}
		}
	}
	if link := s.mustRun(t, "user", "reset", "alice", "--admin", admin, "--data", data).Stdout; !strings.Contains(link, "/sign-in/reset?token=") {
		t.Errorf("root gets %q", link)
	}
	p.endCleanly(t)
}

// A disk is one of the test's own.
type disk string

// newDisk makes a disk with so many KiB.
func newDisk(t *testing.T, size int) disk {
	t.Helper()
	at := filepath.Join(t.TempDir(), "disk")
	ok(t, errors.Join(os.Mkdir(at, 0o700), syscall.Mount("none", at, "tmpfs", 0, fmt.Sprintf("size=%dk", size))))
	t.Cleanup(func() { ok(t, syscall.Unmount(at, syscall.MNT_DETACH)) })
	return disk(at)
}

// enlarge makes room.
func (d disk) enlarge(t *testing.T) {
	t.Helper()
	ok(t, syscall.Mount("none", string(d), "tmpfs", syscall.MS_REMOUNT, "size=64m"))
}

// freeAddress is where nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ok(t, err)
	ok(t, listener.Close())
	return listener.Addr().String()
}

// told returns the value of a metric.
func told(t *testing.T, at, metric string) string {
	t.Helper()
	text := string(reader(at).do(t, "GET", "/metrics", nil, http.StatusOK, nil).Body)
	match := regexp.MustCompile(`(?m)^` + metric + ` (\S+)$`).FindStringSubmatch(text)
	if match == nil {
		t.Fatalf("no %s in %s", metric, text)
	}
	return match[1]
}

func fullDisk(t *testing.T) {
	t.Parallel()
	d, s := newDisk(t, 2<<10), setup{program.Setup{Binary: unraced}}
	args := []string{"serve", "--listen", "127.0.0.1:0", "--health-listen", "127.0.0.1:0", "--data", string(d)}
	p := s.start(t, args...)
	alice := signUp(t, p.url, "alice")
	alice.createChannel(t, "news")
	posts, status := 0, 0
	for ; status != http.StatusServiceUnavailable; posts++ {
		if posts > 1000 {
			t.Fatal("5 MB fit into 2 MiB")
		}
		r, err := alice.Send(t.Context(), "POST", client.BlogsPath("news"), map[string]string{"text": strings.Repeat("x", 5000)}, nil)
		ok(t, err)
		if status = r.Status; status != http.StatusCreated && (status != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "") {
			t.Fatalf("a post is answered %d %v", r.Status, r.Header)
		}
	}
	posts--
	wantRead := func() (health string) {
		t.Helper()
		health = p.await(t, p.stderr, `health listener started" address=(\S+)`)
		for _, at := range []string{p.url, health} {
			reader(at).do(t, "GET", "/healthz", nil, http.StatusOK, nil)
			reader(at).do(t, "GET", "/readyz", nil, http.StatusOK, nil)
		}
		for _, path := range []string{"/", "/channels", "/channels/news", "/users/alice", "/channels/news/feed.atom", client.ChannelPath("news")} {
			reader(p.url).do(t, "GET", path, nil, http.StatusOK, nil)
			alice.do(t, "GET", path, nil, http.StatusOK, nil)
		}
		if n := alice.countBlogs(t, "news"); n != posts {
			t.Errorf("%d posts, want the %d that were acknowledged", n, posts)
		}
		return health
	}
	health := wantRead()
	if writable, failed := told(t, health, "microblogging_bolt_writable"), told(t, health, `microblogging_bolt_commits_total{outcome="failed"}`); writable != "0" || failed == "0" {
		t.Errorf("writable %s, %s commits failed", writable, failed)
	}
	if size := told(t, health, "microblogging_bolt_disk_bytes"); size != "2.097152e+06" {
		t.Errorf("the disk has %s bytes", size)
	}
	p.endCleanly(t)
	p = s.start(t, args...)
	alice.URL = p.url
	health = wantRead()
	d.enlarge(t)
	eventually(t, func() error {
		if writable := told(t, health, "microblogging_bolt_writable"); writable != "1" {
			return errors.New("not writable")
		}
		return nil
	})
	alice.post(t, "news", "there is room")
	p.endCleanly(t)
}

// startOnFullDisk starts a role, which finds no room for its store.
func startOnFullDisk(t *testing.T, d disk) (p *process, addresses []string) {
	t.Helper()
	flags := []string{"serve", "--data", filepath.Join(string(d), "data")}
	for _, flag := range []string{"--listen", "--health-listen", "--admin-listen"} {
		address := freeAddress(t)
		flags, addresses = append(flags, flag, address), append(addresses, "http://"+address)
	}
	s := setup{program.Setup{Binary: unraced}}
	cmd := s.Command(context.WithoutCancel(t.Context()), flags[0], flags[1:]...)
	cmd.Dir = t.TempDir()
	p = launch(t, cmd)
	p.await(t, p.stderr, `level=ERROR .*no space left on device`)
	return p, addresses
}

func fullDiskAtStart(t *testing.T) {
	t.Parallel()
	// There is no room for the file, or for the file and not for its first commit.
	for _, size := range []int{4, 16} {
		t.Run(fmt.Sprint(size, " KiB"), func(t *testing.T) {
			t.Parallel()
			d := newDisk(t, size)
			p, addresses := startOnFullDisk(t, d)
			for _, address := range addresses {
				reader(address).awaitStatus(t, "/healthz", http.StatusOK)
				reader(address).do(t, "GET", "/readyz", nil, http.StatusServiceUnavailable, nil)
				if r := reader(address).do(t, "GET", "/channels", nil, http.StatusServiceUnavailable, nil); r.Header.Get("Retry-After") != "5" {
					t.Errorf("answers with %v", r.Header)
				}
			}
			d.enlarge(t)
			for _, address := range addresses {
				reader(address).awaitStatus(t, "/readyz", http.StatusOK)
			}
			signUp(t, addresses[0], "alice")
			p.endCleanly(t)
		})
	}
}

func fullDiskStops(t *testing.T) {
	t.Parallel()
	p, addresses := startOnFullDisk(t, newDisk(t, 4))
	reader(addresses[0]).awaitStatus(t, "/healthz", http.StatusOK)
	p.endCleanly(t)
}
