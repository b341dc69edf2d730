package optimistic_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/optimistic"
)

func TestChange(t *testing.T) {
	for name, c := range map[string]struct {
		// after is what happens after each write, whose answer is lost.
		after func(ctx context.Context, table *driver.Table) error
		want  int64
	}{
		"a self-conflict is applied once":                            {want: 2},
		"a self-conflict after other writers is applied once":        {after: times(5), want: 12},
		"a writer whom too many follow cannot see the self-conflict": {after: times(9), want: 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sound, lossy := tables(t, c.after)
				for range 2 { // it inserts the row, and changes it
					err := optimistic.Pause(noPause(3)).Change(t.Context(), lossy, "p", "r", add)
					if given := errors.Is(err, errPaused); given != (c.want == 0) || err != nil && !given {
						t.Fatal(err)
					}
				}
				if row, err := sound.Get(t.Context(), "p", "r"); c.want != 0 && (err != nil || row.Properties.Int64("N") != c.want) {
					t.Errorf("the row is %+v, %v", row, err)
				}
			})
		})
	}
	t.Run("many concurrent changes are all applied", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			sound, _ := tables(t, nil)
			done := make(chan error)
			for range 50 {
				go func() { done <- optimistic.Pause(nil).Change(t.Context(), sound, "p", "r", add) }()
			}
			for range 50 {
				if err := <-done; err != nil {
					t.Error(err)
				}
			}
			if row, err := sound.Get(t.Context(), "p", "r"); err != nil || row.Properties.Int64("N") != 50 {
				t.Errorf("the row is %+v, %v", row, err)
			}
		})
	})
	t.Run("what writes nothing makes no version", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			sound, _ := tables(t, nil)
			for _, want := range []error{nil, domain.ErrForbidden} {
				err := optimistic.Pause(nil).Change(t.Context(), sound, "p", "r",
					func(driver.Entity) (driver.Properties, error) { return nil, want })
				if _, missing := sound.Get(t.Context(), "p", "r"); !errors.Is(err, want) || !errors.Is(missing, domain.ErrNotFound) {
					t.Errorf("%v; the row: %v", err, missing)
				}
			}
		})
	})
}

func TestRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, tries := time.Now(), 0
		err := optimistic.Pause(nil).Retry(t.Context(), func() error { tries++; return optimistic.ErrAgain })
		if took := time.Since(start); !errors.Is(err, domain.ErrUnavailable) || tries != 1000 || took > time.Minute {
			t.Errorf("it gave up after %d attempts and %v: %v", tries, took, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := optimistic.Pause(nil).Retry(ctx, func() error { return optimistic.ErrAgain }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the context has ended, and it returned %v", err)
		}
	})
}

// add adds one to a row.
func add(now driver.Entity) (driver.Properties, error) {
	return driver.Properties{driver.Int64("N", now.Properties.Int64("N")+1)}, nil
}

// times makes others change the row so many times.
func times(n int) func(context.Context, *driver.Table) error {
	return func(ctx context.Context, table *driver.Table) error {
		for range n {
			if err := optimistic.Pause(nil).Change(ctx, table, "p", "r", add); err != nil {
				return err
			}
		}
		return nil
	}
}

var errPaused = errors.New("it pauses once more")

// noPause pauses so many times, for no time.
func noPause(most int) optimistic.Pause {
	return func(context.Context, time.Duration) error {
		if most--; most < 0 {
			return errPaused
		}
		return nil
	}
}

// tables are two faces of a table. Each write to the second takes effect, then after is
// called, and then the write is sent again.
func tables(t *testing.T, after func(context.Context, *driver.Table) error) (sound, lossy *driver.Table) {
	t.Helper()
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	if err == nil {
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		err = driver.NewTable(db, "T").Create(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	sound = driver.NewTable(db, "T")
	return sound, driver.NewTable(drivertest.NewFaults(db, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if !call.Writes() {
			return send(ctx)
		}
		err := send(ctx)
		if err == nil && after != nil {
			err = after(ctx, sound)
		}
		if err != nil {
			return err
		}
		return send(ctx)
	}), "T")
}
