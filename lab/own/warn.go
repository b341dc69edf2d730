package own

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"microblogging/storage/driver"
)

// A watch notes what the scenarios of one protocol come to, for the warnings about a search that finds nothing. It
// is safe for concurrent use.
type watch struct {
	mu sync.Mutex
	// acted are the actors that made a call, by their names.
	acted map[string]bool
	// asked are the questions of each invariant, and whether some state had another answer than that there is nothing.
	asked map[string]map[string]bool
	// written are the rows that a call writes, or tries to, and properties those in them, by their names.
	written    map[[3]string]bool
	properties map[string]bool
}

func newWatch() *watch {
	return &watch{acted: map[string]bool{}, asked: map[string]map[string]bool{}, written: map[[3]string]bool{}, properties: map[string]bool{}}
}

// acts notes that an actor makes a call.
func (w *watch) acts(actor string) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.acted[actor] = true
}

// writes notes which rows a call writes.
func (w *watch) writes(table, partition string, ops []driver.Operation) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, op := range ops {
		w.written[[3]string{table, partition, op.Row}] = true
		for _, property := range op.Properties {
			w.properties[property.Name] = true
		}
	}
}

// wrote reports whether a call writes a row.
func (w *watch) wrote(table, partition, row string) bool {
	if w == nil {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.written[[3]string{table, partition, row}]
}

// asks notes a question of an invariant about a state.
func (w *watch) asks(invariant, question string, found bool) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.asked[invariant] == nil {
		w.asked[invariant] = map[string]bool{}
	}
	w.asked[invariant][question] = w.asked[invariant][question] || found
}

// warnings say why a search of the protocol, which is declared at a line and has ended, says little.
func (w *watch) warnings(p Protocol, line string) (list []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(p.Invariants) == 0 {
		list = append(list, "there is no invariant in "+line+", so nothing can be violated")
	}
	if len(p.Actors) == 0 {
		list = append(list, "there is no actor in "+line+", so nothing happens")
	}
	for _, actor := range p.Actors {
		if !w.acted[actor.Name] {
			list = append(list, actor.Name+" makes no call"+lineOf(actor.Run))
		}
	}
	for _, invariant := range p.Invariants {
		judge := invariant.Always
		if judge == nil {
			judge = invariant.Quiescent
		}
		questions := w.asked[invariant.Name]
		if len(questions) == 0 {
			list = append(list, fmt.Sprintf("the invariant “%s” looks at nothing%s, so no state violates it", invariant.Name, cmp.Or(lineOf(judge), " in "+line)))
		}
		for _, question := range slices.Sorted(maps.Keys(questions)) {
			if !questions[question] {
				list = append(list, fmt.Sprintf("the invariant “%s” asks for %s%s", invariant.Name, question, lineOf(judge)))
			}
		}
	}
	return list
}

// reads is a line that reads a property of a row.
var reads = regexp.MustCompile(`\.(?:String|Int64|Bool|Time)\("([^"]*)"\)`)

// unwritten says which properties the code reads that no call writes: they are empty in all states. The text has the lines of
// the protocol alone. Code that writes one may not have run: without a safeguard it would.
func (w *watch) unwritten(file, text string) (list []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "//")
		for _, read := range reads.FindAllStringSubmatch(line, -1) {
			if !w.properties[read[1]] && !strings.Contains(text, `("`+read[1]+`", `) {
				list = append(list, fmt.Sprintf("%s:%d reads the property “%s”, which no call writes", file, i+1, read[1]))
			}
		}
	}
	return list
}

// asksFor is a line that asks for a safeguard.
var asksFor = regexp.MustCompile(`\.On\("([^"]*)"\)`)

// lineOf is where a function of a reader's is declared: " in lab/own/mine.go:7". It is empty if it is not a reader's.
func lineOf(function any) string {
	value := reflect.ValueOf(function)
	if value.IsNil() {
		return ""
	}
	file, line := runtime.FuncForPC(value.Pointer()).FileLine(value.Pointer())
	_, name, found := strings.Cut(file, "lab/own/")
	if !found {
		return ""
	}
	return fmt.Sprintf(" in lab/own/%s:%d", name, line)
}

// unasked says which safeguards the code of a file does not ask for, and which it asks for that there are not: so nothing is
// taken out. method is the text with the lines of the protocol alone.
func (p Protocol) unasked(file, text, method string) (list []string) {
	for _, safeguard := range slices.Sorted(maps.Keys(p.Safeguards)) {
		if !strings.Contains(text, `On("`+safeguard+`")`) {
			list = append(list, "nothing in "+file+` asks for On("`+safeguard+`"), so nothing is taken out`)
		}
	}
	for i, line := range strings.Split(method, "\n") {
		for _, asked := range asksFor.FindAllStringSubmatch(line, -1) {
			if _, known := p.Safeguards[asked[1]]; !known {
				list = append(list, fmt.Sprintf("%s:%d asks for On(%q), which is not among the Safeguards, so it is never taken out", file, i+1, asked[1]))
			}
		}
	}
	return list
}
