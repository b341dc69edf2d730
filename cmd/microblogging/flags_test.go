package main

import (
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/netip"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"microblogging/storage/drivertest"
	"microblogging/web"
)

// parsed are the flags of a command line.
func parsed(t *testing.T, args ...string) *commands {
	t.Helper()
	flags := &commands{}
	parser, err := kong.New(flags, kong.DefaultEnvars("MICROBLOGGING"), kong.Writers(io.Discard, io.Discard))
	if err == nil {
		_, err = parser.Parse(args)
	}
	ok(t, err)
	return flags
}

// Each flag with a number or a duration has bounds, and each command holds to them before it opens
// a store.
func TestBounds(t *testing.T) { drivertest.Long(bounds)(t) }

func bounds(t *testing.T) {
	parser, err := kong.New(&commands{})
	ok(t, err)
	needs := map[string]string{"import": "--channel news --owner olga ../../go.mod", "copy": "--to bolt:x", "backup": "x", "restore": "x", "user reset": "ada", "user create": "ada", "user close": "ada", "channel close": "news"}
	for _, command := range parser.Model.Leaves(true) {
		for _, flag := range command.Flags {
			if !flag.Target.CanInt() && !flag.Target.CanFloat() {
				continue
			}
			if !flag.Tag.Has("within") {
				t.Errorf("%s --%s has no bounds", command.Name, flag.Name)
				continue
			}
			beyond := []string{"-1", "99999999999"}
			if flag.Target.Type() == reflect.TypeFor[time.Duration]() {
				beyond = []string{"-1s", "100000h"}
			}
			if flag.Tag.Has("whole") {
				beyond = append(beyond, "1500ms")
			}
			for _, value := range beyond {
				dir := t.TempDir() + "/data"
				args := append(strings.Fields(command.Path()+" "+needs[command.Path()]), "--"+flag.Name+"="+value)
				if command.Name != "health" {
					args = append(args, "--data", dir)
				}
				refused(t, exitCannotRun, "--"+flag.Name+" must be ", args...)
				if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%q made a store: %v", args, err)
				}
			}
		}
	}
}

func TestSlowFlag(t *testing.T) {
	flags := parsed(t, "worker", "--slow", "3s").Worker.workerFlags
	if got := flags.options(slog.New(slog.DiscardHandler)).Slow; got != 3*time.Second {
		t.Errorf("a worker waits for %s", got)
	}
}

func TestWebFlags(t *testing.T) {
	of := func(args ...string) web.Options {
		t.Helper()
		return parsed(t, append([]string{"web"}, args...)...).Web.options()
	}
	if o := of(); o.WriteRate != 20 || o.WriteBurst != 1000 || o.MaxChannelsPerOwner != 100 || o.SignUps != 100 || o.PageCache != 64e6 || o.LogAddresses || o.BaseURL != nil {
		t.Errorf("by default: %+v", o)
	}
	if got, want := of().Quotas, (web.Quotas{AccountDay: 20e6, AddressDay: 100e6, Account: 100e6}); got != want {
		t.Errorf("by default: %+v", got)
	}
	if got, want := of("--account-day-quota", "0", "--address-day-quota", "2", "--account-quota", "1000000").Quotas, (web.Quotas{AddressDay: 2e6, Account: 1e12}); got != want {
		t.Errorf("with flags: %+v", got)
	}
	if got := of("--base-url", "").BaseURL; got != nil {
		t.Errorf("no base URL is %v", got)
	}
	o := of("--write-rate", "0", "--write-burst", "5", "--max-channels-per-owner", "0", "--sign-ups=3", "--page-cache=3", "--log-addresses", "--base-url", "https://a.example/")
	if o.WriteRate != 0 || o.WriteBurst != 5 || o.MaxChannelsPerOwner != 0 || o.SignUps != 3 || o.PageCache != 3e6 || !o.LogAddresses || o.BaseURL.String() != "https://a.example" {
		t.Errorf("with flags: %+v", o)
	}
}

