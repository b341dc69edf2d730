package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestConnectionStringFile(t *testing.T) {
	const secret = "hunter2hunter2"
	for sentence, c := range map[string]struct {
		text, says string
	}{
		"of two lines is refused":              {unreachable + "\n" + secret, "more than one line"},
		"of blanks is refused":                 {" \n\t\n", "is empty"},
		"of another kind is not printed":       {"AccountKey=" + secret, ""},
		"that is no connection string at all":  {secret, ""},
		"much longer than one is not read out": {strings.Repeat(secret, 1000), "more than 8192 bytes"},
	} {
		t.Run(sentence, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "secret")
			if err := os.WriteFile(name, []byte(c.text), 0o400); err != nil {
				t.Fatal(err)
			}
			t.Setenv("AZURE_STORAGE_CONNECTION_STRING_FILE", name)
			code, out, errs := program(t, "check", "--storage", "azure")
			if code != exitCannotRun || out != "" || !strings.Contains(errs, c.says) {
				t.Errorf("exits with %d, prints %q and says %q, want 2, nothing and something of %q", code, out, errs, c.says)
			}
			if strings.Contains(errs, secret) || strings.Count(errs, "\n") != 1 {
				t.Errorf("says %q, want one line without the secret", errs)
			}
		})
	}
	t.Run("is read without the end of its line, and goes before the string", func(t *testing.T) {
		name := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(name, []byte(unreachable+"\r\n"), 0o400); err != nil {
			t.Fatal(err)
		}
		flags := storageFlags{AzureConnectionString: "none", AzureConnectionStringFile: name}
		if got, err := flags.connectionString(); got != unreachable || err != nil {
			t.Errorf("the account is %q (%v), want that in the file", got, err)
		}
		flags.AzureConnectionStringFile = ""
		if got, err := flags.connectionString(); got != "none" || err != nil {
			t.Errorf("without a file the account is %q (%v)", got, err)
		}
	})
	t.Run("is not read for the embedded store", func(t *testing.T) {
		t.Setenv("AZURE_STORAGE_CONNECTION_STRING_FILE", filepath.Join(t.TempDir(), "nosuch"))
		if code, _, errs := program(t, "check", "--data", emptyStore(t)); code != exitOK {
			t.Errorf("exits with %d and says %q", code, errs)
		}
	})
}
