package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestPrint(t *testing.T) {
	ms := func(n int) Time { return Time(time.Duration(n) * time.Millisecond) }
	measured := func(name string, n int64) Measured {
		return Measured{Name: name, Requests: n, Entities: 4 * n, Throttled: 3, Failed: 1, P50: ms(2), P95: ms(30), P99: ms(400), Max: ms(5000)}
	}
	one := Result{
		Plan: Plan{Duration: 10 * time.Second, Workers: 8, Rate: 50, Mix: Mix{Post: 1}}, Channels: 1, Elapsed: ms(20_000),
		Operations: []Measured{measured("post", 1000)}, All: measured("all", 1000), Targets: azureTargets(),
		Failure: errors.New("<nothing> answers"),
	}
	two := one
	two.Channels, two.All = 2, measured("all", 2000)
	var table bytes.Buffer
	report, err := Report{Results: []Result{one, two}}.HTML()
	text, err2 := json.Marshal(one)
	if err := errors.Join(err, err2, WriteTable(&table, one)); err != nil {
		t.Fatal(err)
	}
	for got, says := range map[string][]string{
		string(text): {`{"channels":1,"duration":20,"operations":[{"name":"post","requests":1000,"entities":4000,"throttled":3,"failed":1,` +
			`"p50":0.002,"p95":0.03,"p99":0.4,"max":5}],"targets":{"partition":2000,"partition2011":500,"account":20000}}`},
		table.String(): {
			"channels: 1, 20s, open loop, 50 requests/s due, workers: 8", "50.0", "2ms", "30ms", "400ms", "5s",
			"200 entities/s: 10 % of Azure's target of 2000", "40 % of the 500", "1 % of the 20000", "<nothing> answers",
		},
		string(report): {"<caption>channels: 1<", "<caption>channels: 2<", "&lt;nothing&gt; answers", "post=1"},
	} {
		for _, want := range says {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
	}
	if remarks := (Result{}).Remarks(); len(remarks) != 1 || remarks[0] != "Nothing was measured." {
		t.Errorf("of nothing it says %q", remarks)
	}
}
