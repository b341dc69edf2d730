package azure

import (
	"context"
	"errors"
	"fmt"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Transact implements driver.Tables.
func (c *Client) Transact(ctx context.Context, table, partition string, ops []driver.Operation) error {
	actions := make([]aztables.TransactionAction, len(ops))
	for i, op := range ops {
		entity, err := encodeEntity(partition, op.Row, op.Properties)
		if err != nil {
			return fmt.Errorf("azure: write to %s: operation %d: %w", table, i, err)
		}
		actions[i] = aztables.TransactionAction{ActionType: actionType(op), IfMatch: ifMatch(op), Entity: entity}
	}
	err := c.onTable(ctx, "write to", table, func(t *aztables.Client) error {
		_, err := t.SubmitTransaction(withOperations(ctx, len(ops)), actions, nil)
		return err
	})
	return blame(err)
}

// ifMatch returns nil only where the row may be missing. In a batch, the SDK takes an
// update without IfMatch for an upsert. That would create a gate that is gone.
func ifMatch(op driver.Operation) *azcore.ETag {
	if op.Action == driver.ActionInsert || op.If.AllowsAbsent() {
		return nil
	}
	if etag, ok := op.If.ETag(); ok {
		return to.Ptr(azcore.ETag(etag))
	}
	return to.Ptr(azcore.ETagAny)
}

func actionType(op driver.Operation) aztables.TransactionType {
	upsert := op.If.AllowsAbsent()
	switch {
	case op.Action == driver.ActionMerge && upsert:
		return aztables.TransactionTypeInsertMerge
	case op.Action == driver.ActionMerge:
		return aztables.TransactionTypeUpdateMerge
	case op.Action == driver.ActionReplace && upsert:
		return aztables.TransactionTypeInsertReplace
	case op.Action == driver.ActionReplace:
		return aztables.TransactionTypeUpdateReplace
	case op.Action == driver.ActionDelete:
		return aztables.TransactionTypeDelete
	default: // an insert; Table refuses every other action
		return aztables.TransactionTypeAdd
	}
}

// blame names the operation that made a transaction fail, unless the transaction
// failed as a whole.
func blame(err error) error {
	var f *requestError
	if !errors.As(err, &f) || f.operation < 0 {
		return err
	}
	switch f.meaning {
	case domain.ErrNotFound, domain.ErrExists, domain.ErrConflict:
		return &driver.OperationError{Index: f.operation, Err: err}
	}
	return err
}
