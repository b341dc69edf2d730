package main

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSiteFlags(t *testing.T) {
	t.Run("name the site, say what it is about and whom to ask", siteIsNamed)
	t.Run("that are wrong end the start with the reason, and make no store", wrongSiteFlags)
	t.Run("that are empty in the environment are unset", func(t *testing.T) {
		for _, name := range []string{"SITE_NAME", "SITE_ABOUT", "CONTACT"} {
			t.Setenv("MICROBLOGGING_"+name, "")
		}
		if o := parsed(t, "web").Web.options(); o.SiteName != "" || o.SiteAbout != "" || o.Contact != "" {
			t.Errorf("they are %q, %q and %q", o.SiteName, o.SiteAbout, o.Contact)
		}
	})
}

// aboutOf is the path of a file with this text.
func aboutOf(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "about.md")
	ok(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func siteIsNamed(t *testing.T) {
	defer http.DefaultClient.CloseIdleConnections()
	t.Setenv("MICROBLOGGING_CONTACT", "the desk")
	file := aboutOf(t, "\ufeff# About us\r\n\r\n## Rules\r\n\r\nNo *selling*.\r\n")
	r, address := serving(t, "--site-name", "Lakeside", "--site-about", file)
	defer r.end(t)
	ok(t, os.WriteFile(file, []byte("Another text"), 0o600)) // it was read
	for path, wants := range map[string][]string{
		"/":        {"<title>Latest · Lakeside</title>", `href="/about#rules"`},
		"/about":   {"About us</h1>", "No <em>selling</em>.", "the desk"},
		"/sign-in": {"the desk"},
	} {
		page := get(t, http.DefaultClient, address+path, http.StatusOK)
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s has no %s: %s", path, want, page)
			}
		}
	}
}

func wrongSiteFlags(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large.md")
	ok(t, os.WriteFile(large, bytes.Repeat([]byte("a"), 10<<20), 0o600))
	folder := t.TempDir()
	for _, c := range []struct{ flag, value, says string }{
		{"--site-name", strings.Repeat("a", 300), "--site-name: must have at most 60 characters, this has 300"},
		{"--site-name", "a\nb", "--site-name: must not hold the control character U+000A"},
		{"--site-name", "a\u200bb", "--site-name: must not hold the invisible character U+200B"},
		{"--site-name", " ", "--site-name: must not be blank"},
		{"--contact", strings.Repeat("a", 201), "--contact: must have at most 200 characters, this has 201"},
		{"--site-about", folder + "/nothing.md", "--site-about: open " + folder + "/nothing.md: no such file or directory"},
		{"--site-about", folder, "--site-about: read " + folder + ": is a directory"},
		{"--site-about", large, "--site-about: " + large + " must have at most 100000 characters"},
		{"--site-about", aboutOf(t, "a\xff"), "about.md is not valid UTF-8"},
		{"--site-about", aboutOf(t, "\n"), "about.md must not be blank"},
	} {
		for _, command := range []string{"serve", "web"} {
			dir := filepath.Join(t.TempDir(), "data")
			refused(t, exitCannotRun, c.says, command, c.flag, c.value, "--data", dir)
			if _, err := os.Stat(dir); !os.IsNotExist(err) {
				t.Errorf("%s made a store: %v", c.flag, err)
			}
		}
	}
}
