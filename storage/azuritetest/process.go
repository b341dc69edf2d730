package azuritetest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

const (
	startTimeout = time.Minute
	stopTimeout  = 20 * time.Second

	// The account that every Azurite has. Its key is public: see "Use the Azurite
	// emulator for local Azure Storage development" in Microsoft's documentation.
	emulatorAccount = "devstoreaccount1"
	emulatorKey     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

	maxAccounts = 1000
	accountKey  = "dGVzdA=="
)

// watchParent ends Azurite when its standard input ends. It is unreferenced, so that
// it does not keep an Azurite running that was told to stop.
const watchParent = `data:text/javascript,process.stdin.on("end",()=>process.exit()).resume().unref()`

var errMissing = errors.New("no Azurite is installed: run `npm ci` beside package.json (Node 20 or newer)")

// ports are the ports of the three services, as Azurite prints them. An empty one
// has not been chosen yet.
type ports struct{ blob, queue, table string }

// A process is an Azurite that accepts requests.
type process struct {
	cmd *exec.Cmd
	// lifeline is the other end of its standard input, see watchParent. output stays
	// open until the end: Azurite prints a last line and would fail on a closed pipe.
	// Nobody reads output, since with --silent there is nothing else in it.
	lifeline, output *os.File
}

// moduleRoot returns the folder with go.mod, above the working directory.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod above the working directory")
		}
		dir = parent
	}
}

// launch starts the process on the server's ports, and remembers the ports that
// Azurite chose. If another process took a port while the server was stopped,
// launch tries again until startTimeout.
func (s *Server) launch() error {
	deadline := time.Now().Add(startTimeout)
	for {
		p, given, err := startProcess(s.root, s.location, s.ports, deadline)
		if err == nil {
			s.process, s.ports = p, given
			return nil
		}
		if !strings.Contains(err.Error(), "EADDRINUSE") || time.Now().After(deadline) {
			return err
		}
	}
}

func startProcess(root, location string, wanted ports, deadline time.Time) (*process, ports, error) {
	cmd, err := command(root, location, wanted)
	if err != nil {
		return nil, ports{}, err
	}
	stdin, lifeline, err := os.Pipe()
	if err != nil {
		return nil, ports{}, err
	}
	output, stdout, err := os.Pipe()
	if err != nil {
		return nil, ports{}, errors.Join(err, stdin.Close(), lifeline.Close())
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stdout
	p := &process{cmd: cmd, lifeline: lifeline, output: output}
	err = errors.Join(cmd.Start(), stdin.Close(), stdout.Close())
	if err != nil {
		return nil, ports{}, errors.Join(err, lifeline.Close(), output.Close())
	}
	given, err := readPorts(output, deadline)
	if err != nil {
		return nil, ports{}, errors.Join(fmt.Errorf("start Azurite: %w", err), p.stop(false))
	}
	return p, given, nil
}

func command(root, location string, wanted ports) (*exec.Cmd, error) {
	script := filepath.Join(root, "node_modules", "azurite", "dist", "src", "azurite.js")
	if _, err := os.Stat(script); err != nil {
		return nil, fmt.Errorf("%w (looked for %s)", errMissing, script)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errMissing, err)
	}
	args := []string{
		"--import", watchParent, script, "--silent", "--disableTelemetry",
		"--blobPort", orZero(wanted.blob), "--queuePort", orZero(wanted.queue), "--tablePort", orZero(wanted.table),
	}
	if location == "" {
		args = append(args, "--inMemoryPersistence")
	} else {
		args = append(args, "--location", location)
	}
	cmd := exec.Command(node, args...)
	// Azurite creates its location, which by default is the working directory.
	cmd.Dir = os.TempDir()
	cmd.Env = append(os.Environ(), "AZURITE_ACCOUNTS="+accounts())
	return cmd, nil
}

func orZero(port string) string {
	if port == "" {
		return "0"
	}
	return port
}

// accounts is the value of AZURITE_ACCOUNTS. It names the emulator's account, too:
// Azurite has only the accounts in this variable.
func accounts() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%s;", emulatorAccount, emulatorKey)
	for n := range int64(maxAccounts) {
		fmt.Fprintf(&b, "%s:%s;", accountName(n+1), accountKey)
	}
	return b.String()
}

func accountName(n int64) string { return fmt.Sprintf("test%d", n) }

// readPorts waits until all three services have printed their ports. From then on
// they accept requests.
func readPorts(output *os.File, deadline time.Time) (ports, error) {
	if err := output.SetReadDeadline(deadline); err != nil {
		return ports{}, err
	}
	listening := regexp.MustCompile(`Azurite (\w+) service is successfully listening at http://127\.0\.0\.1:(\d+)`)
	var p ports
	var printed strings.Builder
	lines := bufio.NewScanner(io.TeeReader(output, &printed))
	for p.blob == "" || p.queue == "" || p.table == "" {
		if !lines.Scan() {
			err := lines.Err()
			if err == nil {
				err = errors.New("it ended")
			}
			return ports{}, fmt.Errorf("%w before all services listened; it printed:\n%s", err, printed.String())
		}
		switch match := listening.FindStringSubmatch(lines.Text()); {
		case match == nil:
		case match[1] == "Blob":
			p.blob = match[2]
		case match[1] == "Queue":
			p.queue = match[2]
		case match[1] == "Table":
			p.table = match[2]
		}
	}
	return p, nil
}

// stop ends the process and waits for its end. With save, Azurite saves its data
// first, for at most stopTimeout. Otherwise it is killed.
func (p *process) stop(save bool) error {
	kill := func() { _ = p.cmd.Process.Kill() } // fails only if it has ended
	if save {
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return err
		}
		timer := time.AfterFunc(stopTimeout, kill)
		defer timer.Stop()
	} else {
		kill()
	}
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if !save && errors.As(err, &exit) {
		err = nil
	}
	return errors.Join(err, p.lifeline.Close(), p.output.Close())
}
