package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"microblogging/e2e/program"
)

// deletionQueue is what Azure calls the queue DeleteChannelAndBlogs: its names are lower
// case. Files in deploy/ scale by it.
const deletionQueue = "delete-channel-and-blogs"

// Nothing in deploy/ was run where it is meant for. These tests hold the files against
// the schemas of those places, and their commands against the program.
func TestDeploy(t *testing.T) {
	t.Parallel()
	t.Run("systemd accepts the unit, and exposes little to it", systemdAcceptsUnit)
	t.Run("the unit's command serves and ends", unitCommandServes)
	t.Run("Kubernetes and Container Apps know every field", schemasKnowFields)
	t.Run("the roles start as they are written, and answer their probes", deployedRolesStart)
}

// unitHere returns the path of a unit that names this binary, as the one in deploy/ names
// the one that is installed.
func unitHere(t *testing.T) string {
	t.Helper()
	const installed = "ExecStart=/usr/local/bin/microblogging "
	text := readRoot(t, "deploy/microblogging.service")
	if !strings.Contains(text, installed) {
		t.Fatalf("the unit has no line that begins with %q", installed)
	}
	unit := filepath.Join(t.TempDir(), "microblogging.service")
	ok(t, os.WriteFile(unit, []byte(strings.Replace(text, installed, "ExecStart="+unraced+" ", 1)), 0o600))
	return unit
}

func systemdAcceptsUnit(t *testing.T) {
	t.Parallel()
	analyze := installed(t, "systemd-analyze")
	unit := unitHere(t)
	output, err := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", unit).CombinedOutput()
	// It prints a key that it does not know, and finds the unit well all the same.
	if err != nil || strings.Contains(string(output), unit) {
		t.Errorf("systemd-analyze verify: %v\n%s", err, output)
	}
	// The exposure is from 0 to 10, and the threshold is ten times as much.
	output, err = exec.CommandContext(t.Context(), analyze, "security", "--no-pager", "--offline=true", "--threshold=20", unit).CombinedOutput()
	if err != nil {
		t.Errorf("systemd-analyze security: %v\n%s", err, output)
	}
}

