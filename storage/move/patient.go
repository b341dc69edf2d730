package move

import (
	"context"
	"errors"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
)

const (
	// patientMin and patientMax bound the pause before a call is made again that the store
	// did not answer, and patientTries is how often it is: for some minutes.
	patientMin   = time.Second
	patientMax   = 15 * time.Second
	patientTries = 20
)

// patiently returns tables that make a call again if the store does not answer, as one does
// that is asked for more than it can do. A write may then take effect twice, which a copy
// notices as it notices an echo.
func patiently(tables driver.Tables, pause storage.Pause) driver.Tables {
	p := patient{tables, pause}
	if inTurn, ok := tables.(driver.OneByOne); ok {
		return patientInTurn{p, inTurn.LastFirst()}
	}
	return p
}

type patient struct {
	driver.Tables
	pause storage.Pause
}

// patientInTurn is a patient driver.OneByOne.
type patientInTurn struct {
	patient
	lastFirst bool
}

// LastFirst implements driver.OneByOne.
func (p patientInTurn) LastFirst() bool { return p.lastFirst }

func (p patient) try(ctx context.Context, call func() error) error {
	for pause, n := patientMin, 1; ; pause, n = min(2*pause, patientMax), n+1 {
		err := call()
		if !errors.Is(err, domain.ErrUnavailable) || n == patientTries || ctx.Err() != nil {
			return err
		}
		if err := p.pause(ctx, pause); err != nil {
			return err
		}
	}
}

// Get implements driver.Tables, as do the others.
func (p patient) Get(ctx context.Context, table, partition, row string) (e driver.Entity, err error) {
	err = p.try(ctx, func() error { e, err = p.Tables.Get(ctx, table, partition, row); return err })
	return e, err
}

// Range implements driver.Tables.
func (p patient) Range(ctx context.Context, table string, q driver.Range) (page driver.Page, err error) {
	err = p.try(ctx, func() error { page, err = p.Tables.Range(ctx, table, q); return err })
	return page, err
}

// Scan implements driver.Tables.
func (p patient) Scan(ctx context.Context, table string, q driver.Scan) (page driver.Page, err error) {
	err = p.try(ctx, func() error { page, err = p.Tables.Scan(ctx, table, q); return err })
	return page, err
}

// Transact implements driver.Tables.
func (p patient) Transact(ctx context.Context, table, partition string, ops []driver.Operation) error {
	return p.try(ctx, func() error { return p.Tables.Transact(ctx, table, partition, ops) })
}
