package lab_test

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
	"microblogging/lab/protocol"
	"microblogging/storage/driver"
)

func TestSite(t *testing.T) {
	t.Run("each call is told by a sentence above a line, which tells of one kind of call and is true of it under every safeguard", everyCallIsTold)
	t.Run("each safeguard has the line that decides, in the production code", everySafeguardHasItsLine)
	t.Run("a reader's own protocol does not change the fingerprint", func(t *testing.T) {
		files := lab.SearchedFiles()
		if slices.ContainsFunc(files, func(file string) bool { return strings.HasPrefix(file, "lab/own/") }) || !slices.Contains(files, "lab/protocol/post.go") {
			t.Errorf("the fingerprint is of %q", files)
		}
	})
	t.Run("a function literal that an inlined function makes has one name", func(t *testing.T) {
		for name, want := range map[string]string{
			"microblogging/lab/own.Protocols.Seat.Protocols.Seat.func1.func2": "Protocols.Seat",
			"microblogging/lab/own.Protocols.Seat.func1":                      "Protocols.Seat",
			"microblogging/storage/blog.(*Store).Post":                        "(*Store).Post",
		} {
			if site, _ := lab.SiteOf(runtime.Frame{Function: name, File: "microblogging/lab/own/outbox.go", Line: 1}); site.Function != want {
				t.Errorf("%s is %q", name, site.Function)
			}
		}
	})
	t.Run("all files of the folders are there as they are, and each sentence is above a call", sourceIsWhole)
}

// enough walks reach what follows a fault, too.
const enough = 15

// A function that serves several tables tells of each in the same words.
func ofSeveralTables(site lab.Site) bool {
	return slices.Contains([]string{"(*Checker).checkOthers", "sideBySide", "deletes", "Steps.Expire"}, site.Function)
}

// claims are what words of a sentence say of a call, and reports whether it is so.
func claims() map[*regexp.Regexp]func(*lab.Call) bool {
	acts := func(actions ...driver.Action) func(*lab.Call) bool {
		return func(c *lab.Call) bool {
			return slices.ContainsFunc(c.Operations, func(op driver.Operation) bool { return slices.Contains(actions, op.Action) })
		}
	}
	on := func(row string, actions ...driver.Action) func(*lab.Call) bool {
		return func(c *lab.Call) bool {
			return slices.ContainsFunc(c.Operations, func(op driver.Operation) bool {
				return strings.HasPrefix(op.Row, row) && slices.Contains(actions, op.Action)
			})
		}
	}
	matches := func(c *lab.Call) bool {
		return slices.ContainsFunc(c.Operations, func(op driver.Operation) bool { _, ok := op.If.ETag(); return ok && op.Action != driver.ActionInsert })
	}
	queued := func(c *lab.Call) bool { return c.Method == driver.CallDelete || acts(driver.ActionDelete)(c) }
	never := func(*lab.Call) bool { return false }
	all := map[*regexp.Regexp]func(*lab.Call) bool{}
	for words, holds := range map[string]func(*lab.Call) bool{
		`^(Insert|Write .* into) `:       acts(driver.ActionInsert, driver.ActionMerge, driver.ActionReplace),
		`^Insert `:                       acts(driver.ActionInsert),
		`^(Delete|Remove) |^Take .* off`: queued,
		`^(Mark|Change) `:                acts(driver.ActionMerge, driver.ActionReplace),
		`^Send `:                         func(c *lab.Call) bool { return c.Method == driver.CallSend },
		`up the open gate`:               on("gate!open!", driver.ActionInsert, driver.ActionDelete),
		`behind the open gate`:           on("gate!open!", driver.ActionMerge),
		`behind the shut gate`:           on("gate!shut!", driver.ActionMerge),
		`in the place of`: func(c *lab.Call) bool {
			return acts(driver.ActionDelete)(c) && acts(driver.ActionInsert, driver.ActionReplace)(c)
		},
		`of the rule|rule that was read`:                                     on("posting!", driver.ActionMerge),
		`^(Announce|Put up)[^(]*$`:                                           acts(driver.ActionInsert),
		`in the place of the reserv`:                                         on("gate!reserved!", driver.ActionDelete),
		`version that was read|only if`:                                      matches,
		`from then on|so that|for good|since|as long as|frees|never|already`: never, // tells what will be, or was
	} {
		all[regexp.MustCompile(words)] = holds
	}
	return all
}

