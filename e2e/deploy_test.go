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
	t.Run("systemd accepts the units, and exposes little to them", systemdAcceptsUnits)
	t.Run("the units' commands serve, back up and end", unitCommandsRun)
	t.Run("Kubernetes and Azure know every field", schemasKnowFields)
	t.Run("the template for Azure has no key, and names nothing that it does not have", azureTemplate)
	t.Run("images are named by digest", imagesByDigest)
	t.Run("the roles start as they are written, and answer their probes", deployedRolesStart)
}

// commandLine is the line of a unit that starts the program, perhaps by a shell.
var commandLine = regexp.MustCompile(`(?m)^ExecStart=(.*)/usr/local/bin/microblogging (.*)$`)

// unitsHere returns the paths of the units, whose services name this binary as those in deploy/ name
// the one that is installed.
func unitsHere(t *testing.T) (units []string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"microblogging.service", "microblogging-backup.service", "microblogging-backup.timer"} {
		text := readRoot(t, "deploy/"+name)
		if strings.HasSuffix(name, ".service") && !commandLine.MatchString(text) {
			t.Fatalf("%s has no line like %s", name, commandLine)
		}
		unit := filepath.Join(dir, name)
		ok(t, os.WriteFile(unit, []byte(commandLine.ReplaceAllString(text, "ExecStart=${1}"+unraced+" $2")), 0o600))
		units = append(units, unit)
	}
	return units
}

func systemdAcceptsUnits(t *testing.T) {
	t.Parallel()
	analyze := installed(t, "systemd-analyze")
	for _, unit := range unitsHere(t) {
		output, err := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", unit).CombinedOutput()
		// It prints a key that it does not know, and finds the unit well all the same.
		if err != nil || strings.Contains(string(output), unit) {
			t.Errorf("systemd-analyze verify: %v\n%s", err, output)
		}
		if strings.HasSuffix(unit, ".timer") {
			continue
		}
		// The exposure is from 0 to 10, and the threshold is ten times as much.
		output, err = exec.CommandContext(t.Context(), analyze, "security", "--no-pager", "--offline=true", "--threshold=20", unit).CombinedOutput()
		if err != nil {
			t.Errorf("systemd-analyze security: %v\n%s", err, output)
		}
	}
}

// unitArguments returns the arguments of the command of a unit, with a directory of the test for its own.
func unitArguments(t *testing.T, name, dir string) []string {
	t.Helper()
	text := readRoot(t, "deploy/"+name)
	line := commandLine.FindStringSubmatch(text)
	directory := regexp.MustCompile(`(?m)^StateDirectory=(.*)$`).FindStringSubmatch(text)
	if line == nil || directory == nil || !strings.Contains(line[2], "/var/lib/"+directory[1]) {
		t.Fatalf("%s has no command, or its command does not use its directory", name)
	}
	return strings.Fields(strings.NewReplacer("/var/lib/"+directory[1], dir, "'", "", `"`, "", "$(date +%%u)", "1").Replace(line[2]))
}

