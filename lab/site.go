package lab

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"microblogging/lab/source"
)

// A Site is a line of Go that makes a call to the store.
type Site struct {
	// Function is its name in its package: "(*Store).Post".
	Function string
	// File is relative to the module: "storage/blog/post.go". Source has its text.
	File string
	Line int
	// Sentence says what the call is for. It is the comment above the line that begins with
	// sentenceMark, or empty.
	Sentence string
}

// sentenceMark begins a comment directly above a call, which says in one sentence what the call
// asks for, whatever becomes of it.
const sentenceMark = "//lab: "

// line is the line of Go that makes the call of the point: the innermost that has a sentence, because what lies
// within only passes the call on. If none has one, it is the innermost outside package fence and the library of
// lab/own. Package optimistic makes the calls of others, so its sentence is told of the line that calls it.
// Many moments have an actor wait at one point, so it is looked up once.
func (p *point) line() Site {
	if p.call == nil || p.site.File != "" || len(p.call.stack) == 0 {
		return p.site
	}
	frames := runtime.CallersFrames(p.call.stack)
	for more := true; more && (p.site.Sentence == "" || of(p.site, "optimistic")); {
		var frame runtime.Frame
		frame, more = frames.Next()
		site, ok := siteOf(frame)
		if ok && (site.Sentence != "" || p.site.File == "" || isOwnLibrary(p.site.File) || of(p.site, "internal/fence") || of(p.site, "optimistic")) {
			site.Sentence = cmp.Or(p.site.Sentence, site.Sentence)
			p.site = site
		}
	}
	if question, ok := strings.CutSuffix(p.site.Sentence, "?"); ok && p.follows(Reading) {
		p.site.Sentence = question + ", now that the form arrives?"
	}
	return p.site
}

// of reports whether the line is one of this package of storage.
func of(site Site, folder string) bool { return strings.HasPrefix(site.File, "storage/"+folder+"/") }

// declaresProtocol is in each file of a reader's.
var declaresProtocol = regexp.MustCompile(`(?m)^func \((\w+ )?\*?Protocols\) `)

// isOwnLibrary reports whether a file of lab/own is no reader's: it declares no protocol.
func isOwnLibrary(file string) bool {
	text, known := Source(file)
	return known && strings.HasPrefix(file, "lab/own/") && !strings.HasSuffix(file, "_test.go") && !declaresProtocol.MatchString(text)
}

// Goroutine names the goroutine that calls it: "goroutine 12 ".
func Goroutine() string {
	head := make([]byte, 64)
	name, _, _ := strings.Cut(string(head[:runtime.Stack(head, false)]), "[")
	return name
}

// ownLine is a line of a reader's protocol in the text of a stack.
var ownLine = regexp.MustCompile(`lab/own/[\w.-]+\.go:\d+`)

// Where says which line of a reader's protocol a goroutine is at: " in lab/own/mine.go:7". It is empty if it is at
// none. It stops all others for a moment.
func Where(goroutine string) string {
	all := make([]byte, 16<<20)
	_, stack, _ := strings.Cut(string(all[:runtime.Stack(all, true)]), goroutine+"[")
	stack, _, _ = strings.Cut(stack, "\n\n")
	for _, line := range ownLine.FindAllString(stack, -1) {
		if file, _, _ := strings.Cut(line, ":"); !isOwnLibrary(file) {
			return " in " + line
		}
	}
	return ""
}

// Caller is the stack of the goroutine that calls it, for LineIn.
func Caller() []uintptr {
	stack := make([]uintptr, mostFrames)
	return stack[:runtime.Callers(2, stack)]
}

// LineIn is what Where says of a stack. It stops nothing.
func LineIn(stack []uintptr) string {
	frames := runtime.CallersFrames(stack)
	for more := len(stack) > 0; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		if line := ownLine.FindString(fmt.Sprintf("%s:%d", frame.File, frame.Line)); line != "" {
			if file, _, _ := strings.Cut(line, ":"); !isOwnLibrary(file) {
				return " in " + line
			}
		}
	}
	return ""
}

const module = "microblogging/"

