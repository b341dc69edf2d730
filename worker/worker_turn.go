package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
)

// One worker at a time makes the reconciling pass, for the whole site. There is no lock that
// could be lost: there is one message, on a queue of its own. Whoever receives it makes the
// pass, and then hides it until the next pass is due. Its text says what the pass after that
// needs to know.
//
//   - A worker dies or sleeps during the pass: the message becomes visible when its lease
//     ends. Two passes at once do no harm.
//   - The queue has no message, or has lost it: whoever looks for it and finds that the
//     queue is empty sends one.
//   - Two workers did so at once: whoever receives both settles one. If they are never
//     visible at the same time, their receivers notice it by the length of the queue, and
//     each settles its own with a chance of one half. If none is left, one is sent again.
//   - The text is of another version, or is no JSON: the work begins anew.

// A turn is what the message says.
type turn struct {
	// ExpireOn is when expired rows are removed next.
	ExpireOn time.Time `json:"expireOn,omitzero"`
	// Audit is how far the audit has come.
	Audit storage.Audit `json:"audit,omitzero"`
}

const (
	// housekeepingEvery is after how many passes expired rows are removed, and the messages
	// are counted.
	housekeepingEvery = 10
	// auditRequests is how many requests an audit makes in a minute. A page of 1,000 rows is
	// one.
	auditRequests = 4
	// othersPatience is how many times as long a worker without the turn waits before it
	// looks for the message again.
	othersPatience = 3
	// countEvery is how many looks for the message in a row find none before the queue's
	// length is asked for again.
	countEvery = 3
	// maxHidden is how long a message can be hidden.
	maxHidden = 7 * 24 * time.Hour
)

// turns takes turns with other workers.
type turns struct {
	*Worker
	queue *driver.Queue
	// missed is how many looks in a row found no message.
	missed int
}

// reconcile makes reconciling passes, whenever it is this worker's turn, until ctx ends.
func (w *Worker) reconcile(ctx context.Context) {
	t := &turns{Worker: w, queue: w.turnQueue}
	for pause := jitter(w.Reconcile); pauseFor(ctx, pause); {
		var err error
		pause, err = t.look(ctx)
		if err != nil && ctx.Err() == nil {
			w.Log.WarnContext(ctx, "reconciling pass", "error", err)
		}
	}
}

// look looks for the message, makes a pass if it is there, and returns when to look again.
func (t *turns) look(ctx context.Context) (pause time.Duration, err error) {
	m, found, err := t.receive(ctx)
	if err == nil && !found {
		m, found, err = t.send(ctx)
	}
	switch {
	case err != nil:
		return jitter(t.Reconcile), err
	case !found:
		return jitter(othersPatience * t.Reconcile), nil
	}
	t.missed = 0
	return t.take(ctx, m)
}

// receive receives the message. If there are several, it settles all but one.
func (t *turns) receive(ctx context.Context) (m driver.Message, found bool, err error) {
	// ctx must not cut it off: the message would stay hidden for a whole lease.
	err = within(context.WithoutCancel(ctx), min(t.Lease/2, renewTime), func(ctx context.Context) error {
		return guarded(func() error {
			messages, err := t.queue.Receive(ctx, driver.MaxReceive, t.Lease)
			if err != nil || len(messages) == 0 {
				return err
			}
			m, found = messages[0], true
			for _, other := range messages[1:] {
				if err := t.settle(ctx, other); err != nil {
					t.Log.WarnContext(ctx, "reconciling pass", "error", err) // it is received again
				}
			}
			return nil
		})
	})
	if err != nil {
		return m, found, fmt.Errorf("looking whose turn it is: %w", err)
	}
	return m, found, nil
}

// settle deletes a message.
func (t *turns) settle(ctx context.Context, m driver.Message) error {
	if err := t.queue.Delete(ctx, m); err != nil && !errors.Is(err, domain.ErrLeaseLost) {
		return fmt.Errorf("settling one message of several: %w", err)
	}
	return nil
}

// send sends the message if the queue has none, and receives it.
func (t *turns) send(ctx context.Context) (m driver.Message, found bool, err error) {
	t.missed++
	if (t.missed-1)%countEvery != 0 {
		return m, false, nil
	}
	err = guarded(func() error {
		length, err := t.queue.Length(ctx)
		if err != nil || length > 0 {
			return err
		}
		return t.queue.SendOnce(ctx, turn{}.encode())
	})
	if err != nil {
		return m, false, fmt.Errorf("looking for the turn's message: %w", err)
	}
	return t.receive(ctx)
}

