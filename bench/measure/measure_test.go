package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestMeasure(t *testing.T) {
	t.Chdir("../..")
	file := filepath.Join(t.TempDir(), "report.html")
	tiny := scale{10 * time.Millisecond, []int{1_000}, []int{10}, []int{1, 10}}
	if err := measure(t.Context(), tiny, "bolt", file); err != nil {
		t.Fatal(err)
	}
	report, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("the report has a table and a plot of each subject", func(t *testing.T) {
		for _, want := range []string{"partition scan", "signed in", "<h2>Partitions", "<h2>Queries", "<h2>Deletions", "<h2>Pages"} {
			if !strings.Contains(string(report), want) {
				t.Errorf("the report lacks %q", want)
			}
		}
		if drawn := strings.Count(string(report), "<svg"); drawn != 5 {
			t.Errorf("the report has %d plots, and should have 5", drawn)
		}
	})
}