// siteOf is the line of a frame. A function literal that was inlined has the package of its
// caller, so only the file tells which package it is of. Where the module lies is known to the
// compiler alone, so the end of the file's path is looked up.
func siteOf(frame runtime.Frame) (Site, bool) {
	qualified, inModule := strings.CutPrefix(frame.Function, module)
	if !inModule {
		return Site{}, false
	}
	site, text := Site{File: frame.File, Line: frame.Line}, ""
	for found := false; !found; text, found = Source(site.File) {
		if _, site.File, found = strings.Cut(site.File, "/"); !found {
			return Site{}, false
		}
	}
	_, function, _ := strings.Cut(qualified[strings.LastIndex(qualified, "/")+1:], ".")
	site.Function, _, _ = strings.Cut(function, ".func") // that contains the function literal
	if half := len(site.Function) / 2; site.Function == site.Function[:half]+"."+site.Function[:half] {
		site.Function = site.Function[:half] // a function that makes the literal was inlined into it
	}
	n := 0
	for line := range strings.Lines(text) {
		if n++; n == site.Line-1 {
			if sentence, ok := strings.CutPrefix(strings.TrimSpace(line), sentenceMark); ok {
				site.Sentence = sentence
			}
			break
		}
	}
	return site, true
}

// Source is the text of a Go file that a Site names, as it was when the program was built.
func Source(file string) (text string, ok bool) {
	text, ok = texts()[file]
	return text, ok
}

// texts are those of all files, 1.5 MB. They are copied once: a page looks for lines in dozens of files.
var texts = sync.OnceValue(func() map[string]string {
	texts := map[string]string{}
	for _, file := range embedded() {
		content, err := source.Files().ReadFile(file)
		if err == nil {
			texts[file] = string(content)
		}
	}
	return texts
})

// Fingerprint is a hash of the code that is explored, as it was when the program was built: what a
// search has found is known of that. Comments on lines of their own, tests and a reader's own protocols
// make no difference.
func Fingerprint() string {
	hash := sha256.New()
	for _, file := range searchedFiles() {
		text, _ := Source(file)
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				hash.Write([]byte(line + "\n"))
			}
		}
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

// searchedFiles are those of the fingerprint.
func searchedFiles() []string {
	return slices.DeleteFunc(sourceFiles(), func(file string) bool { return strings.HasPrefix(file, "lab/own/") })
}

// sourceFiles are the files that are embedded, without tests.
func sourceFiles() []string {
	return slices.DeleteFunc(embedded(), func(file string) bool { return strings.HasSuffix(file, "_test.go") })
}

func embedded() (files []string) {
	for _, pattern := range []string{"*/*.go", "*/*/*.go", "*/*/*/*.go"} {
		found, _ := fs.Glob(source.Files(), pattern) // the patterns are good
		files = append(files, found...)
	}
	return files
}

// Find returns the file and the lines of a function: "openGate", or "(*pass).lookAt" if others
// have the name. The file is empty if there is none.
func Find(function string) (file string, first, last int) {
	at, found := declared()[function]
	if !found {
		return "", 0, 0
	}
	first, last = Function(at.File, at.Line)
	return at.File, first, last
}

// declared has where each function begins, by its name with and without its receiver. Each page asks for some, so the files
// are read for that once.
var declared = sync.OnceValue(func() map[string]Site {
	places := map[string]Site{}
	for _, file := range sourceFiles() {
		text, _ := Source(file)
		n := 0
		for line := range strings.Lines(text) {
			n++
			declaration, is := strings.CutPrefix(line, "func ")
			if !is {
				continue
			}
			receiver := ""
			if method, is := strings.CutPrefix(declaration, "("); is {
				receiver, declaration, _ = strings.Cut(method, ") ")
				receiver = "(" + receiver[strings.LastIndex(receiver, " ")+1:] + ")."
			}
			name := declaration[:strings.IndexAny(declaration, "[(")]
			for _, key := range []string{name, receiver + name} {
				if _, known := places[key]; !known {
					places[key] = Site{Function: key, File: file, Line: n}
				}
			}
		}
	}
	return places
})

// Function returns the first and the last line of the function that holds a line of a
// file. Lines count from 1. Both are 0 if no function does.
func Function(file string, line int) (first, last int) {
	text, _ := Source(file)
	for i, text := range strings.Split(text, "\n") {
		switch { // as gofmt writes it
		case strings.HasPrefix(text, "func ") && i < line:
			first, last = i+1, 0
		case first == 0 || last > 0:
			continue
		}
		if strings.HasPrefix(text, "}") || strings.HasSuffix(text, "}") && i+1 == first {
			last = i + 1
		}
	}
	if last < line {
		return 0, 0
	}
	return first, last
}
