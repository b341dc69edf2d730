package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

const formatFile = "format.txt"

// TestFormat compares all that is stored with what format.txt records under the version. With GENERATE set, it
// records it anew, under another version alone.
func TestFormat(t *testing.T) {
	recorded, err := os.ReadFile(formatFile)
	now := format(t)
	if err == nil && string(recorded) == now {
		return
	}
	was, _, _ := strings.Cut(string(recorded), "\n")
	if is, _, _ := strings.Cut(now, "\n"); os.Getenv("GENERATE") != "" && was != is {
		if err := os.WriteFile(formatFile, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err != nil {
		t.Error(err)
	}
	t.Errorf(`what is stored is no longer what %s records as %q:
%s
Stores of that version may exist. If only the code was written anew and every stored byte is as before, remove the file first
and go on with 4. Otherwise a change needs:
  1. a new number: CurrentVersion in kinds.go, whose comment says which;
  2. what makes rows of this version of those of the version before, in a package of its own; TestVersions in
     storage/move asks for it, and a test of it goes with the fixture;
  3. a fixture: a store that the program before the change has written;
  4. GENERATE=1 go test -run TestFormat ./storage/schema, which records it.`, formatFile, was, difference(string(recorded), now))
}

// difference has the lines that only one of two texts has, each under the last line before it without an indent.
func difference(was, is string) string {
	var diff strings.Builder
	one := func(sign, text, other string) {
		there, under, told := strings.Split(other, "\n"), "", ""
		for line := range strings.SplitSeq(text, "\n") {
			if !strings.HasPrefix(line, " ") {
				under = line
			}
			if at := slices.Index(there, line); at >= 0 {
				there = slices.Delete(there, at, at+1)
				continue
			}
			if told != under && under != line {
				fmt.Fprintf(&diff, "  %s\n", under)
			}
			fmt.Fprintf(&diff, "%s %s\n", sign, line)
			told = under
		}
	}
	one("-", was, is)
	one("+", is, was)
	return diff.String()
}

// format says all that is stored, in lines.
func format(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	say("version %s", CurrentVersion)
	say("\ntables %s\nqueue %s", strings.Join(Tables(), " "), domain.QueueName)
	for _, kind := range kinds {
		say("\nrow of %s: %s", kind.Table, kind.Name)
		say("  partition %s\n  row %s", kind.Partition, kind.RowForm())
		if kind.Hash != "" {
			say("  hash %s", kind.Hash)
		}
		for _, p := range kind.Properties {
			line := fmt.Sprintf("  %s %s", p.Name, typeName(p.Type))
			if p.Optional {
				line += ", optional"
			}
			if words := kind.Words[p.Name]; words != nil {
				line += fmt.Sprintf(": %q", words)
			}
			say("%s", line)
		}
		if kind == Poison {
			say("  %s0, %s1 and so on string: parts of the text, in quotes as in Go", PropText, PropText)
		}
	}
	say("\nmessage, in JSON")
	members(say, reflect.TypeFor[domain.Message]())
	say("\nelement of the property Steps of a deletion, in JSON")
	members(say, reflect.TypeFor[domain.StepRecord]())
	say("\nwords of package domain")
	for _, line := range words(t) {
		say("  %s", line)
	}
	say("\nkeys and values, by example")
	for _, example := range examples() {
		say("  %s", example)
	}
	say("\nhashes that are made outside this package")
	for _, made := range hashes(t) {
		say("  %s", made)
	}
	return b.String()
}

func typeName(kind driver.Kind) string {
	return map[driver.Kind]string{driver.KindString: "string", driver.KindInt64: "int64", driver.KindBoolean: "boolean", driver.KindDateTime: "datetime"}[kind]
}

// members says the members of a JSON object.
func members(say func(string, ...any), of reflect.Type) {
	for _, field := range reflect.VisibleFields(of) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			continue
		}
		line := fmt.Sprintf("  %s %s", name, cmp.Or(map[string]string{"Time": "time, RFC 3339"}[field.Type.Name()], field.Type.Kind().String()))
		if strings.HasPrefix(options, "omit") {
			line += ", optional"
		}
		say("%s", line)
	}
}

