package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/kong"
	"golang.org/x/net/idna"

	"microblogging/domain"
	"microblogging/worker"
)

// storageFlags say where the tables and queues are.
type storageFlags struct {
	Storage string `enum:"bolt,azure" default:"bolt" help:"The store: bolt (the embedded store, one file) or azure (Azure Table and Queue Storage, or Azurite)."`
	Data    string `default:"./data" help:"The directory of the embedded store. Only one process can use it at a time."`

	AzureConnectionString     string `group:"azure" env:"AZURE_STORAGE_CONNECTION_STRING,MICROBLOGGING_AZURE_CONNECTION_STRING" placeholder:"STRING" help:"The connection string of the storage account. UseDevelopmentStorage=true means Azurite on its default ports."`
	AzureConnectionStringFile string `group:"azure" env:"AZURE_STORAGE_CONNECTION_STRING_FILE,MICROBLOGGING_AZURE_CONNECTION_STRING_FILE" type:"path" placeholder:"FILE" help:"A file that holds the connection string, such as a mounted secret. It overrides --azure-connection-string. It is read once, at the start."`
	AzureTableEndpoint        string `group:"azure" env:"AZURE_STORAGE_TABLE_ENDPOINT,MICROBLOGGING_AZURE_TABLE_ENDPOINT" placeholder:"URL" help:"With the default Azure credential: the URL of the account's tables. Not used with a connection string."`
	AzureQueueEndpoint        string `group:"azure" env:"AZURE_STORAGE_QUEUE_ENDPOINT,MICROBLOGGING_AZURE_QUEUE_ENDPOINT" placeholder:"URL" help:"With the default Azure credential: the URL of the account's queues. Not used with a connection string."`

	Retries  int           `group:"azure" default:"3" within:"0 20" help:"How often a failed request to Azure is sent again, 0 to 20. docs/operating.md says which requests."`
	RetryMin time.Duration `group:"azure" default:"150ms" within:"1ms 1m" help:"The pause before it is sent again for the first time, 1ms to 1m, varied from 0.8 to 1.3 of it. The next pauses are 3, 7, 15 times as long, and so on."`
	RetryMax time.Duration `group:"azure" default:"2s" within:"1ms 1m" help:"The longest pause, 1ms to 1m. If the service asks for a longer one with Retry-After, the request fails immediately."`
}

// checkBounds refuses a number or a duration that is not within the bounds which the tag of its
// flag names. Bounds of the tag "within" are two texts such as "1ms 1m". One with the tag
// "whole" is in whole seconds, as a queue has it.
func checkBounds(flags []*kong.Flag) error {
	for _, flag := range flags {
		low, high, bounded := strings.Cut(flag.Tag.Get("within"), " ")
		if !bounded {
			continue
		}
		var n float64
		if flag.Target.CanInt() {
			n = float64(flag.Target.Int())
		} else {
			n = flag.Target.Float()
		}
		least, errLow := bound(low)
		most, errHigh := bound(high)
		if err := errors.Join(errLow, errHigh); err != nil {
			return err
		}
		if !(n >= least && n <= most) {
			return fmt.Errorf("--%s must be %s to %s, not %v", flag.Name, low, high, flag.Target)
		}
		if flag.Tag.Has("whole") && flag.Target.Int()%int64(time.Second) != 0 {
			return fmt.Errorf("--%s must be whole seconds, not %v", flag.Name, flag.Target)
		}
	}
	return nil
}

// flagMistake says what is wrong with a command line. Some sentences of kong are for programmers.
func flagMistake(err error, args []string) string {
	says := err.Error()
	for words, plain := range map[string]string{
		`: expected .* but got "EOL" \(<EOL>\)$`:         ` needs a value`,
		`: expected a valid \d+ bit int but got (.*)$`:   ` must be a whole number without a unit, not $1`,
		`( must be one of .*?)(?:,"")? but got (".*?")$`: `$1, not $2`,
	} {
		says = regexp.MustCompile(words).ReplaceAllString(says, plain)
	}
	const proxy = "--trust-proxy"
	if at := slices.Index(args, proxy); at >= 0 && at+1 < len(args) && says == "unexpected argument "+args[at+1] {
		says += "; did you mean " + proxy + "=" + args[at+1]
	}
	return says
}

// bound reads a number, or a duration in nanoseconds.
func bound(text string) (float64, error) {
	if d, err := time.ParseDuration(text); err == nil {
		return float64(d), nil
	}
	return strconv.ParseFloat(text, 64)
}

