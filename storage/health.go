package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
	"microblogging/storage/version"
)

// Health reports whether a store answers.
type Health struct{ backend driver.Backend }

// Prepare creates the tables and the queue, and then writes the version of the store, unless they are
// there. A store of a version to which the present one only adds gets the present one. Several processes may call it
// concurrently. If a part of a store is missing, or its version is
// another one (version.ErrRefused), Prepare changes nothing, and its error is no domain.ErrUnavailable.
func (o *Operator) Prepare(ctx context.Context) error {
	if err := o.CreateTables(ctx); err != nil {
		return err
	}
	of, err := version.Accept(ctx, o.health.backend)
	if err == nil && of != schema.CurrentVersion {
		err = version.Write(ctx, o.health.backend)
	}
	return err
}

// CreateTables is Prepare without the version, for the target of a copy: that is no store before the copy
// has ended.
//
// A process writes no row before it has created everything in a fixed order: the tables and
// then the queue. So the creation of a store was interrupted if the tables have no rows, and no
// table exists that comes after a missing one; then CreateTables completes it. Otherwise something was
// lost.
func (o *Operator) CreateTables(ctx context.Context) error {
	missing, made, err := o.health.look(ctx)
	if made && len(missing) > 0 { // another process may have created them between two of the reads
		missing, made, err = o.health.look(ctx)
	}
	switch {
	case err != nil || len(missing) == 0:
		return err
	case made:
		return errors.New(explain(missing, made))
	}
	for _, table := range schema.Tables() {
		if err := driver.NewTable(o.health.backend, table).Create(ctx); err != nil {
			return fmt.Errorf("creating table %s: %w", table, err)
		}
	}
	if err := driver.NewQueue(o.health.backend, domain.QueueName).Create(ctx); err != nil {
		return fmt.Errorf("creating queue %s: %w", domain.QueueName, err)
	}
	return nil
}

// Whole is Ready of a store of any version.
func (o *Operator) Whole(ctx context.Context) error { return o.health.whole(ctx) }

func (h *Health) whole(ctx context.Context) error {
	missing, made, err := h.look(ctx)
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("%w: %s", domain.ErrMissing, explain(missing, made))
	}
	return err
}

// Ready checks that the whole store answers: it reads one row of each table, looks up the
// queue, and reads the version. If some do not exist, the error is domain.ErrMissing, names them, and says
// what to do. If the version is another one, it is version.ErrRefused.
func (h *Health) Ready(ctx context.Context) error {
	if err := h.whole(ctx); err != nil {
		return err
	}
	of, err := version.Accept(ctx, h.backend)
	if err == nil && of == "" {
		err = fmt.Errorf("%w: %s", domain.ErrMissing, explain([]string{"its version"}, false))
	}
	return err
}

// explain says what the names that look returned mean, and what an operator does.
func explain(missing []string, made bool) string {
	names := strings.Join(missing, ", ")
	if made {
		then := "run check"
		if slices.Contains(missing, schema.TableDeletions) { // it had the version, so no command accepts the store
			then = "run copy to an empty store"
		}
		return "a part of the store is missing: " + names + "; nothing was created. Create it empty by hand and " + then + ", or remove what is left for a new store"
	}
	return "the store was not created, or not to the end: " + names + "; to create it, start a role: serve, web or worker; if a copy to it was interrupted, run that copy again instead"
}

// look returns the names of the tables that do not exist, and of the queue if it does not. It reports made if there was a
// row, or a table that Prepare creates after a missing one. It reads what Prepare creates last
// first, so a creation that is under way is not taken for made.
func (h *Health) look(ctx context.Context) (missing []string, made bool, err error) {
	if _, err := driver.NewQueue(h.backend, domain.QueueName).Length(ctx); errors.Is(err, domain.ErrMissing) {
		missing = append(missing, domain.QueueName)
	} else if err != nil {
		return nil, false, err
	}
	there := false
	for _, name := range slices.Backward(schema.Tables()) {
		page, err := driver.NewTable(h.backend, name).Scan(ctx, driver.Scan{Paging: driver.Paging{Limit: 1, KeysOnly: true}})
		switch {
		case errors.Is(err, domain.ErrMissing):
			missing, made = append(missing, name), made || there
		case err != nil:
			return nil, false, err
		default:
			there, made = true, made || len(page.Rows) > 0 || page.Continuation != ""
		}
	}
	return missing, made, nil
}
