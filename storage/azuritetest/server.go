// Package azuritetest starts a real Azurite for tests.
//
// # The problem
//
// A test of the Azure driver, or of the program on Azure, needs an empty store
// that behaves as the emulator of Azure Storage does, and that no other test
// disturbs.
//
// # The model
//
// A [Server] is one Azurite: a process on free ports of the loopback interface.
// Starting one takes about a second. So tests that only need an empty store share
// a server ([Shared]) and take an account each ([Server.Account]); an account sees
// nothing of another. A test that stops its server starts its own ([Start],
// [StartAt]).
//
// # What survives failure
//
// No Azurite outlives the process that started it, not even after a panic, a
// timeout or kill -9: it ends when a pipe is closed that only that process holds
// open.
//
// Azurite is no durable store. It loses what it kept in memory when it ends. With a
// directory ([StartAt]) it loses the last seconds before a kill, but nothing when
// [Server.Stop] ends it.
package azuritetest

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

const (
	startTimeout = time.Minute
	stopTimeout  = 20 * time.Second

	maxAccounts = 1000
	accountKey  = "dGVzdA=="
)

// watchParent ends Azurite when its standard input ends, whose other end this process alone
// holds. It is unreferenced, so that it does not keep an Azurite running that was told to stop.
const watchParent = `data:text/javascript,process.stdin.on("end",()=>process.exit()).resume().unref()`

var errMissing = errors.New("no Azurite is installed: run `npm ci` in the folder of package.json (Node 20 or newer)")

// A Server is an Azurite that runs, or that was stopped and can be started again on
// the same ports.
type Server struct {
	root string
	// location is the directory of the data; empty means in memory.
	location string
	// ports are those of the services that were started before, by name: Blob, Queue, Table.
	ports map[string]string
	// cmd is nil while the server is stopped.
	cmd      *exec.Cmd
	accounts atomic.Int64
}

// Start starts an empty Azurite that keeps its data in memory, and stops it
// when the test ends. Where Azurite is not installed, the test is skipped, or
// fails if the environment variable CI is set. With -short, it is skipped.
func Start(tb testing.TB) *Server { return StartAt(tb, "") }

// StartAt is Start for an Azurite that keeps its data in a directory.
func StartAt(tb testing.TB, location string) *Server {
	tb.Helper()
	skipIfShort(tb)
	server, err := Launch(location)
	require(tb, err)
	tb.Cleanup(func() { server.Stop(tb) })
	return server
}

// Shared returns the one Azurite that all tests of a binary use at the same time,
// each with an Account of its own. It must not be stopped.
func Shared(tb testing.TB) *Server {
	tb.Helper()
	skipIfShort(tb)
	server, err := shared()
	require(tb, err)
	return server
}

// shared is the only global: all tests of the process are to get one server.
var shared = sync.OnceValues(func() (*Server, error) { return Launch("") })

// Kill ends the process with SIGKILL. What it kept in memory is lost.
func (s *Server) Kill() {
	_ = s.stop(false) // how it ended does not matter
}

// Launch is StartAt for a program that is no test. The server runs until Kill, or
// until the program ends.
func Launch(location string) (*Server, error) {
	module, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return nil, fmt.Errorf("looking for the module: %w", err)
	}
	root := filepath.Dir(strings.TrimSpace(string(module)))
	s := &Server{root: root, location: location, ports: map[string]string{}}
	return s, s.launch()
}

// launch starts the process on the ports that it had before, or on free ones. If another
// process took one while the server was stopped, launch tries again until startTimeout.
func (s *Server) launch() error {
	for deadline := time.Now().Add(startTimeout); ; {
		err := s.tryLaunch(deadline)
		if err == nil || !strings.Contains(err.Error(), "EADDRINUSE") || time.Now().After(deadline) {
			return err
		}
	}
}