// connectionString returns the connection string of the account, or "" if none is given.
// The one in a file goes before the one on the command line or in the environment. It is
// never in an error, because errors are logged.
func (f storageFlags) connectionString() (string, error) {
	if f.AzureConnectionStringFile == "" {
		return f.AzureConnectionString, nil
	}
	text, err := os.ReadFile(f.AzureConnectionStringFile)
	secret := strings.TrimSpace(string(text))
	if err == nil && (secret == "" || strings.ContainsAny(secret, "\r\n\x00")) {
		err = fmt.Errorf("%s does not hold one line", f.AzureConnectionStringFile)
	}
	if err != nil {
		return "", cannotRunError{fmt.Errorf("--azure-connection-string-file: %w", err)}
	}
	return secret, nil
}

// webFlags are the settings of the web role.
type webFlags struct {
	Listen              string        `default:"127.0.0.1:8080" help:"The address to accept requests on. Port 0 picks a free port."`
	Sample              bool          `help:"If the store is empty, fill it with a few channels. Print a sign-in link for one of the sample's users at each start; it works once."`
	BaseURL             siteURL       `name:"base-url" placeholder:"URL" help:"The address that users see: http://HOST or https://HOST. It is used in links. With https, browsers are told to use https only, also for cookies."`
	SiteName            siteName      `placeholder:"TEXT" help:"What the site is called: one line of at most 60 characters. Its pages, its feeds and the description of the API have this name."`
	SiteAbout           aboutFile     `placeholder:"FILE" help:"A file in Markdown about the site, such as its rules, its privacy policy and its imprint. The page /about shows it, and each page leads there. It is read once, at the start."`
	Contact             contact       `placeholder:"TEXT" help:"Whom to ask, such as an address of mail: one line of at most 200 characters. /about and the page for signing in show it to every visitor."`
	Registration        string        `enum:"open,invited,closed," default:"" placeholder:"open|invited|closed" help:"Who may sign up: open (every visitor), invited (with an invitation of an operator) or closed. Without it, it is open if the program listens on a loopback address and has neither --base-url nor --trust-proxy, and otherwise invited."`
	Operator            []userName    `placeholder:"NAME" help:"A user who may act for the site once they have signed in; may be repeated. An operator removes posts, closes channels and accounts, and makes links for passwords and invitations, on the page /operator and where the owner has these. A name without an account is a warning at the start."`
	WriteRate           float64       `default:"20" within:"0 1000000" help:"How many writes a second one user may make in the long run; 0 for no limit. All users of one address together may make ten times as many. Each process counts for itself."`
	WriteBurst          int           `default:"1000" within:"1 1000000" help:"How many writes one user may make in a burst, after a pause."`
	MaxChannelsPerOwner int           `default:"100" within:"0 10000" help:"About how many channels one user may own and still create another in the browser or by the API; 0 for no limit. An import is not refused."`
	SignUps             int           `default:"100" within:"0 1000000000" help:"How many accounts one client address may make in an hour, counted for all processes; 0 for no limit."`
	AccountDayQuota     int           `default:"20" within:"0 1000000" help:"About how many MB of text one account may store in 24 hours, counted for all processes; 0 for no limit. A post, a reply or a channel counts 1 KiB more than its text. An import is exempt."`
	AddressDayQuota     int           `default:"100" within:"0 1000000" help:"The same for all accounts of one client address together."`
	AccountQuota        int           `default:"100" within:"0 1000000" help:"About how many MB the posts and replies of one account may take in all; 0 for no limit. What is deleted makes room."`
	PageCache           int           `default:"64" within:"0 1000000" help:"How many MB of memory may hold what channels show, their pages and feeds for readers who are not signed in, and their lists of posts for those who are; 0 to read and render each anew. Before any of it is used again, the store is asked whether the channel has changed."`
	TrustProxy          proxyFlag     `help:"Trust the headers X-Forwarded-For and X-Forwarded-Proto of a proxy. Set it only behind a proxy that sets both. With a value such as --trust-proxy=10.0.0.0/8,fd00::/8, trust only the proxies in these networks, also if a request passes several of them. An address is a network of one machine."`
	Undo                time.Duration `default:"30s" within:"0s 5m" help:"How long the owner of a channel can undo its deletion, up to 5m; 0 for not at all. Readers lose the channel immediately."`
	UndoAccount         time.Duration `default:"168h" within:"0s 168h" help:"How long the deletion of an account can be undone, up to 168h; 0 for not at all. Its sessions end immediately."`
	Teach               bool          `help:"For learning: let every visitor see the rows of each channel in the store, and list at the end of each page the storage calls that made it, with links to the lab. It is on with the sample data."`
	NoLab               bool          `help:"Do not serve the lab (/lab), in which readers step through the production code call by call."`
	LogAddresses        bool          `help:"Log the addresses of clients, which are personal data."`
}

