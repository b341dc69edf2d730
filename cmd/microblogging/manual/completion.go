package manual

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/alecthomas/kong"
)

//go:embed bash.tmpl zsh.tmpl fish.tmpl
var scripts embed.FS

// Shells are those that Completion knows.
func Shells() []string { return []string{"bash", "zsh", "fish"} }

// Completion returns the script that completes the command line in a shell, one of
// Shells. It fails for any other.
func Completion(app *kong.Application, shell string) (string, error) {
	if !slices.Contains(Shells(), shell) {
		return "", fmt.Errorf("no completion for the shell %q; there are those for %s", shell, strings.Join(Shells(), ", "))
	}
	script, err := template.New("").Funcs(template.FuncMap{
		"name":      func() string { return app.Name },
		"commands":  func() []*kong.Node { return visible(app) },
		"flags":     flags,
		"values":    values,
		"arguments": arguments,
		"valued":    func() []*option { return valued(app) },
		"default":   func() string { return app.DefaultCmd.Name },
		"quote":     quote,
	}).ParseFS(scripts, "*.tmpl")
	if err != nil {
		return "", err
	}
	var text strings.Builder
	if err := script.ExecuteTemplate(&text, shell+".tmpl", app); err != nil {
		return "", err
	}
	return text.String(), nil
}

// values are those that a flag can have, if they are few.
func values(flag *kong.Flag) string {
	return fewValues(flag.Value)
}

// arguments are the values that the argument of a command can have, if they are few.
func arguments(command *kong.Node) string {
	if len(command.Positional) != 1 {
		return ""
	}
	return fewValues(command.Positional[0])
}

func fewValues(of *kong.Value) string {
	if of.Enum == "" {
		return ""
	}
	return strings.Join(of.EnumSlice(), " ")
}

// valued are the flags of all commands that have values.
func valued(app *kong.Application) []*option {
	return slices.DeleteFunc(options(app), func(o *option) bool { return values(o.Flag) == "" })
}

// quote makes one word of a text for any of the shells.
func quote(text string) string {
	return "'" + strings.NewReplacer(`\`, ``, `'`, `’`).Replace(text) + "'"
}