func (s *Server) tryLaunch(deadline time.Time) error {
	script := filepath.Join(s.root, "node_modules", "azurite", "dist", "src", "azurite.js")
	if _, err := os.Stat(script); err != nil {
		return fmt.Errorf("%w (looked for %s)", errMissing, script)
	}
	args := []string{"--import", watchParent, script, "--silent", "--disableTelemetry", "--inMemoryPersistence"}
	if s.location != "" {
		args = append(args[:len(args)-1], "--location", s.location)
	}
	for _, service := range []string{"Blob", "Queue", "Table"} {
		args = append(args, "--"+strings.ToLower(service)+"Port", cmp.Or(s.ports[service], "0"))
	}
	cmd := exec.Command("node", args...)
	// Azurite creates its location, which by default is the working directory.
	cmd.Dir = os.TempDir()
	cmd.Env = append(os.Environ(), "AZURITE_ACCOUNTS="+accounts())
	// Wait closes both. The output is not read once it has said the ports: with --silent there
	// is nothing else in it but a last line, for which it must be open.
	_, err := cmd.StdinPipe()
	output, err2 := cmd.StdoutPipe()
	cmd.Stderr = cmd.Stdout
	err = errors.Join(err, err2)
	if err == nil {
		err = cmd.Start()
	}
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%w: %w", errMissing, err)
	}
	if err != nil {
		return err
	}
	s.cmd = cmd
	late := time.AfterFunc(time.Until(deadline), func() { _ = cmd.Process.Kill() }) // fails only if it has ended
	defer late.Stop()
	if err := s.readPorts(output); err != nil {
		return errors.Join(fmt.Errorf("start Azurite: %w", err), s.stop(false))
	}
	return nil
}

// accounts is the value of AZURITE_ACCOUNTS. Azurite has only the accounts in this variable.
func accounts() string {
	var b strings.Builder
	for n := range int64(maxAccounts) {
		fmt.Fprintf(&b, "%s:%s;", accountName(n+1), accountKey)
	}
	return b.String()
}

func accountName(n int64) string { return fmt.Sprintf("test%d", n) }

// readPorts waits until all three services have printed their ports. From then on
// they accept requests.
func (s *Server) readPorts(output io.Reader) error {
	listening := regexp.MustCompile(`Azurite (\w+) service is successfully listening at http://127\.0\.0\.1:(\d+)`)
	var printed strings.Builder
	lines := bufio.NewScanner(io.TeeReader(output, &printed))
	for services := 0; services < 3; {
		if !lines.Scan() {
			return fmt.Errorf("it ended (%v) before all services listened; it printed:\n%s", lines.Err(), printed.String())
		}
		if match := listening.FindStringSubmatch(lines.Text()); match != nil {
			s.ports[match[1]] = match[2]
			services++
		}
	}
	return nil
}

// stop ends the process, if there is one, and waits for its end. With save, Azurite saves its
// data first, for at most stopTimeout. Otherwise it is killed.
func (s *Server) stop(save bool) error {
	if s.cmd == nil {
		return nil
	}
	cmd := s.cmd
	s.cmd = nil
	wait := time.Duration(0)
	if save {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return err
		}
		wait = stopTimeout
	}
	kill := time.AfterFunc(wait, func() { _ = cmd.Process.Kill() }) // fails only if it has ended
	defer kill.Stop()
	err := cmd.Wait()
	var exit *exec.ExitError
	if !save && errors.As(err, &exit) {
		return nil
	}
	return err
}

// skipIfShort leaves a test that needs a server to make test, which runs them all.
func skipIfShort(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("starts Azurite, which make check leaves to make test")
	}
}

// require ends the test if the server could not be started.
func require(tb testing.TB, err error) {
	tb.Helper()
	switch {
	case err == nil:
	case errors.Is(err, errMissing) && os.Getenv("CI") == "":
		tb.Skipf("SKIPPED, NOT TESTED: %v", err)
	default:
		tb.Fatal(err)
	}
}

// Stop ends the process and waits for that. It does nothing to a server that is
// stopped.
func (s *Server) Stop(tb testing.TB) {
	tb.Helper()
	if err := s.stop(s.location != ""); err != nil {
		tb.Errorf("stop Azurite: %v", err)
	}
}

// Restart stops the server if it runs, and starts it again on the same ports. It has
// the same data if that is in a directory, and none if it was in memory.
func (s *Server) Restart(tb testing.TB) {
	tb.Helper()
	require(tb, s.Relaunch())
}

// Relaunch is Restart for a program that is no test.
func (s *Server) Relaunch() error {
	if err := s.stop(s.location != ""); err != nil {
		return fmt.Errorf("stop Azurite: %w", err)
	}
	return s.launch()
}

// Account returns the connection string of an account that was not used before.
// It panics after a thousand accounts of one server.
func (s *Server) Account() string {
	n := s.accounts.Add(1)
	if n > maxAccounts {
		panic(fmt.Sprintf("azuritetest: more than %d accounts of one server", maxAccounts))
	}
	return fmt.Sprintf("DefaultEndpointsProtocol=http;AccountName=%[1]s;AccountKey=%[2]s;"+
		"TableEndpoint=http://127.0.0.1:%[3]s/%[1]s;QueueEndpoint=http://127.0.0.1:%[4]s/%[1]s;",
		accountName(n), accountKey, s.ports["Table"], s.ports["Queue"])
}