// A siteURL is http://HOST or https://HOST, or nil if it is not set.
type siteURL struct{ url *url.URL }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *siteURL) UnmarshalText(text []byte) error {
	if len(text) == 0 { // the variable is there, and empty
		return nil
	}
	u, err := url.Parse(string(text))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.Path != "" && u.Path != "/" {
		return fmt.Errorf("it must be http://HOST or https://HOST, not %q", text)
	}
	if _, err := netip.ParseAddr(u.Hostname()); err != nil {
		sent, err := sentHost(u.Hostname())
		if err != nil {
			return err
		}
		u.Host = strings.Replace(u.Host, u.Hostname(), sent, 1)
	}
	u.Path, s.url = "", u
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (s siteURL) MarshalText() ([]byte, error) {
	if s.url == nil {
		return nil, nil
	}
	return []byte(s.url.String()), nil
}

// A userName is the name of a user. It is empty if the variable is there, and empty.
type userName string

// UnmarshalText implements encoding.TextUnmarshaler.
func (n *userName) UnmarshalText(text []byte) error {
	return parseUnlessEmpty(n, []byte(strings.TrimSpace(string(text))), func(name string) (string, error) {
		parsed, err := domain.ParseUserName(name)
		return string(parsed), err
	})
}

// A siteName is what a site is called. It is empty if it is not set.
type siteName string

// UnmarshalText implements encoding.TextUnmarshaler.
func (n *siteName) UnmarshalText(text []byte) error {
	return parseUnlessEmpty(n, text, domain.ParseSiteName)
}

// A contact says whom to ask. It is empty if it is not set.
type contact string

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *contact) UnmarshalText(text []byte) error {
	return parseUnlessEmpty(c, text, domain.ParseContact)
}

// An aboutFile is the text about the site, which a file holds. It is empty if it is not set.
type aboutFile string

// UnmarshalText implements encoding.TextUnmarshaler. It reads the file of this name.
func (f *aboutFile) UnmarshalText(name []byte) error {
	return parseUnlessEmpty(f, name, func(name string) (string, error) {
		file, err := os.Open(name)
		if err != nil {
			return "", err
		}
		defer file.Close()
		const most = utf8.UTFMax * domain.MaxSiteAbout
		text, err := io.ReadAll(io.LimitReader(file, most+1))
		if err != nil {
			return "", err
		}
		if len(text) > most {
			return "", fmt.Errorf("%s must have at most %d characters", name, domain.MaxSiteAbout)
		}
		about, err := domain.ParseSiteAbout(string(text))
		if err != nil {
			return "", fmt.Errorf("%s %w", name, fieldError(err))
		}
		return about, nil
	})
}

// parseUnlessEmpty parses the value of a flag. An environment variable that is there and empty does not set it.
func parseUnlessEmpty[T, P ~string](to *T, text []byte, parse func(string) (P, error)) error {
	if len(text) == 0 {
		return nil
	}
	parsed, err := parse(string(text))
	*to = T(parsed)
	return fieldError(err)
}

// A channelName is the name of a channel. It is empty if it is not set.
type channelName domain.ChannelName

// UnmarshalText implements encoding.TextUnmarshaler.
func (n *channelName) UnmarshalText(text []byte) error {
	return parseUnlessEmpty(n, text, domain.ParseChannelName)
}

// fieldError is what is wrong with a value, without the name of its field.
func fieldError(err error) error {
	if invalid, ok := errors.AsType[*domain.InvalidError](err); ok {
		return errors.New(invalid.Fields[0].Detail)
	}
	return err
}

// A hostName is the name of a host as browsers send it.
type hostName string

// UnmarshalText implements encoding.TextUnmarshaler.
func (n *hostName) UnmarshalText(text []byte) error {
	sent, err := sentHost(string(text))
	*n = hostName(sent)
	return err
}

// sentHost returns a name of a host as browsers send it: in lower case, and in ASCII.
func sentHost(name string) (string, error) {
	sent, err := idna.New(idna.MapForLookup(), idna.StrictDomainName(false)).ToASCII(name)
	if err != nil || !hostNames.MatchString(sent) {
		return "", fmt.Errorf("%q is not the name of a host such as blogs.example", name)
	}
	return sent, nil
}

// hostNames are what browsers send, and also names with an underscore, as some networks have them.
var hostNames = regexp.MustCompile(`^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$`)