// words are the constants of each type of texts in package domain, of which most are stored somewhere.
func words(t *testing.T) (lines []string) {
	t.Helper()
	names, err := filepath.Glob("../../domain/*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("no package domain: %v", err)
	}
	found := map[string][]string{}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			spec, is := node.(*ast.ValueSpec)
			if !is {
				return true
			}
			of, typed := spec.Type.(*ast.Ident)
			for _, value := range spec.Values {
				if text, is := value.(*ast.BasicLit); is && text.Kind == token.STRING && typed && of.Name != "string" {
					found[of.Name] = append(found[of.Name], text.Value)
				}
			}
			return true
		})
	}
	for name, values := range found {
		slices.Sort(values)
		lines = append(lines, name+": "+strings.Join(values, " "))
	}
	slices.Sort(lines)
	return lines
}

// examples are what the functions make that make keys and values, of values that are always the same.
func examples() (lines []string) {
	on := time.Date(2026, 1, 2, 3, 4, 5, 678_901_200, time.UTC)
	id, i := domain.BlogID(domain.RecentFirst(on)+"!ABCDEFGHIJKLMNOPQRSTUVWXYZ"), domain.Incarnation("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	ref := domain.ChannelRef{Key: "garden", Incarnation: i}
	message := domain.Message{Kind: domain.MessageBlog, Channel: ref.Key, Incarnation: i, Name: "Gärten", RequestedBy: "ada", RequestedOn: on, QueuedOn: on,
		UndoCount: 1, UndoableUntil: on, KeepPosts: true, Blog: id, Revision: "ABCDEFGHIJKLMNOPQRSTUVWXYZ", Attempts: 2, Waits: 3, Accounted: 4}
	steps, err := json.Marshal(domain.StepLog{{Step: domain.StepSweep, Worker: 1, Delivery: 2, Began: on, Ended: on, Rows: 3, Result: domain.StepDone}})
	if err != nil {
		panic(err)
	}
	masked := func(made, pattern, by string) string { return regexp.MustCompile(pattern).ReplaceAllString(made, by) }
	hashed := masked(masked(domain.HashPassword("correct horse battery"), `[^$=,]{20,}`, "<base64>"), `([mtp])=\d+`, "$1=<number>") // as costly as the hash says
	random := func(made string) string { return masked(made, `[A-Z2-7]{26}`, "<26 of A-Z and 2-7>") }
	for _, e := range []struct{ of, made string }{
		{`NewIncarnation`, random(string(domain.NewIncarnation()))},
		{`NewRevision`, random(string(domain.NewRevision()))},
		{`NewBlogID(2026-01-02T03:04:05.6789012Z)`, random(string(domain.NewBlogID(on)))},
		{`ChannelName("Gärten").Key()`, string(domain.ChannelName("Gärten").Key())},
		{`Erasure of "ada", its key`, string(domain.Erasure{User: "ada", ID: i}.Ref().Key)},
		{`RecentFirst(2026-01-02T03:04:05.6789012Z)`, domain.RecentFirst(on)},
		{`the ticks of that time`, fmt.Sprint(domain.TicksOf(on))},
		{`Hash("ab", "c")`, Hash("ab", "c")},
		{`SessionPartition("token")`, SessionPartition("token")},
		{`SignUpPartition("key")`, SignUpPartition("key")},
		{`ThrottlePartition("user", "ada")`, ThrottlePartition("user", "ada")},
		{`AddressRow("192.0.2.1")`, AddressRow("192.0.2.1")},
		{`OnceRow("ada", "key")`, OnceRow("ada", "key")},
		{`RateRow(7, id)`, RateRow(7, id)},
		{`VoteRow(id, "ada")`, VoteRow(id, "ada")},
		{`RefRow(ref)`, RefRow(ref)},
		{`OpenPartition("garden")`, OpenPartition("garden")},
		{`ActivePartition(16, "garden")`, ActivePartition(ActivePartitions, "garden")},
		{`ActiveRow(time, "garden")`, ActiveRow(on, "garden")},
		{`PoisonRow("text")`, PoisonRow("text")},
		{`RequestedRow(time, ref)`, RequestedRow(on, ref)},
		{`EncodeAccounts`, EncodeAccounts([]domain.User{{Name: "ada", CreatedOn: on}, {Name: "eve"}})},
		{`HashPassword`, hashed},
		{`a message`, message.Encode()},
		{`Steps`, string(steps)},
	} {
		lines = append(lines, e.of+" = "+e.made)
	}
	return lines
}

// hashes are the calls of Hash in other packages, as they are written.
func hashes(t *testing.T) (calls []string) {
	t.Helper()
	calls = regexp.MustCompile(`schema\.Hash\(.*\)`).FindAllString(code(t, "../*.go", "../*/*.go", "../internal/*/*.go"), -1)
	if len(calls) < 4 {
		t.Errorf("only %d calls of Hash were found", len(calls))
	}
	slices.Sort(calls)
	return calls
}
