package e2e

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"microblogging/e2e/program"
)

// A composeService holds the settings of a service in docker-compose.yml that the
// tests check.
type composeService struct {
	Image       string
	Command     string
	Environment map[string]string
	Ports       []string
	Healthcheck struct{ Test string }
	Deploy      struct{ Replicas int }
	DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
	ReadOnly    bool                                  `yaml:"read_only"`
}

func readCompose(t *testing.T) map[string]composeService {
	t.Helper()
	var file struct{ Services map[string]composeService }
	if err := yaml.Unmarshal([]byte(readRoot(t, "docker-compose.yml")), &file); err != nil {
		t.Fatal(err)
	}
	return file.Services
}

func TestCompose(t *testing.T) {
	t.Parallel()
	t.Run("docker-compose accepts the file", composeAcceptsFile)
	t.Run("the services of the file work together", composeServicesWorkTogether)
}

func composeAcceptsFile(t *testing.T) {
	t.Parallel()
	compose, err := exec.LookPath("docker-compose")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("SKIPPED, NOT TESTED: docker-compose is not installed")
	}
	check := exec.CommandContext(t.Context(), compose, "config", "--quiet")
	check.Dir = root
	if output, err := check.CombinedOutput(); err != nil {
		t.Errorf("docker-compose config: %v\n%s", err, output)
	}
}

// This comes as close to docker-compose as possible without a Docker engine. It
// runs every service's command as it is written, with the binary of the image and
// the npm package of the Azurite image. It replaces only what containers would
// provide: host names, ports and the volume.
func composeServicesWorkTogether(t *testing.T) {
	t.Parallel()
	services := readCompose(t)
	azurite := startComposeAzurite(t, services["azurite"])
	image := buildAsDockerDoes(t)

	web, worker := services["web"], services["worker"]
	if !slices.Contains(web.Ports, "8080:8080") || !strings.Contains(web.Command, "0.0.0.0:8080") {
		t.Fatalf("%q with ports %q does not serve on 8080", web.Command, web.Ports)
	}
	if worker.Deploy.Replicas != 2 {
		t.Fatalf("%d workers, want 2", worker.Deploy.Replicas)
	}
	processes := []*process{startComposeRole(t, image, web, azurite)}
	for range worker.Deploy.Replicas {
		p := startComposeRole(t, image, worker, azurite)
		p.await(t, p.stderr, "worker started")
		processes = append(processes, p)
	}

	visitor := reader(processes[0].url)
	visitor.awaitStatus(t, "/readyz", 200)
	alice := signUp(t, visitor.URL, "alice")
	alice.createChannel(t, "doomed")
	alice.post(t, "doomed", "hello")
	alice.awaitDeletion(t, alice.deleteChannel(t, "doomed"))
	for _, p := range processes {
		p.endCleanly(t)
		expectEmpty(t, p.Dir())
	}
}

// startComposeAzurite starts the azurite service. It returns a replacer from the
// service's addresses in the file to its addresses here.
func startComposeAzurite(t *testing.T, service composeService) *strings.Replacer {
	t.Helper()
	arguments := strings.Fields(service.Command)
	if arguments[0] != "azurite" {
		t.Fatalf("%q does not start Azurite", service.Command)
	}
	for i, argument := range arguments {
		switch argument {
		case "0.0.0.0":
			arguments[i] = "127.0.0.1"
		case "/data":
			arguments[i] = t.TempDir()
		}
	}
	arguments = append(arguments[1:], "--blobPort", "0", "--queuePort", "0", "--tablePort", "0")
	p := launch(t, exec.Command("node", append([]string{azuriteScript(t, service.Image)}, arguments...)...))
	queue := p.await(t, &p.Stdout, `Queue service is successfully listening at http://(127\.0\.0\.1:\d+)`)
	table := p.await(t, &p.Stdout, `Table service is successfully listening at http://(127\.0\.0\.1:\d+)`)
	here := strings.NewReplacer("azurite:10001", queue, "azurite:10002", table,
		"127.0.0.1 10001", queue, "127.0.0.1 10002", table)
	expectHealthy(t, here.Replace(service.Healthcheck.Test), queue, table)
	return here
}

// azuriteScript finds the npm package, which must have the version of the image.
func azuriteScript(t *testing.T, image string) string {
	t.Helper()
	module := filepath.Join(root, "node_modules", "azurite")
	manifest, err := os.ReadFile(filepath.Join(module, "package.json"))
	if errors.Is(err, os.ErrNotExist) && os.Getenv("CI") == "" {
		t.Skip("SKIPPED, NOT TESTED: Azurite is not installed; run npm ci")
	}
	if err != nil {
		t.Fatal(err)
	}
	_, version, _ := strings.Cut(image, ":")
	if !regexp.MustCompile(`"version":\s*"` + regexp.QuoteMeta(version) + `"`).Match(manifest) {
		t.Fatalf("the image is %s, but node_modules has another version", image)
	}
	return filepath.Join(module, "dist", "src", "azurite.js")
}

// expectHealthy expects a health check that connects to each address with BusyBox's
// nc -z. It connects itself, since nc may be missing here.
func expectHealthy(t *testing.T, check string, addresses ...string) {
	t.Helper()
	var want []string
	for _, address := range addresses {
		want = append(want, "nc -z "+address)
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
	if check != strings.Join(want, " && ") {
		t.Errorf("the health check is %q", check)
	}
}

// startComposeRole starts a service that runs the binary of the image.
func startComposeRole(t *testing.T, image string, service composeService, here *strings.Replacer) *process {
	t.Helper()
	if service.DependsOn["azurite"].Condition != "service_healthy" || !service.ReadOnly {
		t.Errorf("%q does not wait for a healthy Azurite, or may write files", service.Command)
	}
	s := setup{program.Setup{Binary: image}}
	for name, value := range service.Environment {
		s.Environment = append(s.Environment, name+"="+here.Replace(value))
	}
	command := strings.ReplaceAll(service.Command, "0.0.0.0:8080", "127.0.0.1:0")
	return s.start(t, strings.Fields(command)...)
}

// expectEmpty stands in for a root file system that is read-only.
func expectEmpty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 0 {
		t.Errorf("%v was written to the working directory (%v)", entries, err)
	}
}
