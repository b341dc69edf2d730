package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"microblogging/storage/azuritetest"
)

// The alerts and the dashboard in deploy/ are held against the Prometheus of Debian.
func TestObserve(t *testing.T) {
	t.Parallel()
	t.Run("the alerts are sound, and fire when they should", observeAlerts)
	t.Run("a real Prometheus answers every query of the dashboard", observeDashboard)
}

// debian returns a program of Debian's package prometheus.
func debian(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("SKIPPED, NOT TESTED: %s is not installed", name)
	}
	return path
}

func observeAlerts(t *testing.T) {
	t.Parallel()
	promtool := debian(t, "promtool")
	for _, args := range [][]string{{"check", "rules", "alerts.yml"}, {"test", "rules", "alerts_test.yml"}, {"check", "config", "prometheus.yml"}} {
		check := exec.CommandContext(t.Context(), promtool, args...)
		check.Dir = filepath.Join(root, "deploy", "prometheus")
		if output, err := check.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, output)
		}
	}
}

// A panel is what the tests read of a panel of the dashboard.
type panel struct {
	Type, Title string
	Targets     []struct{ Expr string }
}

func readDashboard(t *testing.T) []panel {
	t.Helper()
	var dashboard struct{ Panels []panel }
	if err := json.Unmarshal([]byte(readRoot(t, "deploy/grafana/microblogging.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	return dashboard.Panels
}

// observed starts both roles with an admin listener, makes something happen, and returns
// the address of the listener.
func observed(t *testing.T, s setup) (address string) {
	t.Helper()
	p := s.start(t, "serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--reconcile", "1s")
	address = p.await(t, p.stderr, `answering the operator" address=http://(\S+)`)
	reader(p.url).awaitStatus(t, "/readyz", http.StatusOK)
	alice := signUp(t, p.url, "alice")
	alice.createChannel(t, "doomed")
	alice.post(t, "doomed", "hello")
	for range 2 {
		reader(p.url).do(t, "GET", "/channels/doomed", nil, http.StatusOK, nil)
	}
	alice.awaitDeletion(t, alice.deleteChannel(t, "doomed"))
	return address
}

// freeAddress returns an address on which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		err = listener.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return listener.Addr().String()
}

// startPrometheus starts a Prometheus that asks these addresses each second, and returns
// its own.
func startPrometheus(t *testing.T, addresses ...string) string {
	t.Helper()
	program, dir := debian(t, "prometheus"), t.TempDir()
	config, err := yaml.Marshal(map[string]any{
		"global": map[string]any{"scrape_interval": "1s"},
		"scrape_configs": []any{map[string]any{
			"job_name": "microblogging", "static_configs": []any{map[string]any{"targets": addresses}},
		}},
	})
	file := filepath.Join(dir, "prometheus.yml")
	if err := errors.Join(err, os.WriteFile(file, config, 0o600)); err != nil {
		t.Fatal(err)
	}
	// It does not say which port it has, so that it cannot choose one.
	address := freeAddress(t)
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, "--config.file", file,
		"--storage.tsdb.path", filepath.Join(dir, "data"), "--web.listen-address", address)
	cmd.Dir = dir
	launch(t, cmd)
	reader("http://"+address).awaitStatus(t, "/-/ready", http.StatusOK)
	return address
}

// ask returns how many series Prometheus answers.
func ask(t *testing.T, address, query string) (series int, err error) {
	t.Helper()
	var answer struct {
		Status, Error string
		Data          struct{ Result []json.RawMessage }
	}
	reply, err := reader("http://"+address).Send(t.Context(), "GET", "/api/v1/query?query="+url.QueryEscape(query), nil, nil)
	if err == nil {
		err = json.Unmarshal(reply.Body, &answer)
	}
	if err == nil && answer.Status != "success" {
		err = fmt.Errorf("%s: %s", query, answer.Error)
	}
	return len(answer.Data.Result), err
}

func observeDashboard(t *testing.T) {
	t.Parallel()
	debian(t, "prometheus")
	addresses := []string{observed(t, onBolt(t)), observed(t, onAzurite(azuritetest.Shared(t).Account()))}
	expectNames(t, addresses)
	prometheus := startPrometheus(t, addresses...)
	asked := 0
	for _, panel := range readDashboard(t) {
		for _, target := range panel.Targets {
			asked++
			query := strings.ReplaceAll(target.Expr, "$__rate_interval", "1m")
			eventually(t, func() error {
				series, err := ask(t, prometheus, query)
				if err == nil && series == 0 {
					err = fmt.Errorf("%s has no answer: %s", panel.Title, query)
				}
				return err
			})
		}
	}
	if asked < 30 {
		t.Errorf("asked %d queries", asked)
	}
	if series, err := ask(t, prometheus, `up{job="microblogging"} == 1`); err != nil || series != 2 {
		t.Errorf("%d of 2 processes are up, %v", series, err)
	}
}

// expectNames expects that a process tells each name that is asked for, and none of a user
// or a channel. A query for a name that nobody tells is answered, with nothing.
func expectNames(t *testing.T, addresses []string) {
	t.Helper()
	told := ""
	for _, address := range addresses {
		told += string(reader("http://"+address).do(t, "GET", "/metrics", nil, http.StatusOK, nil).Body)
	}
	suffix := regexp.MustCompile(`_(bucket|sum|count)$`)
	for _, file := range []string{"deploy/grafana/microblogging.json", "deploy/prometheus/alerts.yml", "deploy/prometheus/alerts_test.yml"} {
		for _, name := range regexp.MustCompile(`microblogging_[a-z_]+`).FindAllString(readRoot(t, file), -1) {
			if !strings.Contains(told, "# TYPE "+name+" ") && !strings.Contains(told, "# TYPE "+suffix.ReplaceAllString(name, "")+" ") {
				t.Errorf("%s has %s, which no process tells", file, name)
			}
		}
	}
	for _, secret := range []string{"alice", "doomed"} {
		if strings.Contains(told, secret) {
			t.Errorf("the metrics name %s", secret)
		}
	}
}