func TestHostFlag(t *testing.T) {
	for sentence, c := range map[string]struct {
		args        []string
		environment string
		want        []string
	}{
		"unset it is the host of the address": {[]string{"web", "--base-url=https://Bücher.example:8443"}, "", []string{"xn--bcher-kva.example"}},
		"an empty variable is unset":          {[]string{"serve", "--base-url", "http://[::1]:8080"}, " ", []string{"::1"}},
		"it can be repeated":                  {[]string{"serve", "--host", "My_Web", "--host=bücher.example."}, "", []string{"my_web", "xn--bcher-kva.example"}},
		"the environment lists names":         {[]string{"web"}, "a.example,b.example", []string{"a.example", "b.example"}},
		"a flag wins over the environment":    {[]string{"web", "--host", "c.example"}, "a.example", []string{"c.example"}},
		"the listeners of a worker have it":   {[]string{"worker", "--host=worker"}, "", []string{"worker"}},
	} {
		t.Run(sentence, func(t *testing.T) {
			if c.environment != "" {
				t.Setenv("MICROBLOGGING_HOST", strings.TrimSpace(c.environment))
			}
			flags := parsed(t, c.args...)
			role := map[string]process{
				"serve":  {roleFlags: flags.Serve.roleFlags, web: &flags.Serve.webFlags},
				"web":    {roleFlags: flags.Web.roleFlags, web: &flags.Web.webFlags},
				"worker": {roleFlags: flags.Worker.roleFlags},
			}[c.args[0]]
			if got := role.hosts(); !slices.Equal(got, c.want) {
				t.Errorf("it is %q, want %q", got, c.want)
			}
		})
	}
	for _, wrong := range []string{"http://a.example", "a.example:80", "*.example", "a b", "a/b", ".", "a..b", "a@b", "[::1]"} {
		t.Run("is refused: "+wrong, func(t *testing.T) {
			refused(t, exitCannotRun, "--host: ", "web", "--host="+wrong, "--data", t.TempDir())
		})
	}
	refused(t, exitCannotRun, "--base-url: ", "web", "--base-url=https://*.example", "--data", t.TempDir())
}

func TestFlagMistake(t *testing.T) {
	for line, says := range map[string]string{
		"--account-quota 5MB":           `--account-quota must be a whole number without a unit, not "5MB"`,
		"--registration members":        `--registration must be one of "open","invited","closed", not "members"`,
		"--registration":                "--registration needs a value",
		"--lease":                       "--lease needs a value",
		"--lease 3":                     `--lease: expected duration but got "3"`,
		"--trust-proxy 10.0.0.0/8":      "unexpected argument 10.0.0.0/8; did you mean --trust-proxy=10.0.0.0/8",
		"--log-addresses --teach ::1":   "unexpected argument ::1\n",
		"--trust-proxy --host x ::1":    "unexpected argument ::1\n",
		"--site-name Club --storage x ": `--storage must be one of "bolt","azure", not "x"`,
	} {
		if _, _, errs := program(t, strings.Fields(line)...); !strings.HasPrefix(errs, "microblogging: "+says) {
			t.Errorf("%s: %s", line, errs)
		}
	}
}

func TestTrustProxyFlag(t *testing.T) {
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	machines := []netip.Prefix{netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("10.0.0.7/32"), netip.MustParsePrefix("10.0.0.8/32")}
	for sentence, c := range map[string]struct {
		args        []string
		environment string
		any         bool
		networks    []netip.Prefix
	}{
		"unset it trusts no peer":            {nil, "", false, nil},
		"without a value it trusts the peer": {[]string{"--trust-proxy"}, "", true, nil},
		"false trusts no peer":               {[]string{"--trust-proxy=false"}, "", false, nil},
		"the environment sets it":            {nil, "true", true, nil},
		"the environment unsets it":          {nil, "false", false, nil},
		"the environment names networks":     {nil, "127.0.0.0/8", false, loopback},
		"a flag wins over the environment":   {[]string{"--trust-proxy=false"}, "true", false, nil},
		"it names networks":                  {[]string{"--trust-proxy= 127.0.0.1/8,fd00::/8"}, "", false, append(loopback, netip.MustParsePrefix("fd00::/8"))},
		"it names addresses":                 {[]string{"--trust-proxy=::1,10.0.0.7,::ffff:10.0.0.8"}, "", false, machines},
		"networks replace the environment's": {[]string{"--trust-proxy=127.0.0.0/8"}, "10.0.0.0/8", false, loopback},
	} {
		t.Run(sentence, func(t *testing.T) {
			if c.environment != "" {
				t.Setenv("MICROBLOGGING_TRUST_PROXY", c.environment)
			}
			got := parsed(t, append([]string{"web"}, c.args...)...).Web.options()
			if got.TrustProxy != c.any || !slices.Equal(got.TrustedNetworks, c.networks) {
				t.Errorf("trusts %t and %v", got.TrustProxy, got.TrustedNetworks)
			}
		})
	}
}

