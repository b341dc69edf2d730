package load

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestMix(t *testing.T) {
	t.Run("what is not a mix is refused with a sentence that names the mistake", refusesMixes)
	t.Run("operations come as often as their weights say, and one without a weight never", picksByWeight)
}

func refusesMixes(t *testing.T) {
	for text, says := range map[string]string{
		"":                    "post, read, feed, vote",
		"post":                "post=N",
		"post=":               "post=N",
		"post=ten":            "post=N",
		"post=1.5":            "post=N",
		"post=-1":             "0 to",
		"post=1000001":        "1000000",
		"post=1,like=2":       `"like"`,
		"post=1,post=2":       "two weights",
		"post=0,read=0":       "no operation",
		"post=1,,read=1":      "post, read, feed, vote",
		"POST=1":              `"POST"`,
		"post=99999999999999": "1000000",
	} {
		mix := Mix{1, 2, 3, 4}
		if err := mix.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want an error with %q", text, err, says)
		}
		if mix != (Mix{1, 2, 3, 4}) {
			t.Errorf("%q changed the mix to %v", text, mix)
		}
	}
}

func picksByWeight(t *testing.T) {
	var mix Mix
	if err := mix.UnmarshalText([]byte("vote=10, read=90,feed=0")); err != nil {
		t.Fatal(err)
	}
	if mix.String() != "read=90,vote=10" {
		t.Errorf("the mix is %s", mix)
	}
	random, picked := rand.New(rand.NewPCG(1, 2)), [operations]int{}
	const n = 100_000
	for range n {
		picked[mix.pick(random)]++
	}
	if picked[Post] != 0 || picked[Feed] != 0 || math.Abs(float64(picked[Vote])-n/10) > n/100 {
		t.Errorf("of %d operations, %v were picked", n, picked)
	}
}
