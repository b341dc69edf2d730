package page

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"microblogging/lab"
	"microblogging/lab/prove"
)

func TestDump(t *testing.T) {
	b, _ := os.ReadFile("/tmp/campaign/schedules.md")
	for _, m := range regexp.MustCompile(`replay (\S+) '([^']+)'`).FindAllStringSubmatch(string(b), -1) {
		c, err := prove.Find(m[1])
		if err != nil {
			t.Fatal(err)
		}
		s, err := c.Parse(m[2])
		if err != nil {
			t.Fatal(err)
		}
		x := lab.NewExplorer(c.Scenario)
		moments, err := x.Follow(s)
		if err != nil {
			t.Error(m[1], err)
		}
		x.Close()
		n := newNarrator(c, moments)
		fmt.Println("##", m[1])
		for i := 1; i < len(moments); i++ {
			w := c.Words(*moments[i].Step)
			fmt.Printf("%2d %-5s %-60.60s %-12.12s %-20.20s | %s\n", i, w.Actor, w.Call, w.Fate, w.Answer, n.why(i))
		}
	}
}