// A misspelt variable would be ignored in silence, and check would read another store.
func TestUnknownVariable(t *testing.T) {
	t.Setenv("MICROBLOGGING_DATE", t.TempDir())
	t.Setenv("MICROBLOGGING_LISTEN", "127.0.0.1:0") // of another command
	if _, _, errs := program(t, "check"); !strings.HasPrefix(errs, "microblogging: warning: MICROBLOGGING_DATE ") || strings.Contains(errs, "LISTEN") {
		t.Errorf("says %q", errs)
	}
}

func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{"requ": "requeue\n", "worker --log-format j": "json\n", "serve --health-": "--health-listen\n"} {
		t.Setenv("COMP_LINE", "microblogging "+line)
		t.Setenv("COMP_POINT", strconv.Itoa(len("microblogging "+line)))
		if code, out, errs := program(t); code != exitOK || out != want || errs != "" {
			t.Errorf("%q: exit %d, %q and %q, want %q", line, code, out, errs, want)
		}
	}
	t.Setenv("COMP_LINE", "")
	if code, out, _ := program(t, "completion", "bash"); code != exitOK || !strings.HasPrefix(out, "complete ") {
		t.Errorf("exit %d, %q", code, out)
	}
}

func TestHelp(t *testing.T) {
	t.Run("shows every flag with its environment variable", helpShowsEnvironment)
	t.Run("of the program shows the flags of serve", helpShowsServe)
	t.Run("of a command begins with its own flags, and ends with those of Azure", helpBeginsWithItsOwn)
}

func helpShowsEnvironment(t *testing.T) {
	for _, command := range []string{"serve", "web", "worker", "import", "requeue", "check", "compact", "health"} {
		code, help, _ := program(t, command, "--help")
		if code != exitOK {
			t.Fatalf("%s --help exits with %d", command, code)
		}
		flat := strings.Join(strings.Fields(help), " ")
		for _, flag := range regexp.MustCompile(`--[a-z][a-z-]*`).FindAllString(flat, -1) {
			if flag == "--help" {
				continue
			}
			variable := "$MICROBLOGGING_" + strings.ToUpper(strings.ReplaceAll(flag[2:], "-", "_"))
			if !strings.Contains(flat, variable) {
				t.Errorf("%s --help shows %s without %s", command, flag, variable)
			}
		}
	}
}

func helpBeginsWithItsOwn(t *testing.T) {
	for command, first := range map[string]string{"serve": "listen", "web": "listen", "worker": "lease", "import": "channel", "requeue": "channel", "check": "repair",
		"user reset": "base-url", "backup": "admin", "restore": "deletions", "copy": "from", "compact": "storage"} {
		_, help, _ := program(t, append(strings.Fields(command), "--help")...)
		var order []int
		for _, words := range []string{"--" + first, "--storage", "\nWith Azure or Azurite:\n", "--azure-connection-string", "--retries"} {
			order = append(order, strings.Index(help, words))
		}
		flags := regexp.MustCompile(`(?m)^ +(?:-h, )?--([a-z-]+)`).FindAllStringSubmatch(help, 2)
		if flags[1][1] != first || !slices.IsSorted(order) || order[0] < 0 {
			t.Errorf("%s --help shows\n%s", command, help)
		}
	}
}

func helpShowsServe(t *testing.T) {
	code, help, _ := program(t, "--help")
	if code != exitOK || !strings.Contains(help, "--listen") || !strings.Contains(help, "requeue") {
		t.Errorf("--help exits with %d and shows\n%s", code, help)
	}
}
