package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"math"
	"mime"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestOpenAPI(t *testing.T) {
	t.Run("the description states its version and OpenAPI 3.1", descriptionStatesItsVersionAndOpenAPI31)
	t.Run("each component is used", eachComponentIsUsed)
	t.Run("each member of a response is described", eachMemberIsDescribed)
	t.Run("each operation has examples of what it takes and gives, which its schemas allow", eachOperationHasExamples)
	t.Run("a generator makes a client from it that declares each name once", generatorMakesAClient)
}

func descriptionStatesItsVersionAndOpenAPI31(t *testing.T) {
	a := newSite(t).do("GET", "/api/openapi.json").want(200)
	a.holds("openapi", "3.1.0")
	a.holds("info.version", "test")
}

func eachComponentIsUsed(t *testing.T) {
	text, err := os.ReadFile("openapi.json")
	ok(t, err)
	components, _ := dig(parseOpenAPI(t, text).root, "components").(map[string]any)
	for kind, named := range components {
		for name := range named.(map[string]any) {
			if used := fmt.Sprintf(`"#/components/%s/%s"`, kind, name); kind != "securitySchemes" && !bytes.Contains(text, []byte(used)) {
				t.Errorf("no operation uses %s: take it out", used)
			}
		}
	}
}

// A response may omit a member, so no test of a route has to see it. Feeds are not of the API.
func eachMemberIsDescribed(t *testing.T) {
	text, err := os.ReadFile("openapi.json")
	ok(t, err)
	files, err := filepath.Glob("*.go")
	ok(t, err)
	for _, name := range files {
		source, err := os.ReadFile(name)
		ok(t, err)
		for _, member := range regexp.MustCompile(`json:"(\w+)`).FindAllSubmatch(source, -1) {
			if name != "syndication.go" && !strings.HasSuffix(name, "_test.go") && !bytes.Contains(text, []byte(`"`+string(member[1])+`":`)) {
				t.Errorf("%s: %s is not described in openapi.json", name, member[1])
			}
		}
	}
}

func eachOperationHasExamples(t *testing.T) {
	text, err := os.ReadFile("openapi.json")
	ok(t, err)
	o := parseOpenAPI(t, text)
	example := func(name string, schema any) {
		examples, _ := o.resolve(schema)["examples"].([]any)
		if len(examples) == 0 {
			t.Errorf("%s: no example", name)
		}
		for _, one := range examples {
			for _, wrong := range o.validate("the example", schema, one) {
				t.Errorf("%s: %s", name, wrong)
			}
		}
	}
	for path, item := range o.paths() {
		shared, _ := dig(item, "parameters").([]any)
		for method, operation := range item.(map[string]any) {
			if method == "parameters" {
				continue
			}
			name := method + " " + path
			own, _ := dig(operation, "parameters").([]any)
			for _, parameter := range slices.Concat(shared, own) {
				if p := o.resolve(parameter); p["required"] == true {
					example(fmt.Sprint(name, ", parameter ", p["name"]), p["schema"])
				}
			}
			if body := dig(operation, "requestBody"); body != nil {
				example(name+", request", o.resolve(dig(body, "content"))["application/json"].(map[string]any)["schema"])
			}
			for status, response := range dig(operation, "responses").(map[string]any) {
				content, _ := o.resolve(response)["content"].(map[string]any)
				for mediaType, media := range content {
					if mediaType != "application/zip" {
						example(fmt.Sprint(name, ", response ", status), media.(map[string]any)["schema"])
					}
				}
			}
		}
	}
}

// Generators make one Go name of several: a schema DeletionStep and the property step of a schema
// Deletion are both DeletionStep. This one notices some of these pairs, and the parser the others.
func generatorMakesAClient(t *testing.T) {
	var refusal strings.Builder
	generate := exec.CommandContext(t.Context(), "go", "tool", "-modfile=../.ci/tools.mod", "oapi-codegen",
		"-generate", "types,client", "-package", "client", "openapi.json")
	generate.Stderr = &refusal
	client, err := generate.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, refusal.String())
	}
	_, err = parser.ParseFile(token.NewFileSet(), "client.go", client, parser.DeclarationErrors)
	ok(t, err)
}

var routeParam = regexp.MustCompile(`/:(\w+)`)

// documented is the name of a route of the API as the description writes it. The router escapes a
// colon that begins no parameter.
func documented(route string) string {
	route = strings.Replace(route, "/api/v1", "", 1)
	return strings.ReplaceAll(routeParam.ReplaceAllString(route, "/{$1}"), `\:`, ":")
}

// openAPI is the description of the API as the server serves it.
type openAPI struct{ root any }

func parseOpenAPI(t testing.TB, body []byte) *openAPI {
	t.Helper()
	var root any
	ok(t, json.Unmarshal(body, &root))
	return &openAPI{root}
}

