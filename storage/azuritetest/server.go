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
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
)

// A Server is an Azurite that runs, or that was stopped and can be started again on
// the same ports.
type Server struct {
	root string
	// location is the directory of the data; empty means in memory.
	location string
	ports    ports
	// process is nil while the server is stopped.
	process  *process
	accounts atomic.Int64
}

// Start starts an empty Azurite that keeps its data in memory, and stops it
// when the test ends. Where Azurite is not installed, the test is skipped, or
// fails if the environment variable CI is set. With -short, it is skipped.
func Start(tb testing.TB) *Server { return start(tb, "") }

// StartAt is Start for an Azurite that keeps its data in a directory.
func StartAt(tb testing.TB, location string) *Server { return start(tb, location) }

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
var shared = sync.OnceValues(func() (*Server, error) { return newServer("") })

// Launch is Start for a program that is no test. The server runs until Kill, or
// until the program ends.
func Launch() (*Server, error) { return newServer("") }

// Kill ends the process with SIGKILL. Data in memory is lost.
func (s *Server) Kill() {
	if s.process != nil {
		_ = s.process.stop(false) // how it ended does not matter
		s.process = nil
	}
}

func start(tb testing.TB, location string) *Server {
	tb.Helper()
	skipIfShort(tb)
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
	if s.process == nil {
		return
	}
	err := s.process.stop(s.location != "")
	s.process = nil
	if err != nil {
		tb.Errorf("stop Azurite: %v", err)
	}
}

// Restart stops the server if it runs, and starts it again on the same ports. It has
// the same data if that is in a directory, and none if it was in memory.
func (s *Server) Restart(tb testing.TB) {
	tb.Helper()
	s.Stop(tb)
	if err := s.launch(); err != nil {
		tb.Fatal(err)
	}
}

// ConnectionString returns the connection string of the account devstoreaccount1.
// All callers share that account.
func (s *Server) ConnectionString() string {
	return s.connectionString(emulatorAccount, emulatorKey)
}

// Account returns the connection string of an account that nobody has used before.
// It panics after a thousand accounts of one server.
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
