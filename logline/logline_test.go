package logline

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestTextHandler(t *testing.T) {
	t.Run("writes what slog writes", handlerWritesWhatSlogWrites)
	t.Run("writes of a request what slog writes", handlerWritesRequests)
	t.Run("writes each line by one call", handlerWritesEachLineByOneCall)
	t.Run("allocates nothing for a request", handlerAllocatesNothing)
}

var (
	words = rapid.OneOf(rapid.SampledFrom([]string{
		"GET", "/channels/Engines", "/digest/…", "", "a b", "a=b", `a"b`, `a\b`, "<&>", "\x7f", "\n", "é", "\xff", "request", "/a?b#c%20+~!$'()*,;:@[]{}|^`",
	}), rapid.String())
	values = rapid.OneOf(
		rapid.Map(words, slog.StringValue), rapid.Map(rapid.Int64(), slog.Int64Value),
		rapid.Map(rapid.Int64(), func(n int64) slog.Value { return slog.DurationValue(time.Duration(n)) }),
		rapid.Map(rapid.Bool(), slog.BoolValue), rapid.Just(slog.AnyValue(errors.New("a fault"))), rapid.Just(slog.AnyValue(nil)),
		rapid.Map(words, func(w string) slog.Value { return slog.GroupValue(slog.String("in", w)) }),
		rapid.Map(words, func(w string) slog.Value { return slog.AnyValue(valuer{slog.StringValue(w)}) }),
		rapid.Map(words, func(w string) slog.Value {
			return slog.AnyValue(valuer{slog.GroupValue(slog.String("in", w), slog.Int("n", 1))})
		}),
		rapid.Just(slog.AnyValue(valuer{slog.GroupValue()})),
	)
	attrs = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) slog.Attr {
		return slog.Attr{Key: words.Draw(t, "key"), Value: values.Draw(t, "value")}
	}), 0, 9)
)

func handlerWritesWhatSlogWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var got, want bytes.Buffer
		ours, theirs := NewTextHandler(&got, slog.LevelInfo), slog.NewTextHandler(&want, nil)
		for range rapid.IntRange(1, 4).Draw(t, "lines") {
			at := time.Unix(rapid.OneOf(rapid.Int64Range(0, 2), rapid.Int64Range(0, 4e9)).Draw(t, "second"), rapid.Int64Range(0, 1e9-1).Draw(t, "nanosecond"))
			at = at.In(rapid.SampledFrom([]*time.Location{time.UTC, time.FixedZone("", -3*3600-1800)}).Draw(t, "zone"))
			r := slog.NewRecord(at, rapid.SampledFrom([]slog.Level{slog.LevelInfo, slog.LevelError, slog.LevelInfo + 1}).Draw(t, "level"), words.Draw(t, "message"), 0)
			r.AddAttrs(attrs.Draw(t, "attributes")...)
			for i, h := range []slog.Handler{ours, theirs} {
				if r.NumAttrs()%3 == 2 {
					h = h.WithAttrs([]slog.Attr{slog.String("part", "x")}).WithGroup("group")
				}
				if err := h.Handle(t.Context(), r); err != nil {
					t.Fatal(err, i)
				}
			}
		}
		if got.String() != want.String() {
			t.Fatalf("wrote\n%q, want\n%q", got.String(), want.String())
		}
	})
}

// valuer has its value made when its line is.
type valuer struct{ value slog.Value }

func (v valuer) LogValue() slog.Value { return v.value }

type calls []string

func (c *calls) Write(p []byte) (int, error) { *c = append(*c, string(p)); return len(p), nil }

// mostlyPlain is mostly a word without quotes, so that many requests have such words alone.
var mostlyPlain = rapid.OneOf(rapid.StringMatching("[a-z0-9/]{1,9}"), rapid.StringMatching("[A-Z]{1,9}"), rapid.Just("/channels/Engines"), words)

func handlerWritesRequests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Request{
			Level: rapid.SampledFrom([]slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelError}).Draw(t, "level"),
			Ended: time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "second"), rapid.Int64Range(0, 1e9-1).Draw(t, "nanosecond")),
			Took:  time.Duration(rapid.Int64().Draw(t, "took")), Status: rapid.Int().Draw(t, "status"),
			Method: mostlyPlain.Draw(t, "method"), Path: mostlyPlain.Draw(t, "path"), ID: mostlyPlain.Draw(t, "id"),
			Client: mostlyPlain.Draw(t, "client"), User: mostlyPlain.Draw(t, "user"),
			Names: rapid.SampledFrom([]Namer{nil, backwards{}}).Draw(t, "names"),
		}
		var got, late, want bytes.Buffer
		b := NewBuffer(&late)
		newHandler := func(w io.Writer) slog.Handler { return NewTextHandler(w, slog.LevelInfo) }
		for _, h := range []slog.Handler{newHandler(&got), b.Handler(newHandler), slog.NewTextHandler(&want, nil)} {
			if !h.Enabled(t.Context(), r.Level) {
				continue
			}
			if err := r.Log(t.Context(), h); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Flush(); err != nil || got.String() != want.String() || late.String() != want.String() {
			t.Fatalf("wrote\n%q and late\n%q, want\n%q, %v", got.String(), late.String(), want.String(), err)
		}
	})
}

// backwards names a client by what was seen of it, backwards.
type backwards struct{}

func (backwards) NameClient(seen string, _ time.Time) string {
	name := []byte(seen)
	slices.Reverse(name)
	return string(name)
}

func request(h slog.Handler) error {
	r := Request{Ended: time.Unix(1, 0), Method: "GET", Path: "/channels/Engines", Status: 200, Took: 12345, ID: "ID", Client: "client"}
	return r.Log(context.Background(), h)
}

func handlerWritesEachLineByOneCall(t *testing.T) {
	var written calls
	h := NewTextHandler(&written, slog.LevelInfo)
	for range 3 {
		if err := request(h); err != nil {
			t.Fatal(err)
		}
	}
	slog.New(h).Error("not a request", "error", errors.New("a fault"))
	slog.New(h).Debug("not shown")
	if len(written) != 4 || strings.Count(strings.Join(written, ""), "\n") != 4 {
		t.Errorf("%q", written)
	}
}

type sink struct{}

func (sink) Write(p []byte) (int, error) { return len(p), nil }

func handlerAllocatesNothing(t *testing.T) {
	h := NewTextHandler(sink{}, slog.LevelInfo)
	if n := testing.AllocsPerRun(100, func() {
		if err := request(h); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