func unitCommandServes(t *testing.T) {
	t.Parallel()
	text := readRoot(t, "deploy/microblogging.service")
	line := regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/microblogging (.*)$`).FindStringSubmatch(text)
	directory := regexp.MustCompile(`(?m)^StateDirectory=(.*)$`).FindStringSubmatch(text)
	if line == nil || directory == nil {
		t.Fatal("the unit has no command or no directory")
	}
	data := t.TempDir()
	arguments := strings.ReplaceAll(line[1], "/var/lib/"+directory[1], data)
	if arguments == line[1] {
		t.Errorf("%q does not use the directory %q", line[1], directory[1])
	}
	s := setup{program.Setup{Binary: unraced, Environment: []string{"MICROBLOGGING_LISTEN=127.0.0.1:0"}}}
	s.start(t, strings.Fields(arguments)...).endCleanly(t)
}

// A deployedRole is what a file in deploy/ says of a container.
type deployedRole struct {
	Args  []string
	Env   []struct{ Name, Value string }
	Ports []struct {
		Name          string
		ContainerPort string `yaml:"containerPort"`
	}
	// Probes are those of Container Apps, and the others those of Kubernetes.
	Probes    []probe
	Liveness  probe `yaml:"livenessProbe"`
	Readiness probe `yaml:"readinessProbe"`
	// grace is how long the container has to end.
	grace time.Duration
}

type probe struct {
	Type    string
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
}

// A deployedTemplate is the part of a deployment that describes its containers.
type deployedTemplate struct {
	Grace      int `yaml:"terminationGracePeriodSeconds"`
	Containers []deployedRole
}

// role returns the one container of the template.
func (d deployedTemplate) role(t *testing.T) deployedRole {
	t.Helper()
	if len(d.Containers) != 1 {
		t.Fatalf("%d containers", len(d.Containers))
	}
	role := d.Containers[0]
	role.grace = time.Duration(d.Grace) * time.Second
	if role.Probes == nil {
		role.Liveness.Type, role.Readiness.Type = "Liveness", "Readiness"
		role.Probes = []probe{role.Liveness, role.Readiness}
	}
	return role
}

// documents decodes each document of a YAML file.
func documents[T any](t *testing.T, text string) (all []T) {
	t.Helper()
	for decoder := yaml.NewDecoder(strings.NewReader(text)); ; {
		var document T
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return all
		}
		ok(t, err)
		all = append(all, document)
	}
}

// secretFile is where both files mount the connection string.
const secretFile = "/run/secrets/storage/connection-string"

// readTemplates returns the roles of both files, by file and role.
func readTemplates(t *testing.T) map[string]deployedRole {
	t.Helper()
	roles := map[string]deployedRole{}
	type object struct {
		Kind string
		Spec struct {
			Template struct{ Spec deployedTemplate }
		}
	}
	for _, document := range documents[object](t, readRoot(t, "deploy/kubernetes.yaml")) {
		if document.Kind == "Deployment" {
			role := document.Spec.Template.Spec.role(t)
			roles["Kubernetes, "+role.Args[0]] = role
		}
	}
	var template struct {
		Resources []struct {
			Properties struct{ Template deployedTemplate }
		}
	}
	text := strings.NewReplacer("[variables('secretFile')]", secretFile,
		"[format('--base-url={0}', parameters('baseUrl'))]", "--base-url=https://example.org").
		Replace(readRoot(t, "deploy/azure-container-apps.json"))
	ok(t, yaml.Unmarshal([]byte(text), &template))
	for _, resource := range template.Resources {
		role := resource.Properties.Template.role(t)
		roles["Container Apps, "+role.Args[0]] = role
	}
	return roles
}

func deployedRolesStart(t *testing.T) {
	t.Parallel()
	roles := readTemplates(t)
	if len(roles) != 4 {
		t.Fatalf("%d roles, want two in each file", len(roles))
	}
	secret := filepath.Join(t.TempDir(), "connection-string")
	const nowhere = "DefaultEndpointsProtocol=http;AccountName=a;AccountKey=YQ==;" +
		"TableEndpoint=http://127.0.0.1:1/a;QueueEndpoint=http://127.0.0.1:1/a"
	ok(t, os.WriteFile(secret, []byte(nowhere+"\n"), 0o600))
	for name, role := range roles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			role.expectStart(t, secret)
		})
	}
	for _, file := range []string{"deploy/kubernetes.yaml", "deploy/azure-container-apps.json"} {
		queues := regexp.MustCompile(`queueName"?: "?([^"\s,]*)`).FindAllStringSubmatch(readRoot(t, file), -1)
		if len(queues) != 1 || queues[0][1] != deletionQueue {
			t.Errorf("%s scales by %q, want the queue %q", file, queues, deletionQueue)
		}
	}
}

var (
	listenArgument = regexp.MustCompile(`^--(listen|health-listen)=0\.0\.0\.0:(\d+)$`)
	drainArgument  = regexp.MustCompile(`^--drain-delay=(\w+)$`)
)

// expectStart starts the role as it is written, on ports of this machine and on a store
// that does not answer.
func (r deployedRole) expectStart(t *testing.T, secret string) {
	t.Helper()
	var arguments []string
	port, stopTime := "", 35*time.Second
	for _, argument := range r.Args {
		if listen := listenArgument.FindStringSubmatch(argument); listen != nil {
			argument = "--" + listen[1] + "=127.0.0.1:0"
			if listen[1] == "health-listen" {
				port = listen[2]
			}
		}
		if drain := drainArgument.FindStringSubmatch(argument); drain != nil {
			delay, err := time.ParseDuration(drain[1])
			ok(t, err)
			stopTime += delay
			argument = "--drain-delay=0s"
		}
		arguments = append(arguments, argument)
	}
	if r.grace <= stopTime {
		t.Errorf("it has %s to end, and may take %s", r.grace, stopTime)
	}
	s := setup{program.Setup{Binary: unraced}}
	for _, variable := range r.Env {
		s.Environment = append(s.Environment, variable.Name+"="+strings.Replace(variable.Value, secretFile, secret, 1))
	}
	if !slices.Contains(s.Environment, "AZURE_STORAGE_CONNECTION_STRING_FILE="+secret) {
		t.Errorf("it reads its secret from %q", s.Environment)
	}
	p := s.start(t, arguments...)
	p.url = p.await(t, p.stderr, `"health listener started","address":"(http:[^"]+)"`)
	paths := map[string]string{"Liveness": "/healthz", "Readiness": "/readyz"}
	for _, probe := range r.Probes {
		at := probe.HTTPGet.Port
		for _, named := range r.Ports {
			if named.Name == at {
				at = named.ContainerPort
			}
		}
		if probe.HTTPGet.Path != paths[probe.Type] || at != port {
			t.Errorf("%s asks %s at port %s, want %s at port %s", probe.Type, probe.HTTPGet.Path, at, paths[probe.Type], port)
		}
		delete(paths, probe.Type)
	}
	if len(paths) > 0 {
		t.Errorf("nothing probes %v", paths)
	}
	reader(p.url).awaitStatus(t, "/healthz", http.StatusOK)
	p.endCleanly(t)
}

// schemaTypes are where the types of each kind of object are: those of Kubernetes and KEDA
// are made from their schemas, those of Container Apps from the description of its API.
var schemaTypes = map[string]string{
	"apps/v1 Deployment":                     "kubernetes-models/apps/v1",
	"v1 Service":                             "kubernetes-models/v1",
	"policy/v1 PodDisruptionBudget":          "kubernetes-models/policy/v1",
	"keda.sh/v1alpha1 ScaledObject":          "@kubernetes-models/keda/keda.sh/v1alpha1",
	"keda.sh/v1alpha1 TriggerAuthentication": "@kubernetes-models/keda/keda.sh/v1alpha1",
	"2025-01-01 Microsoft.App/containerApps": "@azure/arm-appcontainers",
}

// typed returns TypeScript that assigns each object of the file to its type.
func typed(t *testing.T, kubernetes, containerApps string) string {
	t.Helper()
	var script strings.Builder
	declare := func(i int, kind, of, literal string) {
		from, ok := schemaTypes[kind]
		if !ok {
			t.Fatalf("no schema for %s", kind)
		}
		fmt.Fprintf(&script, "import type { %[1]s as T%[2]d } from %[3]q;\nconst v%[2]d: T%[2]d = %[4]s;\nvoid v%[2]d;\n", of, i, from, literal)
	}
	objects := documents[map[string]any](t, kubernetes)
	for i, object := range objects {
		declare(i, fmt.Sprint(object["apiVersion"], " ", object["kind"]), fmt.Sprint("I", object["kind"]), literal(t, object))
	}
	var template struct{ Resources []map[string]any }
	ok(t, json.Unmarshal([]byte(containerApps), &template))
	for i, resource := range template.Resources {
		kind := fmt.Sprint(resource["apiVersion"], " ", resource["type"])
		declare(len(objects)+i, kind, "ContainerAppProperties", literal(t, resource["properties"]))
	}
	return script.String()
}

func literal(t *testing.T, object any) string {
	t.Helper()
	text, err := json.MarshalIndent(object, "", " ")
	ok(t, err)
	return string(text)
}

// checkTypes returns what the compiler says of a script, which is nothing if it is right.
func checkTypes(t *testing.T, script string) string {
	t.Helper()
	modules, err := filepath.Abs(filepath.Join(root, "node_modules"))
	ok(t, err)
	for _, name := range []string{"typescript", "kubernetes-models", "@kubernetes-models/keda", "@azure/arm-appcontainers"} {
		if _, err := os.Stat(filepath.Join(modules, name)); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skipf("SKIPPED, NOT TESTED: %s is not installed; run npm ci", name)
		}
	}
	dir := t.TempDir()
	ok(t, os.Symlink(modules, filepath.Join(dir, "node_modules")))
	ok(t, os.WriteFile(filepath.Join(dir, "check.ts"), []byte(script), 0o600))
	compile := exec.CommandContext(t.Context(), "node", filepath.Join(modules, "typescript", "bin", "tsc"),
		"--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022", "check.ts")
	compile.Dir = dir
	output, err := compile.CombinedOutput()
	if err != nil && len(output) == 0 {
		t.Fatal(err)
	}
	return string(output)
}

func schemasKnowFields(t *testing.T) {
	t.Parallel()
	script := typed(t, readRoot(t, "deploy/kubernetes.yaml"), readRoot(t, "deploy/azure-container-apps.json"))
	if says := checkTypes(t, script); says != "" {
		t.Errorf("%s\n%s", says, script)
	}
}