// take makes a pass, and then hides the message until the next is due.
func (t *turns) take(ctx context.Context, m driver.Message) (pause time.Duration, err error) {
	now := decodeTurn(m.Text)
	pass, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	held := &lease{queue: t.queue, log: t.Log, length: t.Lease, message: m, renewed: time.Now()}
	held.keep(context.WithoutCancel(ctx), func() { cancel(errLost) })
	count := t.housekeeping(now)
	err = guarded(func() error { return t.pass(pass, &now) })
	m = held.release()
	if errors.Is(context.Cause(pass), errLost) {
		return jitter(t.Reconcile), err // somebody else has it
	}
	if count && ctx.Err() == nil {
		settled, failed := t.settleOneOfSeveral(ctx, m)
		err = errors.Join(err, failed)
		if settled {
			return jitter(othersPatience * t.Reconcile), err
		}
	}
	hidden := min((t.Reconcile * 9 / 10).Truncate(time.Second), maxHidden)
	pause = hidden + rand.N(t.Reconcile/5+1)
	if ctx.Err() != nil {
		hidden = 0 // another worker goes on
	}
	concluded := within(context.WithoutCancel(ctx), messageTime, func(ctx context.Context) error {
		return guarded(func() error {
			_, err := t.queue.Update(ctx, m, now.encode(), hidden)
			return err
		})
	})
	if concluded != nil && !errors.Is(concluded, domain.ErrLeaseLost) {
		err = errors.Join(err, fmt.Errorf("giving the turn back: %w", concluded))
	}
	return pause, err
}

// settleOneOfSeveral settles the message with a chance of one half if there is another, and
// reports whether it did.
func (t *turns) settleOneOfSeveral(ctx context.Context, m driver.Message) (settled bool, err error) {
	err = within(ctx, messageTime, func(ctx context.Context) error {
		return guarded(func() error {
			length, err := t.queue.Length(ctx)
			if err != nil || length < 2 || rand.N(2) == 0 {
				return err
			}
			settled = true
			return t.settle(ctx, m)
		})
	})
	return settled, err
}

// pass makes one reconciling pass: first the deletions, then now and then what has expired,
// and then a part of the audit. The failure of one does not keep it from the others.
func (t *turns) pass(ctx context.Context, now *turn) (failures error) {
	var done storage.Reconciled
	ctx, ended := t.Observer.Pass(ctx)
	defer func() { ended(done, failures) }()
	patience, handedOut := Patience(t.Lease), t.handedOut.time()
	var err error
	done, err = t.store.Reconcile(ctx, patience, handedOut)
	failures = errors.Join(failures, err)
	if t.housekeeping(*now) {
		removed, more, err := t.store.Expire(ctx)
		done.Expired += removed
		failures = errors.Join(failures, err)
		if err == nil && !more {
			now.ExpireOn = domain.Now().Add(housekeepingEvery * t.Reconcile)
		}
	}
	audit, audited, err := t.store.Audit(ctx, now.Audit, t.auditRequests(), patience, handedOut)
	now.Audit = audit
	done.Add(audited)
	failures = errors.Join(failures, err)
	if done != (storage.Reconciled{}) {
		t.Log.InfoContext(ctx, "reconciling pass", "requeued", done.Requeued, "ungated", done.Ungated, "expired", done.Expired)
	}
	return failures
}

// housekeeping tells whether it is time to remove what has expired. A time that is too far
// ahead is none: the clock of whoever had the turn was.
func (t *turns) housekeeping(now turn) bool {
	wait := time.Until(now.ExpireOn)
	return wait <= 0 || wait > housekeepingEvery*t.Reconcile
}

// auditRequests is how many requests the audit makes in one pass.
func (t *turns) auditRequests() int {
	return max(int(auditRequests*t.Reconcile.Minutes()), auditRequests)
}

func (t turn) encode() string {
	text, err := json.Marshal(t)
	if err != nil {
		panic(fmt.Sprintf("encoding a turn: %v", err)) // strings and times of this age always marshal
	}
	return string(text)
}

// decodeTurn reads the text of the message. What it cannot read is a turn that begins.
func decodeTurn(text string) (t turn) {
	if json.Unmarshal([]byte(text), &t) != nil {
		return turn{}
	}
	return t
}