func (o *openAPI) paths() map[string]any {
	paths, _ := dig(o.root, "paths").(map[string]any)
	return paths
}

// of is the operation of a route.
func (o *openAPI) of(r route) any {
	method, path, _ := strings.Cut(documented(r.name), " ")
	return dig(o.paths()[path], strings.ToLower(method))
}

// check compares a response of the API with the description: status, headers, media
// type and schema. Without a route, the response must still be a problem.
func (o *openAPI) check(t testing.TB, r *http.Request, a answer) {
	t.Helper()
	name := fmt.Sprintf("%s %s: %d", r.Method, r.URL.Path, a.status)
	if a.header.Get("X-Request-Id") == "" {
		t.Errorf("%s: no request id", name)
	}
	method := strings.ToLower(r.Method)
	if r.Method == http.MethodHead {
		method = "get"
	}
	item := o.item(strings.TrimPrefix(r.URL.EscapedPath(), "/api/v1"))
	operation, _ := item[method].(map[string]any)
	response := map[string]any{"content": map[string]any{
		"application/problem+json": map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/Problem"}},
	}}
	if operation != nil {
		documented := dig(operation, "responses."+strconv.Itoa(a.status))
		if documented == nil {
			t.Errorf("%s is not in web/openapi.json", name)
			return
		}
		response = o.resolve(documented)
	} else if a.status != http.StatusNotFound && a.status != http.StatusMethodNotAllowed {
		t.Errorf("%s: there is no such operation", name)
	}
	o.checkHeaders(t, name, response, a)
	o.checkBody(t, name, response, a)
	o.checkRequest(t, name, operation, r, a)
}

// checkRequest finds what a request sent and the description does not have, though the request
// was accepted. An entry of a batch may be refused alone.
func (o *openAPI) checkRequest(t testing.TB, name string, operation map[string]any, r *http.Request, a answer) {
	t.Helper()
	if r.GetBody == nil || a.status >= 300 || bytes.Contains(a.body, []byte(`"problem":`)) {
		return
	}
	sent, err := r.GetBody()
	ok(t, err)
	var body any
	ok(t, json.NewDecoder(sent).Decode(&body))
	for _, wrong := range o.validate("request", dig(operation, "requestBody.content.application/json.schema"), body) {
		t.Errorf("%s: %s", name, wrong)
	}
}

// item returns the description of a path.
func (o *openAPI) item(path string) map[string]any {
	var found map[string]any
	specificity := -1
	for template, item := range o.paths() {
		want, got := strings.Split(template, "/"), strings.Split(path, "/")
		literal := 0
		matches := len(want) == len(got)
		for i := 0; matches && i < len(want); i++ {
			if strings.HasPrefix(want[i], "{") {
				continue
			}
			literal++
			matches = want[i] == got[i]
		}
		if matches && literal > specificity {
			found, specificity = item.(map[string]any), literal
		}
	}
	return found
}

func (o *openAPI) checkHeaders(t testing.TB, name string, response map[string]any, a answer) {
	t.Helper()
	headers, _ := response["headers"].(map[string]any)
	for header, description := range headers {
		value := a.header.Get(header)
		if value == "" && o.resolve(description)["required"] == false {
			continue
		}
		if value == "" {
			t.Errorf("%s: no %s", name, header)
			continue
		}
		for _, wrong := range o.validate(header, o.resolve(description)["schema"], value) {
			t.Errorf("%s: %s", name, wrong)
		}
	}
	for _, header := range []string{"Etag", "Location"} {
		if _, documented := headers[canonical(header)]; !documented && a.header.Get(header) != "" && a.status < 400 {
			t.Errorf("%s: %s is not in web/openapi.json", name, header)
		}
	}
}

// canonical returns a header's name as the description spells it.
func canonical(header string) string {
	if header == "Etag" {
		return "ETag"
	}
	return header
}

func (o *openAPI) checkBody(t testing.TB, name string, response map[string]any, a answer) {
	t.Helper()
	content, _ := response["content"].(map[string]any)
	if len(content) == 0 {
		if len(a.body) > 0 {
			t.Errorf("%s: a body where none is documented: %s", name, a.body)
		}
		return
	}
	mediaType, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil || content[mediaType] == nil {
		t.Errorf("%s: media type %q is not in web/openapi.json", name, a.header.Get("Content-Type"))
		return
	}
	if mediaType == "application/zip" {
		return
	}
	var body any
	if err := json.Unmarshal(a.plain(), &body); err != nil {
		t.Errorf("%s: body is not JSON: %v\n%s", name, err, a.body)
		return
	}
	if wrong := o.validate("body", content[mediaType].(map[string]any)["schema"], body); len(wrong) > 0 {
		t.Errorf("%s: %s\n%s", name, strings.Join(wrong, "\n\t"), a.body)
	}
	if mediaType == "application/problem+json" {
		checkProblem(t, name, body, a)
	}
}

