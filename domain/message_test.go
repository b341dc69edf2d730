package domain_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"microblogging/domain"
)

// messages are all messages that our programs can send, and more: the names are any
// text.
func messages() *rapid.Generator[domain.Message] {
	return rapid.Custom(func(t *rapid.T) domain.Message {
		m := domain.Message{
			Kind:        domain.MessageChannel,
			Channel:     domain.ChannelName(validNames().Draw(t, "channel")).Key(),
			Incarnation: domain.NewIncarnation(),
			Name:        domain.ChannelName(rapid.StringN(0, 64, -1).Draw(t, "name")),
			RequestedBy: domain.UserName(rapid.StringN(0, 8, 32).Draw(t, "by")),
			RequestedOn: domain.Storable(instants().Draw(t, "requestedOn")),
			Attempts:    rapid.IntRange(0, 1000).Draw(t, "attempts"),
		}
		if domain.CheckStored("requestedOn", m.RequestedOn) != nil || len(m.Channel) > 448 {
			t.Skip("not a message that this program sends")
		}
		if rapid.Bool().Draw(t, "of a post") {
			m.Kind = domain.MessageBlog
			m.Blog = domain.NewBlogID(instants().Draw(t, "created"))
			m.Revision = domain.NewRevision()
		} else if rapid.Bool().Draw(t, "can be undone") {
			m.UndoCount = int64(rapid.IntRange(0, 3).Draw(t, "number"))
			m.UndoableUntil = m.RequestedOn
		}
		return m
	})
}

func TestMessage(t *testing.T) {
	t.Run("round-trips in ASCII", messageRoundTripsInASCII)
	t.Run("with a name that is not UTF-8 is read", messageWithANameThatIsNotUTF8IsRead)
	t.Run("that no worker can handle is refused", messageThatNobodyCanHandleIsRefused)
	t.Run("keeps the fields of a later or an earlier program when it is written again", otherFieldsSurvive)
	t.Run("with later fields that are too long to carry is refused", laterFieldsTooLong)
}

func messageRoundTripsInASCII(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := messages().Draw(t, "message")
		text := m.Encode()
		for i := range len(text) {
			if c := text[i]; c < 0x20 || c >= 0x7f {
				t.Fatalf("%q holds the byte 0x%02x", text, c)
			}
		}
		back, err := domain.DecodeMessage(text)
		if err != nil || back != m {
			t.Errorf("%+v came back as %+v, %v", m, back, err)
		}
		if back.Ref() != (domain.ChannelRef{Key: m.Channel, Incarnation: m.Incarnation}) {
			t.Errorf("%+v names %+v", m, back.Ref())
		}
	})
}

// This program stores no name that is not UTF-8, but one must not stop a deletion.
func messageWithANameThatIsNotUTF8IsRead(t *testing.T) {
	m := sample()
	m.Name, m.RequestedBy = "a\xff\xed\xa0\x80", "\xc3"
	if _, err := domain.DecodeMessage(m.Encode()); err != nil {
		t.Error(err)
	}
}

func sample() domain.Message {
	return domain.Message{
		Kind: domain.MessageChannel, Channel: "garden", Incarnation: domain.NewIncarnation(),
		Name: "Garden", RequestedBy: "ada", RequestedOn: time.Date(2014, 2, 3, 4, 5, 6, 700, time.UTC),
	}
}

func sampleOfAPost() domain.Message {
	m := sample()
	m.Kind, m.Blog, m.Revision = domain.MessageBlog, domain.NewBlogID(m.RequestedOn), domain.NewRevision()
	return m
}

// The decoder must refuse a message that no worker can ever handle, because a
// worker would try it again and again.
func messageThatNobodyCanHandleIsRefused(t *testing.T) {
	for what, spoil := range map[string]func(m *domain.Message){
		"no kind":                  func(m *domain.Message) { m.Kind = "" },
		"an unknown kind":          func(m *domain.Message) { m.Kind = "user" },
		"no channel":               func(m *domain.Message) { m.Channel = "" },
		"a channel of no key":      func(m *domain.Message) { m.Channel = "a/b" },
		"a channel in capitals":    func(m *domain.Message) { m.Channel = "Garden" },
		"a channel that is no key": func(m *domain.Message) { m.Channel = "gärden" },
		"a channel too long":       func(m *domain.Message) { m.Channel = domain.ChannelKey(strings.Repeat("x", 449)) },
		"no incarnation":           func(m *domain.Message) { m.Incarnation = "" },
		"a made-up incarnation":    func(m *domain.Message) { m.Incarnation = "gate!open!" },
		"no time":                  func(m *domain.Message) { m.RequestedOn = time.Time{} },
		"a name too long":          func(m *domain.Message) { m.Name = domain.ChannelName(strings.Repeat("x", 257)) },
		"a user too long":          func(m *domain.Message) { m.RequestedBy = domain.UserName(strings.Repeat("x", 257)) },
		"a post, and none":         func(m *domain.Message) { m.Kind = domain.MessageBlog },
		"no post":                  func(m *domain.Message) { *m = sampleOfAPost(); m.Blog = "" },
		"a made-up post":           func(m *domain.Message) { *m = sampleOfAPost(); m.Blog = "gate!open!" },
		"no revision":              func(m *domain.Message) { *m = sampleOfAPost(); m.Revision = "" },
		"a made-up revision":       func(m *domain.Message) { *m = sampleOfAPost(); m.Revision = "x" },
	} {
		m := sample()
		spoil(&m)
		if back, err := domain.DecodeMessage(m.Encode()); err == nil {
			t.Errorf("a message of %s is read as %+v", what, back)
		}
	}
	for _, text := range []string{"", "{}", "null", "[]", "x", "{", `{"kind":"channel"}`, `{"kind":1}`, "\xff"} {
		if back, err := domain.DecodeMessage(text); err == nil {
			t.Errorf("%q is read as %+v", text, back)
		}
	}
}