func everyCallIsTold(t *testing.T) {
	claims := claims()
	read := regexp.MustCompile(`^(Read|Look|List|Count) `)
	for _, c := range modelcheck.Cases() {
		for site, calls := range explorer(t, c.Scenario).Calls(enough) {
			if strings.HasPrefix(site.File, "storage/optimistic/") {
				t.Errorf("%s: %s:%d makes the calls of others", c.Name, site.File, site.Line)
			}
			if c.Safeguard == nil { // an Around may make calls of its own
				tellsOfOneCall(t, c, site, calls)
			}
			for _, call := range calls {
				sentence := c.Tell(call, site)
				if read.MatchString(sentence) == call.Writes() {
					t.Errorf("%s: %s:%d: is %q a write? %s", c.Name, site.File, site.Line, sentence, c.DescribeCall(call))
				}
				if c.Safeguard == nil && strings.Contains(sentence, "(here ") {
					t.Errorf("%s: %s:%d: nothing is missing, and %q", c.Name, site.File, site.Line, sentence)
				}
				for words, holds := range claims {
					if words.MatchString(sentence) && !holds(call) {
						t.Errorf("%s: %s:%d: %q is false of %s", c.Name, site.File, site.Line, sentence, c.DescribeCall(call))
					}
				}
			}
		}
	}
}

func tellsOfOneCall(t *testing.T, c modelcheck.Case, site lab.Site, calls []*lab.Call) {
	t.Helper()
	first, _ := utf8.DecodeRuneInString(site.Sentence)
	if unicode.IsLower(first) || !strings.HasSuffix(site.Sentence, ".") && !strings.HasSuffix(site.Sentence, "?") || strings.Contains(site.Sentence, ". ") {
		t.Errorf("%s: %s:%d needs one sentence: a line above it that begins with //lab:, and not %q", c.Name, site.File, site.Line, site.Sentence)
	}
	for _, call := range calls {
		if call.Method != calls[0].Method || call.Target != calls[0].Target && !ofSeveralTables(site) {
			t.Errorf("%s: %q tells of %s and of %s; a line within needs a sentence of its own", c.Name, site.Sentence,
				c.DescribeCall(calls[0]), c.DescribeCall(call))
		}
	}
}

func everySafeguardHasItsLine(t *testing.T) {
	// What only sends, answers or begins decides nothing.
	sends := regexp.MustCompile(`Transact\(|\.Get\(|\.Send\(|^func |^return (err|nil)|^if err (!=|==) nil`)
	for _, a := range protocol.Ablations() {
		g := a.Safeguard
		site, first, last := g.Line()
		if site.Line <= first || site.Line > last || strings.HasPrefix(site.File, "lab/") {
			t.Errorf("%s: %q does not occur once in %s, which is in %s", a.Name, g.Part, g.Code, site.File)
		}
		if sends.MatchString(g.Part) || len(g.Part) < len("vote,") {
			t.Errorf("%s: %q decides nothing", a.Name, g.Part)
		}
		if g.Label == "" || strings.Count(g.Why, ".") != 1 || !strings.HasSuffix(g.Why, ".") {
			t.Errorf("%s is explained by %+v", a.Name, g)
		}
	}
}

func sourceIsWhole(t *testing.T) {
	for _, folder := range []string{"storage", "storage/account", "storage/blog", "storage/check", "storage/deletion", "storage/channel", "storage/erasure", "storage/internal/fence", "storage/reader", "storage/optimistic", "worker", "lab/protocol", "lab/textbook"} {
		files, err := filepath.Glob("../" + folder + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatal(folder, err)
		}
		for _, file := range files {
			want, err := os.ReadFile(file)
			ok(t, err)
			if got, _ := lab.Source(folder + "/" + filepath.Base(file)); got != string(want) {
				t.Errorf("%s is not there as it is in the folder: see module.go", file)
			}
			lines := strings.Split(string(want), "\n")
			for i, line := range lines {
				next := strings.TrimSpace(lines[min(i+1, len(lines)-1)])
				if strings.HasPrefix(strings.TrimSpace(line), "//lab:") && (next == "" || next == "}" || strings.HasPrefix(next, "//")) {
					t.Errorf("%s:%d: below this sentence is no call, but %q", file, i+1, next)
				}
			}
		}
	}
}