// checkProblem checks the rules of RFC 9457 that the schema does not state.
func checkProblem(t testing.TB, name string, body any, a answer) {
	t.Helper()
	title := dig(body, "title")
	if dig(body, "type") == "about:blank" && title != http.StatusText(a.status) {
		t.Errorf("%s: a problem of no type is titled %q", name, title)
	}
	if dig(body, "status") != float64(a.status) || dig(body, "requestId") != a.header.Get("X-Request-Id") || dig(body, "detail") == nil {
		t.Errorf("%s: the problem says %s", name, a.body)
	}
}

// resolve follows a reference.
func (o *openAPI) resolve(node any) map[string]any {
	object, ok := node.(map[string]any)
	if !ok {
		panic(fmt.Sprintf("the description has %v where an object belongs", node))
	}
	ref, ok := object["$ref"].(string)
	if !ok {
		return object
	}
	return o.resolve(dig(o.root, strings.ReplaceAll(strings.TrimPrefix(ref, "#/"), "/", ".")))
}

// validate checks a value against a JSON schema. It knows the keywords that the
// description uses, and reports any other keyword.
func (o *openAPI) validate(at string, node, value any) (wrong []string) {
	schema := o.resolve(node)
	if types, ok := schema["type"]; ok && !hasType(types, value) {
		return []string{fmt.Sprintf("%s is %v, want %v", at, value, types)}
	}
	for keyword, rule := range schema {
		var holds bool
		switch keyword {
		case "type", "description", "format", "default", "required", "additionalProperties", "examples":
			continue
		case "properties":
			wrong = append(wrong, o.validateObject(at, schema, value)...)
			continue
		case "items":
			for i, item := range value.([]any) {
				if wrong = append(wrong, o.validate(fmt.Sprintf("%s.%d", at, i), rule, item)...); len(wrong) > 0 {
					break // the others are alike
				}
			}
			continue
		case "enum":
			holds = slices.Contains(rule.([]any), value)
		case "minItems":
			holds = len(value.([]any)) >= int(rule.(float64))
		case "maxItems":
			holds = len(value.([]any)) <= int(rule.(float64))
		case "minimum":
			holds = value.(float64) >= rule.(float64)
		case "maximum":
			holds = value.(float64) <= rule.(float64)
		case "pattern", "minLength", "maxLength":
			holds = textHolds(keyword, rule, value)
		}
		if !holds {
			wrong = append(wrong, fmt.Sprintf("%s: %v breaks %s %v", at, value, keyword, rule))
		}
	}
	return wrong
}

// members are the names of the members that a schema has, at any depth.
func (o *openAPI) members(schema any) (names []string) {
	if schema == nil {
		return nil
	}
	resolved := o.resolve(schema)
	properties, _ := resolved["properties"].(map[string]any)
	for name, property := range properties {
		names = append(append(names, name), o.members(property)...)
	}
	return append(names, o.members(resolved["items"])...)
}

func textHolds(keyword string, rule, value any) bool {
	text, ok := value.(string)
	if !ok {
		return true // these keywords apply to strings only
	}
	switch keyword {
	case "pattern":
		return regexp.MustCompile(rule.(string)).MatchString(text)
	case "minLength":
		return utf8.RuneCountInString(text) >= int(rule.(float64))
	default:
		return utf8.RuneCountInString(text) <= int(rule.(float64))
	}
}

func (o *openAPI) validateObject(at string, schema map[string]any, value any) (wrong []string) {
	object := value.(map[string]any)
	properties := schema["properties"].(map[string]any)
	for _, name := range schema["required"].([]any) {
		if _, there := object[name.(string)]; !there {
			wrong = append(wrong, fmt.Sprintf("%s.%s is missing", at, name))
		}
	}
	for name, member := range object {
		if properties[name] == nil {
			wrong = append(wrong, fmt.Sprintf("%s.%s is not in web/openapi.json", at, name))
			continue
		}
		wrong = append(wrong, o.validate(at+"."+name, properties[name], member)...)
	}
	return wrong
}

func hasType(types, value any) bool {
	if several, ok := types.([]any); ok {
		return slices.ContainsFunc(several, func(one any) bool { return hasType(one, value) })
	}
	switch v := value.(type) {
	case nil:
		return types == "null"
	case bool:
		return types == "boolean"
	case string:
		return types == "string"
	case float64:
		return types == "number" || types == "integer" && v == math.Trunc(v)
	case []any:
		return types == "array"
	case map[string]any:
		return types == "object"
	}
	return false
}

// dig returns the value at a path of members and indexes, or nil.
func dig(value any, path string) any {
	for _, step := range strings.Split(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}
