package e2e

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"microblogging/e2e/client"
	"microblogging/e2e/program"
)

func TestAdmin(t *testing.T) {
	t.Run("operators put a site right while it runs, and its users notice", adminPutsRight)
}

// withAdmin serves a store of the test's own. The flags reach it.
func withAdmin(t *testing.T, s setup, args ...string) (p *process, flags []string) {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	p = s.start(t, append([]string{"serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--data", data}, args...)...)
	return p, []string{"--admin", p.await(t, p.stderr, `admin listener started" address=(\S+)`), "--data", data}
}

func adminPutsRight(t *testing.T) {
	t.Parallel()
	s := setup{program.Setup{Binary: unraced}}
	p, flags := withAdmin(t, s, "--undo", "5m", "--registration", "open", "--base-url", "https://blogs.example")
	do := func(args ...string) string { t.Helper(); return s.mustRun(t, append(args, flags...)...).Stdout }
	if link := do("user", "create", "carol"); !strings.HasPrefix(link, "https://blogs.example/sign-in/reset?token=") {
		t.Errorf("user create prints %q", link)
	}
	bob := signUp(t, p.url, "bob")
	bob.createChannel(t, "spam")
	bob.post(t, "spam", "buy")
	if said := do("channel", "close", "spam"); !strings.HasPrefix(said, "channel spam is closed; an operator can undo it until ") {
		t.Errorf("channel close says %q", said)
	}
	reader(p.url).do(t, "GET", client.ChannelPath("spam"), nil, http.StatusGone, nil)
	do("user", "close", "bob")
	reader(p.url).do(t, "POST", client.SessionsPath, client.Credentials("bob"), http.StatusForbidden, nil)
	do("user", "invite")
	do("check")
	p.endCleanly(t)
	s.mustRun(t, "check", "--data", flags[3])
	if log := p.stderr.String(); strings.Count(log, "command of an operator ended") != 5 || strings.Contains(log, "token=") {
		t.Errorf("the log has %s", log)
	}
	if r := s.run(t, append([]string{"check"}, flags...)...); r.Code != 2 || !strings.Contains(r.Stderr, "connection refused") {
		t.Errorf("a server that has ended: exit %d, %s", r.Code, r.Stderr)
	}
}
