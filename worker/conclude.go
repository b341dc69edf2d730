package worker

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"microblogging/domain"
)

const (
	// callTime bounds each of three things that conclude a message: to leave it to an operator,
	// to rewrite it, and to write its Deletions row. None can take the time of the next.
	callTime     = 5 * time.Second
	concludeTime = 3 * callTime
	// retryMin and retryMax bound the backoff of a message.
	retryMin = time.Second
	retryMax = time.Minute
)

// conclude does with the message what the outcome demands, and tells the observer and the
// log. If that fails or panics, the message becomes visible when its lease ends, and is
// handled once more. The error says why.
func (j *job) conclude(ctx context.Context, result outcome, cause error) error {
	ctx, cancel := context.WithTimeout(ctx, concludeTime)
	defer cancel()
	err := guarded(func() error { return j.carryOut(ctx, result, cause) })
	j.handling.End(End{
		Outcome: result.String(), Kind: j.message.Kind, Cause: cause, Unconcluded: err, Poisoned: j.poisoned,
		LeaseLost: result == outcomeLost || errors.Is(err, domain.ErrLeaseLost),
	})
	level := slog.LevelWarn
	switch {
	case j.poisoned: // it waits for an operator
		level = slog.LevelError
	case err == nil && (result == outcomeDone || result == outcomeShutdown):
		level = slog.LevelInfo
	}
	log := j.log().With("outcome", result.String(), "rows", j.rows.Load(), "poisoned", j.poisoned)
	if j.unread != nil {
		log = log.With("message", j.leased.ID, "text", j.leased.Text[:min(len(j.leased.Text), 100)])
	}
	if cause != nil {
		log = log.With("cause", cause)
	}
	if err != nil {
		log = log.With("unconcluded", err)
	}
	log.Log(ctx, level, "message handled")
	return err
}

// carryOut does with the message what the outcome demands.
func (j *job) carryOut(ctx context.Context, result outcome, cause error) error {
	switch result {
	case outcomeDone:
		//lab: Take the message off the queue.
		return j.worker.queue.Delete(ctx, j.leased)
	case outcomePermanent:
		return j.poison(ctx, j.leased.Text)
	case outcomeShutdown:
		return j.giveBack(ctx)
	case outcomeWait:
		return j.wait(ctx)
	case outcomeLost:
		return j.record(ctx, unchanged)
	default: // outcomeRetry, outcomePanic
		return j.retry(ctx)
	}
}

// retry makes the message invisible for a backoff. After the last attempt it poisons the
// message instead. An attempt that removed rows does not count.
func (j *job) retry(ctx context.Context) error {
	if j.rows.Load() == 0 {
		j.message.Attempts++
	}
	j.message.Waits = 0
	if j.message.Attempts >= j.worker.MaxAttempts || j.unread != nil {
		return j.poison(ctx, j.text())
	}
	return j.backOff(ctx, j.message.Attempts-1, func(d *domain.Deletion) { d.WaitingSince = time.Time{} })
}

// poison takes the message off the queue, so that it waits for an operator. If the store does
// not answer, the message waits for it.
func (j *job) poison(ctx context.Context, text string) error {
	poisoned := j.leased
	poisoned.Text = text
	err := within(ctx, func(ctx context.Context) error { return j.worker.steps.Poison(ctx, poisoned) })
	j.poisoned = err == nil
	if unanswered(err) {
		return errors.Join(err, j.wait(ctx))
	}
	return errors.Join(j.record(ctx, unchanged), err)
}

// wait makes the message invisible for a backoff, because the store did not answer. That is
// no reason to give up, so the attempt does not count. The Deletions row says
// since when the store is waited for, if that row can be written.
func (j *job) wait(ctx context.Context) error {
	if j.rows.Load() > 0 {
		j.message.Waits = 0
	}
	tries := j.message.Waits
	if j.unread != nil {
		tries = int(j.leased.Deliveries) - 1 // its text cannot say more
	}
	j.message.Waits++
	return j.backOff(ctx, tries, func(d *domain.Deletion) {
		if d.WaitingSince.IsZero() {
			d.WaitingSince = domain.Now()
		}
	})
}

// backOff makes the message invisible for a backoff after this many earlier tries, and records
// when the next try is due.
func (j *job) backOff(ctx context.Context, tries int, change func(*domain.Deletion)) error {
	pause := max(backoff(retryMin, retryMax, max(tries, 0)).Truncate(time.Second), time.Second)
	due := domain.Now().Add(pause)
	err := j.rewrite(ctx, pause)
	if errors.Is(err, domain.ErrLeaseLost) {
		return errors.Join(j.record(ctx, unchanged), err) // the worker that has the lease decides when it is tried next
	}
	return errors.Join(j.record(ctx, func(d *domain.Deletion) {
		d.RetryOn = due
		change(d)
	}), err)
}

// giveBack makes the message visible immediately. The deletion then waits for its turn on
// the queue, and its row says so: a deletion that waits is not stalled. The row comes
// first, so that it cannot overwrite what the next worker records.
func (j *job) giveBack(ctx context.Context) error {
	recorded := j.record(ctx, func(d *domain.Deletion) {
		if d.State == domain.DeletionRunning {
			d.State = domain.DeletionQueued
		}
	})
	return errors.Join(recorded, j.rewrite(ctx, 0))
}

// rewrite writes the message as the next delivery is to find it, and makes it invisible for the
// pause.
func (j *job) rewrite(ctx context.Context, pause time.Duration) error {
	return within(ctx, func(ctx context.Context) error {
		//lab: Give the message back to the queue, for another attempt.
		_, err := j.worker.queue.Update(ctx, j.leased, j.text(), pause)
		return err
	})
}

// record records the attempts of a handling that did not complete the deletion, the rows that
// are not counted yet, and what change changes.
func (j *job) record(ctx context.Context, change func(*domain.Deletion)) error {
	if j.progress == nil {
		return nil
	}
	return within(ctx, func(ctx context.Context) error {
		return j.progress.record(ctx, func(d *domain.Deletion) {
			d.Attempts = max(d.Attempts, j.message.Attempts)
			change(d)
		})
	})
}

func unchanged(*domain.Deletion) {}

// within calls work, and cuts it off after callTime.
func within(ctx context.Context, work func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return work(ctx)
}

// backoff returns the pause after this many earlier tries: lowest, doubled for
// each of them, up to highest, with jitter.
func backoff(lowest, highest time.Duration, tries int) time.Duration {
	return jitter(min(lowest<<min(tries, 20), highest))
}

// jitter varies d by up to a fifth, so that processes which started together do
// not keep calling together.
func jitter(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return d*4/5 + rand.N(d*2/5+1)
}
