package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"microblogging/e2e/program"
	"microblogging/storage/azuritetest"
)

// A composeService holds the settings of a service in docker-compose.yml that the
// tests check.
type composeService struct {
	Command     string
	Environment map[string]string
	Ports       []string
	Volumes     []string
	Healthcheck struct {
		Test command
	}
	Deploy      struct{ Replicas int }
	DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
	ReadOnly    bool                                  `yaml:"read_only"`
	CapDrop     []string                              `yaml:"cap_drop"`
	SecurityOpt []string                              `yaml:"security_opt"`
	MemLimit    string                                `yaml:"mem_limit"`
}

// A command is a line for a shell, or a list that begins with CMD.
type command []string

// UnmarshalYAML takes a line for a list of one.
func (c *command) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*c = command{node.Value}
		return nil
	}
	return node.Decode((*[]string)(c))
}

func readCompose(t *testing.T) map[string]composeService {
	t.Helper()
	var file struct{ Services map[string]composeService }
	ok(t, yaml.Unmarshal([]byte(readRoot(t, "docker-compose.yml")), &file))
	return file.Services
}

func TestCompose(t *testing.T) {
	t.Parallel()
	t.Run("docker-compose accepts the file", composeAcceptsFile)
	t.Run("the services of the file work together", composeServicesWorkTogether)
	t.Run("the embedded store is one container with one volume", composeEmbedded)
	t.Run("no service has privileges, takes all memory, or is reached from another machine", composeIsHard)
}

// The services of the profile observe run programs of others, which have needs of their
// own.
func composeIsHard(t *testing.T) {
	t.Parallel()
	services := readCompose(t)
	for _, name := range []string{"web", "worker", "azurite", "embedded"} {
		service := services[name]
		if !service.ReadOnly || !slices.Equal(service.CapDrop, []string{"ALL"}) ||
			!slices.Equal(service.SecurityOpt, []string{"no-new-privileges:true"}) {
			t.Errorf("%s may write to its image, or has privileges", name)
		}
		if len(service.Healthcheck.Test) == 0 {
			t.Errorf("%s has no health check", name)
		}
	}
	for name, service := range services {
		if service.MemLimit == "" {
			t.Errorf("%s may use all memory of the machine", name)
		}
		for _, port := range service.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s publishes %s to the network", name, port)
			}
		}
	}
}

// composeEmbedded runs the one service with the volume at a place of its own.
func composeEmbedded(t *testing.T) {
	t.Parallel()
	service := readCompose(t)["embedded"]
	if len(service.DependsOn) > 0 || !slices.Equal(service.Volumes, []string{"data:/data"}) ||
		!slices.Equal(service.Ports, []string{"127.0.0.1:8080:8080"}) {
		t.Errorf("it needs %v, %q and %q", service.DependsOn, service.Volumes, service.Ports)
	}
	data := t.TempDir()
	s := setup{program.Setup{Binary: binary, Environment: []string{"MICROBLOGGING_LISTEN=127.0.0.1:0"}}}
	p := s.start(t, strings.Fields(strings.ReplaceAll(service.Command, "/data", data))...)
	expectHealthyRole(t, service, "127.0.0.1:8080", p.url)
	p.endCleanly(t)
	expectEmpty(t, p.Dir())
	if _, err := os.Stat(filepath.Join(data, "microblogging.db")); err != nil {
		t.Error(err)
	}
}

func composeAcceptsFile(t *testing.T) {
	t.Parallel()
	check := exec.CommandContext(t.Context(), installed(t, "docker-compose"), "config", "--quiet")
	check.Dir = root
	if output, err := check.CombinedOutput(); err != nil {
		t.Errorf("docker-compose config: %v\n%s", err, output)
	}
}

// This comes as close to docker-compose as possible without a Docker engine. It
// runs every role's command as it is written. It replaces what containers would provide: host
// names, ports, Azurite, and the binary of the image, which TestImage builds.
func composeServicesWorkTogether(t *testing.T) {
	t.Parallel()
	services := readCompose(t)
	account := azuritetest.Shared(t).Account()

	web, worker := services["web"], services["worker"]
	if !slices.Equal(web.Ports, []string{"127.0.0.1:8080:8080"}) || strings.Contains(web.Command, "--listen") {
		t.Fatalf("%q with ports %q does not serve where the image listens", web.Command, web.Ports)
	}
	if worker.Deploy.Replicas != 2 {
		t.Fatalf("%d workers, want 2", worker.Deploy.Replicas)
	}
	processes := []*process{startComposeRole(t, web, account)}
	for range worker.Deploy.Replicas {
		p := startComposeRole(t, worker, account)
		p.await(t, p.stderr, "worker started")
		expectHealthyRole(t, worker, "127.0.0.1:8081", p.await(t, p.stderr, `health listener started" address=(\S+)`))
		processes = append(processes, p)
	}

	visitor := reader(processes[0].url)
	visitor.awaitStatus(t, "/readyz", 200)
	expectHealthyRole(t, web, "127.0.0.1:8080", visitor.URL)
	alice := signUp(t, visitor.URL, "alice")
	alice.createChannel(t, "doomed")
	alice.post(t, "doomed", "hello")
	alice.awaitDeletion(t, alice.deleteChannel(t, "doomed"))
	for _, p := range processes {
		p.endCleanly(t)
		expectEmpty(t, p.Dir())
	}
}

// expectHealthyRole expects a role that answers at a URL to be healthy by its health
// check, for which it answers at an address of its container.
func expectHealthyRole(t *testing.T, service composeService, address, url string) {
	t.Helper()
	check := service.Healthcheck.Test
	if len(check) < 3 || !slices.Equal(check[:3], command{"CMD", "/microblogging", "health"}) {
		t.Fatalf("the health check is %q", check)
	}
	probe := url + "/readyz"
	switch {
	case len(check) == 4:
		if probe = strings.Replace(check[3], "http://"+address, url, 1); probe == check[3] {
			t.Errorf("the health check asks %s, want %s", probe, address)
		}
	case address != "127.0.0.1:8080":
		t.Error("the health check asks the web role")
	}
	// No proxy is asked, although Go asks one for 0.0.0.0, which is this machine.
	s := setup{program.Setup{Binary: binary, Environment: []string{"HTTP_PROXY=http://127.0.0.1:1"}}}
	s.mustRun(t, "health", strings.Replace(probe, "127.0.0.1", "0.0.0.0", 1))
}

// startComposeRole starts a service that runs the program.
func startComposeRole(t *testing.T, service composeService, account string) *process {
	t.Helper()
	if service.DependsOn["azurite"].Condition != "service_healthy" {
		t.Errorf("%q does not wait for a healthy Azurite", service.Command)
	}
	s := setup{program.Setup{Binary: binary, Environment: []string{"MICROBLOGGING_LISTEN=127.0.0.1:0"}}}
	for name, value := range service.Environment {
		if name == "AZURE_STORAGE_CONNECTION_STRING" {
			if !strings.Contains(value, "QueueEndpoint=http://azurite:10001/") || !strings.Contains(value, "TableEndpoint=http://azurite:10002/") {
				t.Errorf("%q does not lead to the service azurite", value)
			}
			value = account
		}
		s.Environment = append(s.Environment, name+"="+strings.ReplaceAll(value, "0.0.0.0:8081", "127.0.0.1:0"))
	}
	return s.start(t, strings.Fields(service.Command)...)
}

// expectEmpty checks what a read-only root file system would enforce.
func expectEmpty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 0 {
		t.Errorf("%v was written to the working directory (%v)", entries, err)
	}
}
