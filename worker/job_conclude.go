package worker

import (
	"context"
	"errors"
	"time"

	"microblogging/domain"
)

const (
	// retryMin and retryMax bound the backoff of a message. The longest is
	// shorter than the patience of the reconciling pass with the default lease, which
	// would otherwise queue the deletion a second time.
	retryMin = time.Second
	retryMax = time.Minute
)

// settle does to the message what the outcome demands. If that fails, the
// message shows up again when its lease ends, and is handled once more.
func (w *Worker) settle(ctx context.Context, j *job, result outcome, cause error) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
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
		err = j.recordProgress(ctx)
	}
	if cause != nil {
		log = log.With("cause", cause)
	}
	switch {
	case errors.Is(err, domain.ErrLeaseLost):
		log.InfoContext(ctx, "message is somebody else's by now")
	case err != nil:
		log.WarnContext(ctx, "message not settled", "error", err)
	case result == outcomeDone, result == outcomeShutdown:
		log.InfoContext(ctx, "message settled")
	default:
		log.WarnContext(ctx, "message settled")
	}
}

// retry hides the message for a backoff, or poisons it after the last attempt.
// An attempt that removed rows got further and does not count.
func (w *Worker) retry(ctx context.Context, j *job) error {
	if j.progress == nil || !j.progress.gotFurther() {
		j.message.Attempts++
	}
	text := j.message.Encode()
	if j.message.Attempts >= w.MaxAttempts {
		poisoned := j.leased
		poisoned.Text = text
		return errors.Join(j.recordProgress(ctx), w.store.Poison(ctx, poisoned))
	}
	pause := delay(retryMin, retryMax, max(j.message.Attempts-1, 0)).Truncate(time.Second)
	_, err := w.queue.Update(ctx, j.leased, text, max(pause, time.Second))
	return errors.Join(j.recordProgress(ctx), err)
}

// giveBack shows the message to others at once.
func (j *job) giveBack(ctx context.Context) error {
	_, err := j.worker.queue.Update(ctx, j.leased, j.leased.Text, 0)
	return errors.Join(j.recordProgress(ctx), err)
}

// recordProgress counts the rows and the attempts of a handling that did not
// end the deletion.
func (j *job) recordProgress(ctx context.Context) error {
	if j.progress == nil {
		return nil
	}
	return j.progress.settle(ctx, func(d *domain.Deletion) {
		d.Attempts = max(d.Attempts, j.message.Attempts)
	})
}
