package main

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"microblogging/domain"
	"microblogging/storage/driver"
)

func TestCheckCommand(t *testing.T) {
	t.Run("exits 1 for what waits in poison, and lists it, until nothing does", checkListsPoison)
	t.Run("writes nothing that a terminal would act on", checkWritesNoControls)
}

func checkListsPoison(t *testing.T) {
	s := openSite(t, t.TempDir())
	message := domain.Message{
		Kind: domain.MessageBlog, Channel: "garden", Incarnation: domain.NewIncarnation(), Name: "Garden", RequestedBy: "ada", RequestedOn: domain.Now(),
		Blog: domain.NewBlogID(domain.Now()), Revision: domain.NewRevision(),
	}
	s.ok(s.store.Operator.Messages().Send(t.Context(), message.Encode()))
	received, err := s.store.Operator.Messages().Receive(t.Context(), 1, time.Minute)
	s.ok(err)
	unread := driver.Message{ID: "1", Text: strings.Repeat("not a message ", 100)} // the worker died before it ended the message
	if err := s.store.Operator.Poison(t.Context(), unread); !errors.Is(err, domain.ErrLeaseLost) {
		t.Fatal(err)
	}
	s.ok(s.store.Operator.Poison(t.Context(), received[0]))
	s.close()
	data := s.data
	code, stdout, stderr := program(t, "check", "--data", data)
	if code != exitFound || !strings.Contains(stdout, "0 violations") || !strings.Contains(stdout, "2 messages are poisoned") ||
		!strings.Contains(stderr, string(message.Blog)) || !strings.Contains(stderr, "requeue --channel garden") {
		t.Errorf("exit %d, %q and %q, want a line about the post", code, stdout, stderr)
	}
	if !strings.Contains(stderr, `decoded: "not a message `) || !strings.Contains(stderr, "requeue puts it back") || len(stderr) > 1_000 {
		t.Errorf("%q, want a short line about the message that cannot be decoded", stderr)
	}
	if code, stdout, stderr := program(t, "requeue", "--drop", "--data", data); code != exitOK || stdout != "dropped 1\n" {
		t.Errorf("dropping: exit %d, %q and %q", code, stdout, stderr)
	}
	if _, _, stderr := program(t, "check", "--data", data); strings.Contains(stderr, "decoded") || !strings.Contains(stderr, string(message.Blog)) {
		t.Errorf("%q, want a line about the post alone", stderr)
	}
	for _, poisoned := range []int{1, 0} {
		code, stdout, _ := program(t, "check", "--json", "--data", data)
		var report checkReport
		if err := json.Unmarshal([]byte(stdout), &report); err != nil || report.Poisoned != poisoned || code != poisoned*exitFound || !strings.Contains(stdout, `"poisoned":`) {
			t.Errorf("exit %d, %v, %s, want %d poisoned", code, err, stdout, poisoned)
		}
		mustRun(t, "requeue", "--data", data)
	}
}

func checkWritesNoControls(t *testing.T) {
	const acts = "\x1b[2J\x07\xff\u009b\u202e"
	s := openSite(t, t.TempDir())
	row := func(table, partition, row string, properties ...driver.Property) {
		s.ok(s.db.Do(t.Context(), &driver.Call{ // Table lets no such key pass
			Method: driver.CallTransact, Target: table, Partition: partition, Operations: []driver.Operation{driver.Insert(row, properties...)},
		}))
	}
	row("Blogs", "garden", "sub!"+acts)
	row("Blogs", acts, acts)
	row("Channels", "garden", "", driver.String("Name", acts))
	named := domain.Message{
		Kind: domain.MessageChannel, Channel: "garden", Incarnation: domain.NewIncarnation(), Name: "\x1b[2J", RequestedBy: "\u202e", RequestedOn: domain.Now()}
	row("Deletions", "poison!", "x", driver.String("Text0", strconv.Quote(acts)))
	row("Deletions", "poison!", "y", driver.String("Text0", strconv.Quote(named.Encode())))
	s.close()
	data := s.data
	code, stdout, stderr := program(t, "check", "--data", data)
	if n := strings.Count(stdout, "\n"); code != exitFound || n < 3 || strings.Count(stderr, "poisoned: ") != 2 {
		t.Errorf("exit %d, %q and %q", code, stdout, stderr)
	}
	for _, out := range []string{stdout, stderr} {
		if at := strings.IndexFunc(out, func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' }); at >= 0 || !utf8.ValidString(out) {
			t.Errorf("byte %d of %q is not printable", at, out)
		}
	}
}
