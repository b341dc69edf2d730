package storage

import (
	"context"

	"microblogging/storage/driver"
)

// A Ledger counts the calls of the store that one request makes. The zero Ledger counts.
// It is safe for concurrent use.
type Ledger struct{ calls driver.Ledger }

// Context returns a context whose operations are entered in the ledger.
func (l *Ledger) Context(ctx context.Context) context.Context {
	return driver.WithLedger(ctx, &l.calls)
}

// Totals returns the sums over the calls that have ended.
func (l *Ledger) Totals() driver.LedgerTotals { return l.calls.Totals() }
