package storage

import (
	"context"
	"slices"

	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// refuseUnknownWords returns a driver.Around that fails a read with schema.ErrUnknownWord if one of its rows
// has a word that is not among the Words of its kind, or lacks a word. Otherwise each operation would take it
// for something: a posting rule that is unknown would be read as open.
//
// A scan of a table is read as it is, so that one row does not keep the others from their readers. A list
// leaves out a row with an unknown word, because it wants those with a certain one. What needs all rows calls
// CheckWords of the kind.
func refuseUnknownWords() driver.Around {
	kinds := slices.DeleteFunc(schema.Kinds(), func(k *schema.Kind) bool { return k.Words == nil })
	return func(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
		err := next(ctx)
		if err != nil || c.Method != driver.CallGet && c.Method != driver.CallRange || c.Paging.KeysOnly {
			return err
		}
		for _, kind := range kinds {
			if kind.Table != c.Target {
				continue
			}
			if err := kind.CheckWords(c.Entity); err != nil { // of a Get
				return err
			}
			for _, row := range c.Page.Rows {
				if err := kind.CheckWords(row, c.Paging.Select...); err != nil {
					return err
				}
			}
		}
		return nil
	}
}
