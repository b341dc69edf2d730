package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"microblogging/e2e/client"
	"microblogging/e2e/program"
)

const (
	// drainTime bounds the wait for the deletions that were accepted. The longest
	// backoff of a message is a minute.
	drainTime = 3 * time.Minute
	drainPoll = 100 * time.Millisecond
	// checkPause is between two checks of a store in use.
	checkPause = time.Second
)

// drain waits until every accepted deletion is done. Poison is a violation, for
// all that happened was that the store or a process was away for a while.
func (s *site) drain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	for _, u := range s.users {
		u.tries = finalTries
	}
	if s.undoAccount > 0 {
		s.leap(ctx)
	}
	for _, of := range s.history.askedFor() {
		state := s.progress(ctx, of)
		for s.pending(of, state) && state != "poisoned" && ctx.Err() == nil {
			pause(ctx, drainPoll)
			state = s.progress(ctx, of)
		}
		if s.pending(of, state) {
			s.history.accuse("I5: the deletion of incarnation %s of %s is %q after %s at most", of.id, of.channel, state, drainTime)
		}
	}
}

// pending reports whether the deletion of an incarnation must still end. A deletion
// that was never accepted may never have begun, or may be undone.
func (s *site) pending(of *incarnation, state string) bool {
	return state != "done" && (state != "absent" && state != "undone" || !of.accepted.IsZero())
}

// progress is the state of a deletion: "absent" if there is none, and empty if no
// answer came.
func (s *site) progress(ctx context.Context, of *incarnation) string {
	var owner *user
	for _, u := range s.users {
		if u.name == of.owner {
			owner = u
		}
	}
	a := owner.send(ctx, "GET", client.DeletionPath(of.channel, of.id), nil, nil, http.StatusOK, http.StatusNotFound)
	var deletion client.Deletion
	switch {
	case a.Status == http.StatusNotFound:
		return "absent"
	case a.Status == http.StatusOK && owner.decode(a, &deletion):
		return deletion.State
	}
	return ""
}

// judge compares what the site shows now with the history.
func (s *site) judge(ctx context.Context) {
	for _, g := range s.history.left {
		s.judgeLeaver(ctx, g)
	}
	reader := s.users[0]
	for _, channel := range s.channels {
		reader.look(ctx, channel)
		reader.list(ctx, channel)
		if last := reader.look(ctx, channel); last != nil {
			s.judgePosts(ctx, reader, last)
		}
	}
	s.history.judgeTwins()
}

// judgePosts compares the rating of each post with the votes on it, and its replies with those that were acknowledged.
func (s *site) judgePosts(ctx context.Context, reader *user, in *incarnation) {
	for _, p := range s.history.standing(in) {
		reader.replies(ctx, p)
		a := reader.send(ctx, "GET", postPath(p), nil, nil, http.StatusOK)
		var shown item
		if a.Status != http.StatusOK || !reader.decode(a, &shown) {
			continue // which is a violation already
		}
		s.tally.add("ratings", 1)
		least, most := s.history.ratings(p)
		if shown.Rating < least || shown.Rating > most {
			s.history.accuse("I8: post %s is rated %d, and its voters were told %d to %d", p.id, shown.Rating, least, most)
		}
	}
}

// end ends all processes, and lets the program check its own store.
func (s *site) end(ctx context.Context) {
	for _, r := range s.roles {
		r.terminate()
	}
	s.inspect(ctx, true)
}

// watch lets the program check its own store again and again until the load ends.
// A row that belongs to no channel is always a violation, and the next deletion would hide it by
// sweeping it.
func (s *site) watch(ctx, load context.Context) {
	for pause(load, checkPause); load.Err() == nil; pause(load, checkPause) {
		s.inspect(ctx, false)
	}
}

// inspect lets the program check its own store once. As long as workers are hurt, a deletion that
// no worker handles is no violation.
func (s *site) inspect(ctx context.Context, calm bool) {
	s.away.RLock()
	defer s.away.RUnlock()
	ctx, cancel := context.WithTimeout(ctx, program.Patience)
	defer cancel()
	command := s.setup.Command(ctx, "check", "--json", "--lease", lease.String())
	command.Env = append(command.Env, s.clockOf(0)...)
	r, err := program.Run(command)
	if err == nil && (r.Code > 1 || strings.Contains(r.Stderr, dataRace)) {
		err = fmt.Errorf("check: exit %d\n%s", r.Code, r.Stderr)
	}
	var report struct {
		Violations []struct{ Invariant, Table, PartitionKey, RowKey, Detail string }
	}
	if err == nil {
		err = json.Unmarshal([]byte(r.Stdout), &report)
	}
	if err != nil {
		s.history.accuse("%v\n%s", err, r.Stdout)
		return
	}
	s.tally.add("checks", 1)
	for _, b := range report.Violations {
		if calm || b.Invariant != "I5" {
			s.history.accuse("%s: %+v, says check", b.Invariant, b)
		}
	}
}

// readLogs counts, in the logs of the processes, deliveries of messages that had been
// delivered before. A line that no process should write is a violation.
func (s *site) readLogs() error {
	for _, r := range s.roles {
		text, err := os.ReadFile(r.log)
		if err != nil {
			return err
		}
		for text := range bytes.Lines(text) {
			var line struct {
				Outcome    string
				Deliveries int64
			}
			switch err := json.Unmarshal(text, &line); {
			case err != nil, line.Outcome == "panic":
				s.history.accuse("%s wrote: %s", r.name, text)
			case line.Outcome == "done":
				s.tally.add("redeliveries", max(0, line.Deliveries-1))
			}
		}
	}
	return nil
}
