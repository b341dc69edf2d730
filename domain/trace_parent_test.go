package domain_test

import (
	"strings"
	"testing"

	"microblogging/domain"
)

const someTraceParent domain.TraceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func TestTraceParent(t *testing.T) {
	t.Run("is valid as the header has it, and in no other form", func(t *testing.T) {
		valid := string(someTraceParent)
		if !someTraceParent.Valid() {
			t.Errorf("%q is refused", valid)
		}
		for _, text := range []string{
			"", "00-", valid + "0", valid[:54], "01" + valid[2:], strings.ToUpper(valid), strings.ReplaceAll(valid, "-", "_"),
			"00-00000000000000000000000000000000-b7ad6b7169203331-01", "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
			valid[:53] + "\u00e9", valid[:53] + "x1",
		} {
			if domain.TraceParent(text).Valid() {
				t.Errorf("%q is valid", text)
			}
		}
	})
}

func TestMessageTrace(t *testing.T) {
	t.Run("is carried", func(t *testing.T) {
		m := sample()
		m.TraceParent = someTraceParent
		back, err := domain.DecodeMessage(m.Encode())
		if err != nil || back != m {
			t.Errorf("%+v is read as %+v, %v", m, back, err)
		}
	})
	t.Run("of another form is left out, and poisons nothing", func(t *testing.T) {
		m := sample()
		m.TraceParent = "00-" + domain.TraceParent(strings.Repeat("x", 70<<10))
		back, err := domain.DecodeMessage(m.Encode())
		if m.TraceParent = ""; err != nil || back != m {
			t.Errorf("read as %+v, %v", back, err)
		}
	})
	t.Run("of a deletion is in its message", func(t *testing.T) {
		d := domain.Deletion{TraceParent: someTraceParent}
		if m := d.Message(); m.TraceParent != someTraceParent {
			t.Errorf("the message is %+v", m)
		}
	})
}
