package main

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A wire is the network between one process and one service. It forwards
// connections, and can delay, hold back and cut them. It listens until it is
// closed: a cut ends connections only.
type wire struct {
	listener net.Listener
	target   string
	// latency is how long it delays what passes.
	latency time.Duration

	// dark is set while every new connection is cut.
	dark atomic.Bool
	// held is locked while requests may not pass.
	held sync.RWMutex
	// trap, unless nil, is closed when the next answer has cut the wire instead of
	// passing.
	trap atomic.Pointer[chan struct{}]

	mu    sync.Mutex
	pairs map[*pair]struct{}
}

// A pair is one connection: the caller's half and the service's.
type pair struct{ caller, service *net.TCPConn }

// newWire makes a wire to a service at host:port, until it is closed.
func newWire(target string, latency time.Duration) (*wire, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &wire{listener: listener, target: target, latency: latency, pairs: map[*pair]struct{}{}}
	go w.accept()
	return w, nil
}

func (w *wire) address() string { return w.listener.Addr().String() }

func (w *wire) close() {
	_ = w.listener.Close() // nothing depends on it any more
	w.cut()
}

func (w *wire) accept() {
	for {
		caller, err := w.listener.Accept()
		if err != nil {
			return // the wire was closed
		}
		service, err := net.Dial("tcp", w.target)
		if err != nil {
			_ = caller.Close() // the caller sees a lost connection, as it should
			continue
		}
		p := &pair{caller.(*net.TCPConn), service.(*net.TCPConn)}
		w.add(p)
		go w.carry(p, p.service, p.caller, w.wait)
		go w.carry(p, p.caller, p.service, w.spring)
	}
}

func (w *wire) add(p *pair) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pairs[p] = struct{}{}
	if w.dark.Load() {
		w.drop(p)
	}
}

// carry copies one direction of a connection until either half ends. It calls
// before each time that it has read something, and passes that on afterwards.
func (w *wire) carry(p *pair, to io.Writer, from io.Reader, before func()) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			before()
			time.Sleep(w.latency)
			_, writeErr := to.Write(buffer[:n])
			err = errors.Join(err, writeErr)
		}
		if err != nil {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.drop(p) // both halves together, as a network failure does
			return
		}
	}
}

func (w *wire) drop(p *pair) {
	if _, there := w.pairs[p]; !there {
		return
	}
	delete(w.pairs, p)
	for _, half := range []*net.TCPConn{p.caller, p.service} {
		_ = half.SetLinger(0) // send a reset, not an orderly end
		_ = half.Close()
	}
}

// cut severs every connection, and reports whether there was one.
func (w *wire) cut() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	had := len(w.pairs) > 0
	for p := range w.pairs {
		w.drop(p)
	}
	return had
}

// darken cuts the wire, and every new connection until light is called.
func (w *wire) darken() (light func()) {
	w.dark.Store(true)
	w.cut()
	return func() { w.dark.Store(false) }
}

// stall holds back what callers send until release is called. Then all of it
// arrives, although the caller may have given up long ago and others have gone on.
func (w *wire) stall() (release func()) {
	w.held.Lock()
	return w.held.Unlock
}

// wait returns when requests may pass.
func (w *wire) wait() {
	w.held.RLock()
	defer w.held.RUnlock()
}

// cutAtAnswer cuts the wire just before the next answer passes: the request took
// effect, and its sender never learns that. If no answer comes in time, it cuts
// the connections that are there. It reports whether anything was cut.
func (w *wire) cutAtAnswer(wait time.Duration) bool {
	trap := make(chan struct{})
	w.trap.Store(&trap)
	if await(context.Background(), trap, wait) {
		return true
	}
	w.trap.Store(nil)
	return w.cut()
}

// spring cuts the wire if a trap is set.
func (w *wire) spring() {
	if trap := w.trap.Swap(nil); trap != nil {
		w.cut()
		close(*trap)
	}
}
