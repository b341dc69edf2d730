package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"time"

	"golang.org/x/net/netutil"
	"golang.org/x/sync/errgroup"

	"microblogging/domain"
	"microblogging/lab/page"
	"microblogging/storage"
	"microblogging/web"
)

const (
	// readHeaderTime and readTime bound how long a request may take to arrive. A
	// client that sends a byte now and then would hold a connection without end.
	readHeaderTime = 10 * time.Second
	readTime       = 30 * time.Second
	idleTime       = 2 * time.Minute
	// maxHeader is how many bytes of headers a request may have, about: a long query of the
	// lab and the cookies of a host with several sites.
	maxHeader = 32 << 10
	// writeTime bounds what the HTTP server itself sends. The web role sets deadlines
	// for each of its responses; this one is later than any of them begins.
	writeTime = time.Minute
	// drainTime is how long requests under way may take to end.
	drainTime = 10 * time.Second
)

// options returns the settings of the web role.
func (f webFlags) options() web.Options {
	return web.Options{
		Undo:                f.Undo,
		UndoAccount:         f.UndoAccount,
		BaseURL:             f.BaseURL.url,
		TrustProxy:          f.TrustProxy.any,
		TrustedNetworks:     f.TrustProxy.networks,
		WriteRate:           f.WriteRate,
		WriteBurst:          f.WriteBurst,
		MaxChannelsPerOwner: f.MaxChannelsPerOwner,
		SignUps:             f.SignUps,
		Quotas:              web.Quotas{AccountDay: int64(f.AccountDayQuota) * 1e6, AddressDay: int64(f.AddressDayQuota) * 1e6, Account: int64(f.AccountQuota) * 1e6},
		PageCache:           int64(f.PageCache) * 1e6,
		LogAddresses:        f.LogAddresses,
		Teach:               f.Teach || f.Sample,
		SiteName:            string(f.SiteName),
		SiteAbout:           string(f.SiteAbout),
		Contact:             string(f.Contact),
		Operators:           f.operators(),
		Version:             buildVersion(),
	}
}

// serve starts the web role in the group and prints its address.
func (f webFlags) serve(ctx context.Context, console *console, log *slog.Logger, b *backend, hosts web.Hosts, at net.Listener, run *errgroup.Group) error {
	options := f.options()
	options.Hosts, options.Registration = hosts, f.registration(ctx, at.Addr(), log)
	options.Logger, options.Stopping, options.Draining, options.Alive = log, ctx.Done(), b.draining, b.health
	if !f.NoLab {
		options.Routes = page.New().Routes()
	}
	if b.told != nil {
		options.Observer = b.told
	}
	if b.embedded != nil {
		options.LastBackup = b.embedded.LastBackup
	}
	handler, err := web.New(b.Store, options)
	if err != nil {
		return err
	}
	lookForLeaving(ctx, b.Store, log)
	run.Go(func() error {
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(leavingEvery):
				lookForLeaving(ctx, b.Store, log)
			}
		}
	})
	token := ""
	if f.Sample {
		// Before the first request: a stop that comes later fails no write.
		if token, err = openSample(ctx, b.Parts); err != nil {
			return err
		}
	}
	run.Go(func() error {
		lookForOperators(ctx, b.Store, options.Operators, log)
		return nil
	})
	server := newServer(handler, log)
	server.ConnState = web.LimitConnections(f.TrustProxy.any, f.TrustProxy.networks)
	serveHTTP(ctx, server, bufferedListener{at}, drainTime, log, run)
	address := publicAddress(at.Addr())
	// One write, so that a reader who needs the first line alone has no second one to take.
	said := fmt.Sprintf("listening on %s\n", address)
	for _, other := range otherAddresses(at.Addr()) {
		said += fmt.Sprintf("for devices on the same network: %s\n", other)
	}
	if token != "" {
		said += fmt.Sprintf("sign in as %s, once: %s/sign-in/link?token=%s\nthe next start prints another link\n", sampleUsers()[0], address, token)
	}
	fmt.Fprintf(console.stdout, "%sprocess %d\n", said, os.Getpid())
	return nil
}