// The web may be newer than the worker, and the other way round.
func otherFieldsSurvive(t *testing.T) {
	for later, want := range map[string]string{
		`"later":{"nested":[1, 2.50]}`:              `"later":{"nested":[1,2.50]}`,
		`"later":"Stra\u00dfe","b":null`:            `"b":null,"later":"Stra\u00dfe"`,
		`"later":"Straße \u0007","a":"😀"`:           `"a":"\ud83d\ude00","later":"Stra\u00dfe \u0007"`,
		"\"later\":\r\n\t[true]":                    `"later":[true]`,
		`"größe":1e400`:                             `"gr\u00f6\u00dfe":1e400`,
		`"later":1,"later":2`:                       `"later":2`,
		`"<a>":"<b>"`:                               `"\u003ca\u003e":"<b>"`,
		`"later":99999999999999999999,"ATTEMPTS":3`: `"later":99999999999999999999`,
		// An earlier program named the request here.
		`"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"`: `"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"`,
	} {
		text := strings.TrimSuffix(sample().Encode(), "}") + "," + later + "}"
		m, err := domain.DecodeMessage(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		m.Attempts = 4
		again := m.Encode()
		if !strings.HasSuffix(again, `"attempts":4,`+want+"}") {
			t.Errorf("%s is written again as %s", text, again)
		}
		if back, err := domain.DecodeMessage(again); err != nil || back != m || back.Encode() != again {
			t.Errorf("%s is read as %+v, %v, want %+v", again, back, err, m)
		}
	}
}

func laterFieldsTooLong(t *testing.T) {
	text := strings.TrimSuffix(sample().Encode(), "}") + `,"later":"` + strings.Repeat("ß", 6<<10) + `"}`
	if m, err := domain.DecodeMessage(text); err == nil {
		t.Errorf("%d bytes are read as a message, and written again as %d", len(text), len(m.Encode()))
	}
}

// FuzzDecodeMessage looks for a text that makes the decoder panic, that is read as
// a message which no row can hold, or that changes its meaning when a renewal of
// the lease writes it again.
func FuzzDecodeMessage(f *testing.F) {
	of, post := sample(), sampleOfAPost()
	of.Name, of.RequestedBy, of.Attempts = "Stra\u00dfe \x7f\U0001f600\u2028", "ada_99", 7
	for _, m := range []domain.Message{sample(), of, post} {
		f.Add(m.Encode())
		f.Add(strings.TrimSuffix(m.Encode(), "}") + `,"later":{"nested":[1]},"attempts":1e2}`)
		f.Add(strings.TrimSuffix(m.Encode(), "}") + ",\"gr\u00f6\u00dfe\" :\r\n[ \"\U0001f600\x7f\"],\"\xff\":\"\xff\",\"KIND\":\"channel\"}")
		f.Add(strings.Replace(m.Encode(), "07Z\"", "07+23:59\"", 1))
		f.Add(strings.Replace(m.Encode(), string(m.Incarnation), "of/nothing", 1))
	}
	for _, text := range []string{"", "null", `{"kind":"blog","blog":"!"}`, `{"requestedOn":"9999-99-99"}`, "\x00", "[[[[", `{"name":"\ud800"}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := domain.DecodeMessage(text)
		if err != nil {
			return
		}
		renewed := m.Encode()
		if i := strings.IndexFunc(renewed, func(r rune) bool { return r < ' ' || r > '~' }); i >= 0 {
			t.Errorf("%q is written as %q, and Azure changes its byte %d", text, renewed, i)
		}
		again, err := domain.DecodeMessage(renewed)
		if err != nil || again.Encode() != renewed || !again.RequestedOn.Equal(m.RequestedOn) {
			t.Errorf("%q is read as %+v, and then as %+v, %v", text, m, again, err)
		}
		again.RequestedOn = m.RequestedOn // equal instants, perhaps written differently, such as +00:00
		if again != m {
			t.Errorf("%q is read as %+v, and then as %+v", text, m, again)
		}
		if !keyIsPlain(m.Channel) {
			t.Errorf("%q is about the channel %q", text, m.Channel)
		}
		if _, err := domain.ParseIncarnation(string(m.Incarnation)); err != nil {
			t.Errorf("%q is about the incarnation %q", text, m.Incarnation)
		}
		if _, err := domain.ParseBlogID(string(m.Blog)); m.Kind == domain.MessageBlog && err != nil {
			t.Errorf("%q is about the post %q", text, m.Blog)
		}
		if err := domain.CheckStored("requestedOn", m.RequestedOn); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}
