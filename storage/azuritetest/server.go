// Package azuritetest starts a real Azurite for tests.
//
// An Azurite is a process of its own on free ports of the loopback interface.
// It lives no longer than the test binary, however that ends: it watches a pipe
// that only the binary holds open, so that a panic, a timeout or kill -9 leaves
// nothing behind. Starting one takes about a second, so tests that need no more
// than an empty store share one ([Shared]) and take an account each
// ([Server.Account]); accounts see nothing of each other.
//
// Azurite is not a durable store: one that keeps its data in a directory
// ([StartAt]) loses the last seconds before a kill, but nothing when it is
// stopped by [Server.Stop].
package azuritetest

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
)

// A Server is an Azurite process, or one that was stopped and can be started
// again on the same ports.
type Server struct {
	root string
	// location is where the data is kept; empty means in memory.
	location string
	ports    ports
	// process is nil while the server is stopped.
	process  *process
	accounts atomic.Int64
}

// Start starts an empty Azurite that keeps its data in memory, and stops it
// when the test ends. Where Azurite is not installed, the test is skipped, or
// fails if the environment variable CI is set.
func Start(tb testing.TB) *Server { return start(tb, "") }

// StartAt is Start for an Azurite that keeps its data in a directory.
func StartAt(tb testing.TB, location string) *Server { return start(tb, location) }

// Shared is the one Azurite that all tests of a binary may use at once, through
// an Account each. It must not be stopped.
func Shared(tb testing.TB) *Server {
	tb.Helper()
	server, err := shared()
	require(tb, err)
	return server
}

// shared is process-wide state on purpose: what it guards is a process too.
var shared = sync.OnceValues(func() (*Server, error) { return newServer("") })

// Launch is Start for a program that is no test. Who launches it ends it by Kill,
// or by ending.
func Launch() (*Server, error) { return newServer("") }

// Kill ends the process and loses what it kept in memory.
func (s *Server) Kill() {
	if s.process != nil {
		_ = s.process.stop(false) // nobody depends on how it ends
		s.process = nil
	}
}

func start(tb testing.TB, location string) *Server {
	tb.Helper()
	server, err := newServer(location)
	require(tb, err)
	tb.Cleanup(func() { server.Stop(tb) })
	return server
}

func newServer(location string) (*Server, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	s := &Server{root: root, location: location}
	return s, s.launch()
}

// require ends the test if there is no server to be had.
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
	if s.process == nil {
		return
	}
	err := s.process.stop(s.location != "")
	s.process = nil
	if err != nil {
		tb.Errorf("stop Azurite: %v", err)
	}
}

// Restart stops the server if it runs and starts it again on the same ports:
// empty if it kept its data in memory, else with the same data.
func (s *Server) Restart(tb testing.TB) {
	tb.Helper()
	s.Stop(tb)
	if err := s.launch(); err != nil {
		tb.Fatal(err)
	}
}

// ConnectionString reaches the account devstoreaccount1, which all callers of
// this method share.
func (s *Server) ConnectionString() string {
	return s.connectionString(emulatorAccount, emulatorKey)
}

// Account is the connection string of an account that nobody has used before.
func (s *Server) Account() string {
	n := s.accounts.Add(1)
	if n > maxAccounts {
		panic(fmt.Sprintf("azuritetest: more than %d accounts of one server", maxAccounts))
	}
	return s.connectionString(accountName(n), accountKey)
}

func (s *Server) connectionString(account, key string) string {
	return fmt.Sprintf("DefaultEndpointsProtocol=http;AccountName=%[1]s;AccountKey=%[2]s;"+
		"TableEndpoint=http://127.0.0.1:%[3]s/%[1]s;QueueEndpoint=http://127.0.0.1:%[4]s/%[1]s;",
		account, key, s.ports.table, s.ports.queue)
}
