package lab

import (
	"path"
	"runtime"
	"strings"
)

// A Site is a line of Go that makes a call to the store.
type Site struct {
	// Package and Function name the function: "storage" and "(*Store).Post".
	Package, Function string
	// File is relative to the module: "storage/blog_post.go". Source has its text.
	File string
	Line int
}

// mostFrames is more than an actor's stack is deep.
const mostFrames = 64

// stackOfCaller is the stack of an actor's code at the turnstile. It costs a few
// microseconds, so that it is taken only for somebody who looks (Explorer.trace).
func stackOfCaller() []uintptr {
	stack := make([]uintptr, mostFrames)
	return stack[:runtime.Callers(2, stack)]
}

// sites are the lines of the actor's code on a stack, the innermost first. The first of
// them is the operation that makes the call: what lies between it and the turnstile is
// package driver and the lab.
func sites(stack []uintptr) []Site {
	var list []Site
	if len(stack) == 0 {
		return nil
	}
	frames := runtime.CallersFrames(stack)
	for {
		frame, more := frames.Next()
		if site, ok := siteOf(frame); ok {
			list = append(list, site)
		}
		if !more {
			return list
		}
	}
}

// lines are the lines of Go that make the call of the point, the innermost first. Many
// moments have an actor wait at one point, so they are looked up once.
func (p *point) lines() []Site {
	if p.sites == nil {
		p.sites = sites(p.stack)
	}
	return p.sites
}

const module = "microblogging/"

// siteOf is the line of a frame, if it belongs to the actor's code. The compiler knows a
// file by its directory, or by its package if -trimpath is set; so only its name counts.
func siteOf(frame runtime.Frame) (Site, bool) {
	qualified, ours := strings.CutPrefix(frame.Function, module)
	slash := strings.LastIndex(qualified, "/") + 1
	name, function, ok := strings.Cut(qualified[slash:], ".")
	site := Site{Package: qualified[:slash] + name, Function: withoutClosures(function), Line: frame.Line}
	site.File = site.Package + "/" + path.Base(frame.File)
	if !ours || !ok || saysLittle(site.Function) {
		return Site{}, false
	}
	switch site.Package {
	case "storage", "storage/move", "worker", "lab/textbook":
		return site, true
	case "lab": // the requests of clients, and not the turnstile
		return site, strings.HasPrefix(site.File, "lab/client") || site.File == "lab/scenario_list.go"
	default:
		return Site{}, false
	}
}

// saysLittle tells that a function only passes a call on: its caller says what for.
func saysLittle(function string) bool {
	return function == "backend.write" || function == "(*Store).hasRow" || strings.HasPrefix(function, "patient.") ||
		function == "(*guard).write" || function == "(*guard).Transact" || function == "(*guard).Send"
}

// withoutClosures is the name of the function that a function literal stands in.
func withoutClosures(function string) string {
	name, _, _ := strings.Cut(function, ".func")
	return name
}