// registration is who may sign up, if the process listens at that address. Others than the operator may reach a
// site that is not on a loopback address alone, or that a proxy publishes. So there the operator must say that
// every visitor may.
func (f webFlags) registration(ctx context.Context, at net.Addr, log *slog.Logger) domain.Registration {
	if f.Registration != "" {
		return domain.Registration(f.Registration)
	}
	address, err := netip.ParseAddrPort(at.String())
	local := err == nil && address.Addr().Unmap().IsLoopback()
	if local && f.BaseURL.url == nil && !f.TrustProxy.any && len(f.TrustProxy.networks) == 0 {
		return domain.RegistrationOpen
	}
	log.WarnContext(ctx, "others may reach this site, so only who has an invitation can sign up: set --registration to open, invited or closed")
	return domain.RegistrationInvited
}

// operators are the names of the flag, each in small letters.
func (f webFlags) operators() (names domain.Operators) {
	for _, name := range f.Operator {
		if name != "" { // the variable is there, and empty
			names = append(names, domain.UserName(name))
		}
	}
	return names
}

// lookForOperators warns of each operator who has no account.
func lookForOperators(ctx context.Context, store *storage.Store, operators domain.Operators, log *slog.Logger) {
	for _, name := range operators {
		user, err := store.Accounts.Get(ctx, name)
		switch {
		case errors.Is(err, domain.ErrNotFound):
			log.WarnContext(ctx, "operator has no account: create it with the command user create", "operator", name)
		case err != nil && ctx.Err() == nil:
			log.WarnContext(ctx, "could not read the account of an operator", "operator", name, "error", err)
		case user.Leaves():
			log.WarnContext(ctx, "account of an operator is being deleted", "operator", name)
		}
	}
}

// leavingEvery is how often the web role reads which accounts are being deleted: another process
// may have accepted that.
const leavingEvery = 5 * time.Second

// lookForLeaving reads that once. A store that does not answer delays the start no longer than this.
func lookForLeaving(ctx context.Context, store *storage.Store, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, leavingEvery)
	defer cancel()
	if err := store.Accounts.FindLeaving(ctx); err != nil && ctx.Err() == nil {
		log.WarnContext(ctx, "could not read which accounts are being deleted", "error", err)
	}
}

// listen listens at the address of a flag.
func listen(flag, address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, cannotRunError{fmt.Errorf("%s: %w", flag, err)}
	}
	return listener, nil
}

// A bufferedListener bounds what the kernel keeps of answers for each connection. Otherwise it keeps megabytes
// for each client that does not read.
type bufferedListener struct{ net.Listener }

// Accept implements net.Listener.
func (l bufferedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(web.ConnectionBuffer) // it fails if the client has closed the connection
	}
	return conn, err
}

// newServer returns a server that waits for no client for long. What takes long sets a deadline of
// its own.
func newServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTime,
		ReadTimeout:       readTime,
		WriteTimeout:      writeTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// serveHTTP serves in the group until ctx ends. Then it waits until the requests under way
// end, and cuts off those that do not end in time: a client that sends or reads nothing must
// not decide how the process ends.
func serveHTTP(ctx context.Context, server *http.Server, listener net.Listener, patience time.Duration, log *slog.Logger, run *errgroup.Group) {
	limited := limitHeaderLines(server, netutil.LimitListener(listener, web.MaxConnections))
	run.Go(func() error {
		err := server.Serve(limited)
		if errors.Is(err, http.ErrServerClosed) {
			return nil
		}
		return err
	})
	run.Go(func() error {
		<-ctx.Done()
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		err := server.Shutdown(drain)
		if errors.Is(err, context.DeadlineExceeded) {
			log.WarnContext(ctx, "requests did not end in time and are cut off", "after", patience)
			err = server.Close()
		}
		return err
	})
}

// publicAddress returns the URL of a listener. The host is 127.0.0.1 if it listens
// on every address.
func publicAddress(address net.Addr) string {
	host, port, err := net.SplitHostPort(address.String())
	if err != nil {
		return "http://" + address.String()
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// otherAddresses returns the URLs under which other devices may reach a listener: those of each address of this machine
// if it listens on every address, and none otherwise, because the listener's own address says it.
func otherAddresses(address net.Addr) (urls []string) {
	tcp, ok := address.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return nil
	}
	local, _ := net.InterfaceAddrs() // without them, only the operator knows the addresses
	for _, a := range local {
		network, ok := a.(*net.IPNet)
		if !ok || network.IP.IsLoopback() || network.IP.IsLinkLocalUnicast() || tcp.IP.To4() != nil && network.IP.To4() == nil {
			continue
		}
		urls = append(urls, "http://"+net.JoinHostPort(network.IP.String(), strconv.Itoa(tcp.Port)))
	}
	return urls
}
