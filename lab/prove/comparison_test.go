package prove

import (
	"testing"
)

func TestCompare(t *testing.T) {
	t.Run("each story differs where the guard refuses, and the shipped code breaks no law", storiesDiffer)
	t.Run("without the guard the same story breaks a law", storiesNeedTheirGuard)
	t.Run("there is no story about anything else", noOtherStory)
}

func storiesDiffer(t *testing.T) {
	for anomaly, want := range map[string]struct {
		textbook, shipped, guard, refused, file, function string
	}{
		"A1": {"ann,olga*2,w1*3,ann", "ann,olga*6,w1*12,ann*2", "open-gate", "not found: merge gate!open!setup.4", "storage/blog_post.go", "(*Store).Post"},
		"A2": {"w1*4,ann,w2*2", "w1*15,ann*12,w2*8", "incarnation", "ok", "storage/channel.go", "(*Store).readIncarnation"},
		"A3": {"olga:dies-after", "olga*5,olga:dies-after", "queue-first", "", "storage/deletion_ask.go", "(*Store).enqueue"},
		"A4": {"ann:repeated,ann", "ann*4,ann:repeated,ann*9", "look", "already exists", "storage/channel_create.go", "(*Store).resolveInsert"},
	} {
		c, err := Compare(anomaly)
		if err != nil {
			t.Errorf("%s: %v", anomaly, err)
			continue
		}
		if c.TextbookSchedule != want.textbook || c.ShippedSchedule != want.shipped || c.Guard.Name != want.guard {
			t.Errorf("%s: textbook %s, shipped %s, guard %s", anomaly, c.TextbookSchedule, c.ShippedSchedule, c.Guard.Name)
		}
		if c.Site.File != want.file || c.Site.Function != want.function {
			t.Errorf("%s: the guard is in %+v, want %s %s", anomaly, c.Site, want.file, want.function)
		}
		if c.Broken[:2] != anomaly || len(c.Ending) == 0 && anomaly == "A3" {
			t.Errorf("%s: broken %q, ending %v", anomaly, c.Broken, c.Ending)
		}
		for i, row := range c.Rows {
			last := i == len(c.Rows)-1
			if row.Differs != (last && anomaly != "A3") || last && !answered(row, want.refused) {
				t.Errorf("%s: row %d is %+v", anomaly, i, row)
			}
		}
	}
}

func answered(row ComparisonRow, answer string) bool {
	for _, step := range row.Shipped {
		if step.Answer == answer {
			return true
		}
	}
	return false
}

func storiesNeedTheirGuard(t *testing.T) {
	for _, s := range stories() {
		_, moment, err := tell(s, s.guard)
		if err != nil || !moment.Broken() {
			t.Errorf("%s without %s: %+v, error %v", s.anomaly, s.guard, moment.Laws, err)
		}
	}
}

func noOtherStory(t *testing.T) {
	if _, err := Compare("post"); err == nil {
		t.Error("there is one about post")
	}
}