// badName says what is wrong with a name that a flag gives.
func badName(flag string, err error) error {
	return cannotRunError{fmt.Errorf("%s: %w", flag, fieldError(err))}
}

// roleFlags are what all roles share.
type roleFlags struct {
	DrainDelay   time.Duration `default:"0s" within:"0s 24h" help:"How long to keep working after SIGTERM or SIGINT, while /readyz fails so that a load balancer stops sending requests. After that, requests are refused and the work is ended. A second signal ends the process immediately."`
	Host         []hostName    `placeholder:"NAME" help:"A further name of this host, without port; may be repeated. The process answers to IP addresses, localhost, the host of the site's address and these names. Else a page of another site could use it by a name of its own that leads here. Probes are answered under every name."`
	HealthListen string        `placeholder:"ADDR" help:"The address for probes and Prometheus, such as 0.0.0.0:8081: /healthz, /readyz and /metrics. Port 0 picks a free port. It needs no password, so do not publish it. Off by default. Without it and --admin-listen, nothing is measured."`
	AdminListen  string        `placeholder:"ADDR" help:"The address for an operator, such as 127.0.0.1:8082: what --health-listen answers, /debug/pprof/ for profiles, and what commands with --admin ask for. Port 0 picks a free port. Anybody who reaches it may read metrics and profiles and needs no password, so do not publish it; commands need the secret of the file admin-secret in the data directory, and must run on the same machine. Off by default."`
	LogFormat    string        `enum:"text,json" default:"text" help:"The format of the log on standard error: text or json."`
	LogLevel     string        `enum:"debug,info,warn,error" default:"info" help:"The lowest level that is logged: debug, info, warn or error."`
}

// leaseFlags are what worker and check share.
type leaseFlags struct {
	Lease time.Duration `default:"30s" within:"1s 12h" whole:"" help:"How long a message is invisible to other workers, in whole seconds. The worker renews it while it works. A deletion that shows no progress for three leases counts as stalled."`
}

// workerFlags are the settings of the worker role.
type workerFlags struct {
	leaseFlags    `embed:""`
	Reconcile     time.Duration `default:"1m" within:"1ms 8760h" help:"The time between two passes that look for deletions whose message was lost."`
	Concurrency   int           `default:"4" within:"1 256" help:"How many messages to handle concurrently, 1 to 256."`
	MaxAttempts   int           `default:"5" within:"1 1000000" help:"After how many failed attempts a message is poisoned: given up until an operator requeues it. An attempt that removed rows does not count."`
	KeepDeletions time.Duration `default:"2160h" within:"24h 87600h" help:"How long the record of a deletion is kept after it has ended, 24h to 87600h. A restore can repeat only deletions that have a record, so keep them longer than backups."`
	Slow          time.Duration `default:"0s" within:"0s 1m" help:"For learning: how long to wait before each step of a deletion, up to 1m, so that you can watch the steps on its page and kill the process between two of them."`
}

// options returns the settings of a worker.
func (f workerFlags) options(log *slog.Logger) worker.Options {
	return worker.Options{
		Lease:         f.Lease,
		Reconcile:     f.Reconcile,
		Concurrency:   f.Concurrency,
		MaxAttempts:   f.MaxAttempts,
		KeepDeletions: f.KeepDeletions,
		Slow:          f.Slow,
		Log:           log,
	}
}

// A proxyFlag says whose X-Forwarded-For and X-Forwarded-Proto are trusted. Without a
// value it is the peer of every connection. A value is a list of networks, or a boolean:
// an environment variable has no other way to set the flag without a value.
type proxyFlag struct {
	any      bool
	networks []netip.Prefix
}

// IsBool tells kong that the flag needs no value.
func (f *proxyFlag) IsBool() bool { return true }

// Decode is called by kong.
func (f *proxyFlag) Decode(ctx *kong.DecodeContext) error {
	*f = proxyFlag{any: true}
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	value := ctx.Scan.Pop().String()
	var err error
	if f.any, err = strconv.ParseBool(value); err == nil {
		return nil
	}
	for text := range strings.SplitSeq(value, ",") {
		network, err := parseNetwork(strings.TrimSpace(text))
		if err != nil {
			return fmt.Errorf("%q is no address or network such as ::1, 10.0.0.0/8 or fd00::/8", text)
		}
		f.networks = append(f.networks, network)
	}
	return nil
}

// parseNetwork reads a network, or the address of one machine.
func parseNetwork(text string) (netip.Prefix, error) {
	if address, err := netip.ParseAddr(text); err == nil {
		address = address.Unmap()
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	network, err := netip.ParsePrefix(text)
	return network.Masked(), err
}
