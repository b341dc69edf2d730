package worker

import (
	"context"
	"errors"
	"time"

	"microblogging/domain"
)

const (
	// concludeTime bounds the calls that conclude a message.
	concludeTime = 15 * time.Second
	// retryMin and retryMax bound the backoff of a message. retryMax is shorter
	// than the patience of the reconciling pass with the default lease. A longer
	// backoff would make that pass queue the deletion a second time.
	retryMin = time.Second
	retryMax = time.Minute
)

// conclude does with the message what the outcome demands. If that fails, the
// message becomes visible when its lease ends, and is handled once more.
func (w *Worker) conclude(ctx context.Context, j *job, result outcome, cause error) {
	defer w.survive(ctx, "message not concluded")
	ctx, cancel := context.WithTimeout(ctx, concludeTime)
	defer cancel()
	log := w.Log.With("outcome", result.String(), "channel", j.message.Channel,
		"incarnation", j.message.Incarnation, "kind", j.message.Kind, "deliveries", j.leased.Deliveries)
	var err error
	switch result {
	case outcomeDone:
		err = w.queue.Delete(ctx, j.leased)
	case outcomeRetry, outcomePanic:
		err = w.retry(ctx, j)
	case outcomePermanent:
		err = w.store.Poison(ctx, j.leased)
	case outcomeShutdown:
		err = j.giveBack(ctx)
	case outcomeLost:
		err = j.recordAttempts(ctx)
	}
	if cause != nil {
		log = log.With("cause", cause)
	}
	switch {
	case errors.Is(err, domain.ErrLeaseLost):
		log.InfoContext(ctx, "lease lost before the message was concluded")
	case err != nil:
		log.WarnContext(ctx, "message not concluded", "error", err)
	case result == outcomeDone, result == outcomeShutdown:
		log.InfoContext(ctx, "message concluded")
	default:
		log.WarnContext(ctx, "message concluded")
	}
}

// retry hides the message for a backoff. After the last attempt it poisons the
// message instead. An attempt that removed rows does not count.
func (w *Worker) retry(ctx context.Context, j *job) error {
	if j.progress == nil || !j.progress.removedRows() {
		j.message.Attempts++
	}
	text := j.message.Encode()
	if j.message.Attempts >= w.MaxAttempts {
		poisoned := j.leased
		poisoned.Text = text
		return errors.Join(j.recordAttempts(ctx), w.store.Poison(ctx, poisoned))
	}
	pause := delay(retryMin, retryMax, max(j.message.Attempts-1, 0)).Truncate(time.Second)
	_, err := w.queue.Update(ctx, j.leased, text, max(pause, time.Second))
	return errors.Join(j.recordAttempts(ctx), err)
}

// giveBack makes the message visible at once.
func (j *job) giveBack(ctx context.Context) error {
	_, err := j.worker.queue.Update(ctx, j.leased, j.leased.Text, 0)
	return errors.Join(j.recordAttempts(ctx), err)
}

// recordAttempts records the attempts, and the rows that are not counted yet, of
// a handling that did not complete the deletion.
func (j *job) recordAttempts(ctx context.Context) error {
	if j.progress == nil {
		return nil
	}
	return j.progress.record(ctx, func(d *domain.Deletion) {
		d.Attempts = max(d.Attempts, j.message.Attempts)
	})
}
