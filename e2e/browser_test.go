package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"microblogging/e2e/program"
	"microblogging/storage/azuritetest"
)

// browserPatience bounds all tests in a browser together. browser/visitor.mjs bounds each test.
const browserPatience = 25 * time.Minute

// browsers is how many run at a time. To start one, and to load what drives it, takes longer than most tests.
const browsers = 3

// TestBrowser runs the tests in browser/ with node's test runner, and shows each as
// a subtest. Two environment variables help to look closer: ONLY is a pattern for
// the names of the tests to run, such as "channel:", and SCREENSHOTS=1 leaves
// pictures of every page in artifacts/.
func TestBrowser(t *testing.T) {
	t.Parallel()
	chromium := findChromium(t)
	sites := sitesForTheBrowser(t)
	args := []string{"--test", fmt.Sprint("--test-concurrency=", browsers), "--test-reporter=./browser/reporter.mjs"}
	if only := os.Getenv("ONLY"); only != "" {
		// A file is a test too, around its own.
		args = append(args, `--test-name-pattern=^[\w-]+\.test\.mjs$`, "--test-name-pattern="+only)
	}
	ctx, cancel := context.WithTimeout(t.Context(), browserPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", append(args, shareOut(t)...)...)
	cmd.Env = append(append(os.Environ(), "CHROMIUM="+chromium), sites...)
	// On SIGTERM, unlike SIGKILL, the runner ends what it has started.
	cmd.Cancel = func() error {
		t.Errorf("node has not ended after %s", browserPatience)
		return cmd.Process.Signal(syscall.SIGTERM)
	}
	cmd.WaitDelay = program.Patience
	runNodeTests(t, cmd)
}

// shareOut writes a file for each browser that imports every third file of tests, so that node runs
// these in one process. Before each file is a test with its name, which begins when those before it have
// ended, and ends when the file is imported: what a file prepares starts with the import, and node
// closes the browser when no test is left.
func shareOut(t *testing.T) (shares []string) {
	t.Helper()
	files, err := filepath.Glob("browser/*.test.mjs")
	if err != nil || len(files) < browsers {
		t.Fatalf("too few tests in browser/ (%v)", err)
	}
	dir := t.TempDir()
	for first := range browsers {
		var own []string
		for i := first; i < len(files); i += browsers {
			file, err := filepath.Abs(files[i])
			ok(t, err)
			own = append(own, file)
		}
		names, err := json.Marshal(own)
		ok(t, err)
		share := filepath.Join(dir, fmt.Sprintf("%d.test.mjs", first))
		ok(t, os.WriteFile(share, fmt.Appendf(nil, `import { test } from "node:test";
import { basename } from "node:path";
for (const file of %s) {
  let imported;
  await new Promise((begun) => test(basename(file), () => new Promise((end) => { imported = end; begun(); })));
  await import(file);
  imported();
}
`, names), 0o600))
		shares = append(shares, share)
	}
	return shares
}

// findChromium returns the browser's file. It also checks that the packages that
// drive the browser are installed.
func findChromium(t *testing.T) string {
	t.Helper()
	// The first has no windows to draw, and takes half as long for a new page.
	candidates := []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}
	if chosen := os.Getenv("CHROMIUM"); chosen != "" {
		candidates = []string{chosen}
	}
	var found string
	missing := errors.New("no Chromium is installed: make deps installs it, and CHROMIUM names one that is elsewhere")
	for _, candidate := range candidates {
		if file, err := exec.LookPath(candidate); err == nil {
			found, missing = file, nil
			break
		}
	}
	for _, name := range []string{"playwright-core", "axe-core"} {
		if _, err := os.Stat(filepath.Join(root, "node_modules", name)); err != nil {
			missing = errors.Join(missing, errors.New(name+" is not installed: run `npm ci`"))
		}
	}
	switch {
	case missing == nil:
	case os.Getenv("CI") == "":
		t.Skipf("SKIPPED, NOT TESTED: %v", missing)
	default:
		t.Fatal(missing)
	}
	return found
}

// sitesForTheBrowser starts the sites that the tests in browser/ visit, and returns
// environment variables with their addresses. browser/visitor.mjs says what each
// site is for.
func sitesForTheBrowser(t *testing.T) []string {
	t.Helper()
	listen := []string{"--listen", "127.0.0.1:0", "--log-level", "warn"}
	start := func(s setup, role ...string) *process {
		s.Binary = unraced
		return s.start(t, append(role, listen...)...)
	}
	// Long enough to press Undo, and short enough to wait for.
	raced := onBolt(t).start(t, append([]string{"serve", "--sample", "--undo", "10s"}, listen...)...)
	sample := start(onBolt(t), "serve", "--sample")
	idle := start(onBolt(t), "web")
	account := azuritetest.Shared(t).Account()
	held := start(onAzurite(account), "web")
	valve := newSweepValve(t, account)
	onAzurite(valve.account).start(t, "worker", "--max-attempts", "2", "--log-level", "error")
	down := onAzurite(unreachable(account)).start(t, "web", "--listen", "127.0.0.1:0", "--log-level", "error")
	return []string{
		"SITE_SAMPLE=" + sample.url,
		"SITE_RACED=" + raced.url,
		"SIGN_IN_LINK=" + sample.await(t, &sample.Stdout, `sign in as ada, once: (http://\S+)`),
		"SITE_IDLE=" + idle.url,
		"SITE_HELD=" + held.url,
		"PROGRAM=" + unraced,
		"ACCOUNT_HELD=" + account,
		"SWEEP_VALVE=" + valve.control,
		"SITE_DOWN=" + down.url,
	}
}

// A nodeRecord is a line of browser/reporter.mjs: a test that has ended, or
// output of one.
type nodeRecord struct {
	Name         string
	Milliseconds int
	Skipped      bool
	// Failure says why the test failed; empty if it did not.
	Failure string
	Output  string
}

// runNodeTests shows every test that the runner reports as a subtest.
func runNodeTests(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	stderr := &program.Log{}
	cmd.Stderr = stderr
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	ok(t, err)
	tests := 0
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break // Wait returns the reason
		}
		var record nodeRecord
		switch err := json.Unmarshal(line, &record); {
		case err != nil:
			t.Errorf("%v in %q", err, line)
		case record.Name != "":
			tests++
			t.Run(record.Name, record.show)
		default:
			t.Log(strings.TrimSuffix(record.Output, "\n"))
		}
	}
	if err := cmd.Wait(); err != nil && !t.Failed() {
		t.Errorf("node: %v\n%s", err, stderr)
	}
	if tests == 0 {
		t.Errorf("no test was run\n%s", stderr)
	}
}

func (r nodeRecord) show(t *testing.T) {
	switch {
	case r.Failure != "":
		t.Error(r.Failure)
	case r.Skipped:
		t.Error("it was skipped")
	default:
		t.Logf("%d ms", r.Milliseconds)
	}
}
