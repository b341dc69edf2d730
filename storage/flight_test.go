package storage_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestFlight(t *testing.T) {
	t.Run("a panic in a goroutine of an operation reaches the caller", panicReachesCaller)
}

// A panic in a goroutine that nobody guards would end the process, and this test.
func panicReachesCaller(t *testing.T) {
	for name, operation := range map[string]func(w *world, ctx context.Context, channel domain.Channel) error{
		"feed": func(w *world, ctx context.Context, _ domain.Channel) error {
			_, err := w.faulty.Feed(ctx, ada, "", 20)
			return err
		},
		"subscriptions": func(w *world, ctx context.Context, _ domain.Channel) error {
			_, err := w.faulty.Subscriptions(ctx, ada)
			return err
		},
		"posts by rating": func(w *world, ctx context.Context, channel domain.Channel) error {
			_, err := w.faulty.BlogsByRating(ctx, channel.Ref(), storage.RatingQuery{Limit: 20})
			return err
		},
		"digest": func(w *world, ctx context.Context, _ domain.Channel) error {
			day, err := domain.ParseDay("", "UTC", time.Now())
			w.ok(err)
			_, err = w.faulty.Digest(ctx, ada, storage.DigestQuery{Day: day, Limit: 20})
			return err
		},
		"channels of an owner": func(w *world, ctx context.Context, _ domain.Channel) error {
			_, err := w.faulty.CreateChannelWithin(ctx, w.channel("second", eve), 1)
			if errors.As(err, new(*domain.TooManyChannelsError)) {
				return nil
			}
			return err
		},
		"reconciling pass": func(w *world, ctx context.Context, _ domain.Channel) error {
			_, err := w.faulty.Expire(ctx)
			return err
		},
		"sweep": func(w *world, ctx context.Context, channel domain.Channel) error {
			for _, step := range cascade(w.faulty, channel.Ref()) {
				if err := step(ctx); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachCall(t, "panics", func(w *world, n int) {
				channel := w.create("garden", ada)
				for i := range 3 {
					w.post(channel, grace, text(i))
				}
				_, err := w.store.CreateChannelWithin(w.t.Context(), w.channel("first", eve), 1)
				w.ok(err)
				w.ok(w.table("Throttle").Transact(w.t.Context(), "user!a", driver.Insert("", driver.Time("ExpiresOn", time.Now()))))
				time.Sleep(time.Hour) // fake
				w.arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
					if call.Seq == n {
						panic("a bug of a library")
					}
					return send(ctx)
				})
				value, err := caught(func() error { return operation(w, w.t.Context(), channel) })
				if w.calls.Load() < int64(n) {
					w.ok(err)
					return
				}
				if said := fmt.Sprint(value); !strings.Contains(said, "a bug of a library") || !strings.Contains(said, "panicReachesCaller") && value != "a bug of a library" {
					w.t.Errorf("the caller caught %.300s and got %v", said, err)
				}
			})
		})
	}
}

// caught returns what work panicked with, or its error.
func caught(work func() error) (value any, err error) {
	defer func() { value = recover() }()
	return nil, work()
}
