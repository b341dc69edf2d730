package load

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestMix(t *testing.T) {
	t.Run("what is not a mix is refused", refusesMixes)
	t.Run("operations come as often as their weights say, and one without a weight never", picksByWeight)
}

func refusesMixes(t *testing.T) {
	for _, text := range []string{
		"", "post", "post=", "post=ten", "post=1.5", "post=-1", "post=1000001", "post=1,like=2", "post=0,read=0", "post=1,,read=1", "POST=1",
	} {
		mix := Mix{1, 2, 3, 4}
		if err := mix.UnmarshalText([]byte(text)); err == nil || mix != (Mix{1, 2, 3, 4}) {
			t.Errorf("%q: %v, and the mix is %v", text, err, mix)
		}
	}
}

func picksByWeight(t *testing.T) {
	var mix Mix
	if err := mix.UnmarshalText([]byte("vote=10, read=90,feed=0")); err != nil {
		t.Fatal(err)
	}
	if mix.String() != "read=90, vote=10" {
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
