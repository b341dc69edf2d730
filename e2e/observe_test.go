package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
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
	t.Run("each query of the dashboard is sound, and asks for what processes tell", observeDashboard)
}

func observeAlerts(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"check", "rules", "alerts.yml"}, {"test", "rules", "alerts_test.yml"}, {"check", "config", "prometheus.yml"}} {
		check := exec.CommandContext(t.Context(), installed(t, "promtool"), args...)
		check.Dir = filepath.Join(root, "deploy", "prometheus")
		if output, err := check.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, output)
		}
	}
}

// observed starts both roles with an admin listener, makes something happen, and returns
// the address of the listener.
func observed(t *testing.T, s setup) (address string) {
	t.Helper()
	p := s.start(t, "serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--reconcile", "1s")
	address = p.await(t, p.stderr, `admin listener started" address=http://(\S+)`)
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

// observeDashboard gives promtool the queries as if they were rules.
func observeDashboard(t *testing.T) {
	t.Parallel()
	var dashboard struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	ok(t, json.Unmarshal([]byte(readRoot(t, "deploy/grafana/microblogging.json")), &dashboard))
	var rules []map[string]string
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			query := strings.ReplaceAll(target.Expr, "$__rate_interval", "1m")
			rules = append(rules, map[string]string{"record": fmt.Sprint("query:", len(rules)), "expr": query})
		}
	}
	if len(rules) < 30 {
		t.Errorf("%d queries", len(rules))
	}
	text, err := yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "dashboard", "rules": rules}}})
	file := filepath.Join(t.TempDir(), "rules.yml")
	ok(t, errors.Join(err, os.WriteFile(file, text, 0o600)))
	if output, err := exec.CommandContext(t.Context(), installed(t, "promtool"), "check", "rules", file).CombinedOutput(); err != nil {
		t.Errorf("promtool: %v\n%s", err, output)
	}
	embedded := onBolt(t)
	address := observed(t, embedded)
	embedded.mustRun(t, "backup", filepath.Join(t.TempDir(), "backup"), "--admin", "http://"+address)
	expectNames(t, []string{address, observed(t, onAzurite(azuritetest.Shared(t).Account()))})
}

// expectNames expects that a process tells each name that is asked for, and none of a user
// or a channel. A query for a name that no process reports has an empty result.
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