func unitCommandsRun(t *testing.T) {
	t.Parallel()
	s := setup{program.Setup{Binary: unraced, Environment: []string{"MICROBLOGGING_LISTEN=127.0.0.1:0"}}}
	serve := unitArguments(t, "microblogging.service", t.TempDir())
	backup := unitArguments(t, "microblogging-backup.service", t.TempDir())
	at := slices.Index(serve, "--admin-listen") + 1
	if url := "http://" + serve[at]; at == 0 || !slices.Contains(backup, url) {
		t.Fatalf("the backup %q does not ask the server %q", backup, serve)
	}
	serve[at] = "127.0.0.1:0"
	p := s.start(t, serve...)
	// systemd puts the credential into a directory, which it names.
	credential := regexp.MustCompile(`(?m)^LoadCredential=(admin-secret):/var/lib/microblogging/(admin-secret)$`).FindStringSubmatch(readRoot(t, "deploy/microblogging-backup.service"))
	if credential == nil || backup[len(backup)-1] != "%d" {
		t.Fatalf("the backup %q has no secret", backup)
	}
	credentials := t.TempDir()
	secret, err := os.ReadFile(filepath.Join(serve[slices.Index(serve, "--data")+1], credential[2]))
	ok(t, err)
	ok(t, os.WriteFile(filepath.Join(credentials, credential[1]), secret, 0o400))
	backup[len(backup)-1] = credentials
	backup[slices.Index(backup, "--admin")+1] = p.await(t, p.stderr, `admin listener started" address=(\S+)`)
	s.mustRun(t, backup...)
	p.endCleanly(t)
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

// secretFile is where Kubernetes mounts the connection string.
const secretFile = "/run/secrets/storage/connection-string"

// A resource is one of the template for Azure.
type resource struct {
	Type, APIVersion, Name string
	DependsOn              []string `json:"dependsOn"`
	Identity               any
	Properties             map[string]any
}

// azure is the template for Azure. The text of its only parameter that is a number in a property is replaced by one.
func azure(t *testing.T) (resources []resource, text string) {
	t.Helper()
	text = readRoot(t, "deploy/azure/template.json")
	var template struct{ Resources []resource }
	ok(t, json.Unmarshal([]byte(strings.Replace(text, `"[parameters('monthlyBudget')]"`, "100", 1)), &template))
	return template.Resources, text
}

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
	resources, _ := azure(t)
	for _, resource := range resources {
		if resource.Type != "Microsoft.App/containerApps" {
			continue
		}
		text, err := yaml.Marshal(resource.Properties["template"])
		var template deployedTemplate
		ok(t, errors.Join(err, yaml.Unmarshal(text, &template)))
		role := template.role(t)
		roles["Azure, "+role.Args[0]] = role
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
	for _, file := range []string{"deploy/kubernetes.yaml", "deploy/azure/template.json"} {
		queues := regexp.MustCompile(`queueName"?: "?([^"\s,]*)`).FindAllStringSubmatch(readRoot(t, file), -1)
		if len(queues) != 1 || queues[0][1] != deletionQueue {
			t.Errorf("%s scales by %q, want the queue %q", file, queues, deletionQueue)
		}
		if !regexp.MustCompile(`queueLengthStrategy"?: "?visibleonly`).MatchString(readRoot(t, file)) {
			t.Errorf("%s also counts messages that need no worker", file)
		}
	}
}

var (
	listenArgument = regexp.MustCompile(`^--(listen|health-listen|admin-listen)=(?:0\.0\.0\.0|127\.0\.0\.1):(\d+)$`)
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
		if strings.HasPrefix(argument, "[format('--base-url=") {
			argument = "--base-url=https://example.org"
		}
		arguments = append(arguments, argument)
	}
	if r.grace <= stopTime {
		t.Errorf("it has %s to end, and may take %s", r.grace, stopTime)
	}
	s := setup{program.Setup{Binary: unraced}}
	for _, variable := range r.Env {
		value := strings.NewReplacer(secretFile, secret, "[variables('tables')]", "https://127.0.0.1:1", "[variables('queues')]", "https://127.0.0.1:1").
			Replace(variable.Value)
		s.Environment = append(s.Environment, variable.Name+"="+value)
	}
	p := s.start(t, arguments...)
	p.await(t, p.stderr, `"msg":"process started"`)
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

// schemaTypes are where the types of each kind of object are: those of Kubernetes, KEDA and the Prometheus
// operator are made from their schemas, those of Azure's properties from the description of its API.
var schemaTypes = map[string]string{
	"apps/v1 Deployment":                               "kubernetes-models/apps/v1 IDeployment",
	"v1 Service":                                       "kubernetes-models/v1 IService",
	"policy/v1 PodDisruptionBudget":                    "kubernetes-models/policy/v1 IPodDisruptionBudget",
	"autoscaling/v2 HorizontalPodAutoscaler":           "kubernetes-models/autoscaling/v2 IHorizontalPodAutoscaler",
	"networking.k8s.io/v1 NetworkPolicy":               "kubernetes-models/networking.k8s.io/v1 INetworkPolicy",
	"monitoring.coreos.com/v1 PodMonitor":              "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1 IPodMonitor",
	"keda.sh/v1alpha1 ScaledObject":                    "@kubernetes-models/keda/keda.sh/v1alpha1 IScaledObject",
	"keda.sh/v1alpha1 TriggerAuthentication":           "@kubernetes-models/keda/keda.sh/v1alpha1 ITriggerAuthentication",
	"Microsoft.App/containerApps":                      "@azure/arm-appcontainers ContainerAppProperties",
	"Microsoft.App/managedEnvironments":                "@azure/arm-appcontainers ManagedEnvironmentProperties",
	"Microsoft.Authorization/roleAssignments":          "@azure/arm-authorization RoleAssignmentCreateParameters",
	"Microsoft.Consumption/budgets":                    "@azure/arm-consumption Budget",
	"Microsoft.ContainerRegistry/registries":           "@azure/arm-containerregistry RegistryProperties",
	"Microsoft.Insights/actionGroups":                  "@azure/arm-monitor ActionGroup",
	"Microsoft.Insights/diagnosticSettings":            "@azure/arm-monitor DiagnosticSettings",
	"Microsoft.Insights/metricAlerts":                  "@azure/arm-monitor MetricAlertProperties",
	"Microsoft.Insights/scheduledQueryRules":           "@azure/arm-monitor ScheduledQueryRuleProperties",
	"Microsoft.OperationalInsights/workspaces":         "@azure/arm-operationalinsights WorkspaceProperties",
	"Microsoft.Storage/storageAccounts":                "@azure/arm-storage StorageAccountPropertiesCreateParameters",
	"Microsoft.ManagedIdentity/userAssignedIdentities": "", // it has no properties
}

// libraryNames are properties that the libraries call otherwise than the API does.
var libraryNames = strings.NewReplacer(`"odata.type":`, `"odataType":`, `"supportsHttpsTrafficOnly":`, `"enableHttpsTrafficOnly":`)

// typed returns TypeScript that assigns each object of the files to its type.
func typed(t *testing.T) string {
	t.Helper()
	var script strings.Builder
	declare := func(kind string, value any) {
		from, known := schemaTypes[kind]
		if !known {
			t.Fatalf("no schema for %s", kind)
		}
		if module, name, found := strings.Cut(from, " "); found {
			i := script.Len() // a number that no other has
			fmt.Fprintf(&script, "import type { %[1]s as T%[2]d } from %[3]q;\nconst v%[2]d: T%[2]d = %[4]s;\nvoid v%[2]d;\n",
				name, i, module, libraryNames.Replace(literal(t, value)))
		}
	}
	for _, object := range documents[map[string]any](t, readRoot(t, "deploy/kubernetes.yaml")) {
		declare(fmt.Sprint(object["apiVersion"], " ", object["kind"]), object)
	}
	resources, _ := azure(t)
	for _, resource := range resources {
		for name, value := range resource.Properties {
			if name == "timePeriod" { // a Date in the library
				delete(value.(map[string]any), "startDate")
				value.(map[string]any)["startDate"] = nil
			}
		}
		declare(resource.Type, resource.Properties)
	}
	return strings.ReplaceAll(script.String(), `"startDate": null`, `"startDate": new Date()`)
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
	dir := t.TempDir()
	ok(t, os.Symlink(modules, filepath.Join(dir, "node_modules")))
	ok(t, os.WriteFile(filepath.Join(dir, "check.ts"), []byte(script), 0o600))
	compile := exec.CommandContext(t.Context(), installed(t, filepath.Join(modules, ".bin", "tsc")),
		"--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022", "check.ts")
	compile.Dir = dir
	output, err := compile.CombinedOutput()
	if err != nil && len(output) == 0 {
		t.Fatal(err)
	}
	return string(output)
}

// TestAPIDescription gives the description of the API, as it is served, to a linter.
func TestAPIDescription(t *testing.T) {
	t.Parallel()
	linter := installed(t, filepath.Join(root, "node_modules", ".bin", "redocly"))
	p := onBolt(t).start(t, "web", "--listen", "127.0.0.1:0")
	file := filepath.Join(t.TempDir(), "openapi.json")
	ok(t, os.WriteFile(file, reader(p.url).do(t, "GET", "/api/openapi.json", nil, http.StatusOK, nil).Body, 0o600))
	lint := exec.CommandContext(t.Context(), linter, "lint", "--max-problems=100", file)
	lint.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	output, err := lint.CombinedOutput()
	if err != nil || strings.Contains(string(output), " was generated by ") {
		t.Errorf("%v: %s", err, output)
	}
}

func schemasKnowFields(t *testing.T) {
	t.Parallel()
	script := typed(t)
	if says := checkTypes(t, script); says != "" {
		t.Errorf("%s\n%s", says, script)
	}
}

func azureTemplate(t *testing.T) {
	t.Parallel()
	resources, text := azure(t)
	var template struct{ Parameters, Variables, Outputs map[string]json.RawMessage }
	ok(t, json.Unmarshal([]byte(text), &template))
	for kind, defined := range map[string]map[string]json.RawMessage{"parameters": template.Parameters, "variables": template.Variables} {
		used := map[string]bool{}
		for _, match := range regexp.MustCompile(kind+`\('(\w+)'\)`).FindAllStringSubmatch(text, -1) {
			if used[match[1]] = true; defined[match[1]] == nil {
				t.Errorf("%s('%s') is not defined", kind, match[1])
			}
		}
		for name := range defined {
			if !used[name] {
				t.Errorf("%s('%s') is not used", kind, name)
			}
		}
	}
	if keys := regexp.MustCompile(`(?i)listkeys|"secrets"|accountkey|connection`).FindAllString(text, -1); keys != nil || !strings.Contains(text, `"allowSharedKeyAccess": false`) {
		t.Errorf("the template has keys: %q", keys)
	}
	types := map[string]int{}
	for _, resource := range resources {
		types[resource.Type]++
		if app := literal(t, resource); resource.Type == "Microsoft.App/containerApps" && (resource.Identity == nil || !strings.Contains(app, `"identity": "[variables('identityId')]"`)) {
			t.Errorf("%s has no identity, or does not pull its image by it", resource.Name)
		}
		for _, name := range resource.DependsOn {
			of := regexp.MustCompile(`'(Microsoft[^']*)'`).FindStringSubmatch(name)
			if variable := regexp.MustCompile(`variables\('(\w+)'\)`).FindStringSubmatch(name); of == nil && variable != nil {
				of = regexp.MustCompile(`'(Microsoft[^']*)'`).FindStringSubmatch(string(template.Variables[variable[1]]))
			}
			if of == nil || types[of[1]] == 0 {
				t.Errorf("%s depends on %s, which does not come before it", resource.Name, name)
			}
		}
	}
	if types["Microsoft.Authorization/roleAssignments"] != 3 || types["Microsoft.App/containerApps"] != 2 {
		t.Errorf("it has %v", types)
	}
	bicep := readRoot(t, "deploy/azure/main.bicep")
	var given struct {
		Parameters map[string]struct{ Value string }
	}
	ok(t, json.Unmarshal([]byte(readRoot(t, "deploy/azure/main.parameters.json")), &given))
	for _, match := range regexp.MustCompile(`(?m)^param (\w+) `).FindAllStringSubmatch(bicep, -1) {
		if _, there := given.Parameters[match[1]]; !there {
			t.Errorf("main.parameters.json does not set %s", match[1])
		}
	}
	for _, match := range regexp.MustCompile(`site\.outputs\.(\w+)`).FindAllStringSubmatch(bicep, -1) {
		if template.Outputs[match[1]] == nil {
			t.Errorf("main.bicep reads %s, which the template does not put out", match[1])
		}
	}
	for name, parameter := range template.Parameters {
		if set := regexp.MustCompile(`(?m)^    ` + name + `: \w+$`).MatchString(bicep); !set && !strings.Contains(string(parameter), "defaultValue") {
			t.Errorf("main.bicep does not set %s", name)
		}
	}
	var hooks struct {
		Hooks map[string]struct{ Run string }
	}
	ok(t, yaml.Unmarshal([]byte(readRoot(t, "deploy/azure/azure.yaml")), &hooks))
	if output, err := exec.CommandContext(t.Context(), "sh", "-n", "-c", hooks.Hooks["preprovision"].Run).CombinedOutput(); err != nil {
		t.Errorf("the hook: %v: %s", err, output)
	}
}

func imagesByDigest(t *testing.T) {
	t.Parallel()
	for file, image := range map[string]string{
		"Dockerfile": `FROM (?:--platform=\S+ )?(golang\S+)`, "docker-compose.yml": `image: (\S+[:/@]\S+)`, "deploy/kubernetes.yaml": `image: (\S+)`,
		".github/workflows/test.yml": `uses: (\S+)`, ".github/workflows/release.yml": `uses: (\S+)`,
	} {
		names := regexp.MustCompile(image).FindAllStringSubmatch(readRoot(t, file), -1)
		for _, name := range names {
			if !regexp.MustCompile(`@(sha256:[0-9a-f]{64}|sha256:DIGEST|[0-9a-f]{40})$`).MatchString(name[1]) {
				t.Errorf("%s names %s without a digest", file, name[1])
			}
		}
		if names == nil {
			t.Errorf("%s names nothing like %s", file, image)
		}
	}
}
