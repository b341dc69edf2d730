package e2e

import (
	"path/filepath"
	"testing"

	"microblogging/e2e/program"
)

// onBolt makes an empty embedded store.
func onBolt(t *testing.T) setup {
	return setup{program.Setup{Binary: binary, Flags: []string{"--data", filepath.Join(t.TempDir(), "data")}}}
}

// onAzurite takes a connection string.
func onAzurite(connection string) setup {
	return setup{program.Setup{
		Binary:      binary,
		Flags:       []string{"--storage", "azure"},
		Environment: []string{"AZURE_STORAGE_CONNECTION_STRING=" + connection},
	}}
}
