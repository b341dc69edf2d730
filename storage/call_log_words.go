package storage

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// maxOperations is how many operations of a transaction a Call lists.
const maxOperations = 12

// described describes a call. What it says of row keys comes from their forms alone, so that it
// cannot pass on a secret.
func described(call driver.LoggedCall) Call {
	words := Call{
		Target: call.Target, Queue: call.OfQueue(), Kind: call.Kind(), Result: strings.ReplaceAll(driver.Outcome(call.Err), "_", " "),
		Read: call.Read, Returned: call.Returned, ReadAtLeast: call.ReadAtLeast, Written: call.Written(call.Err),
		Bytes: call.Bytes, Took: call.Took,
	}
	switch call.Method {
	case driver.CallGet:
		kind := schema.Of(call.Target, call.Partition, call.Row)
		if kind != nil {
			words.Kinds = []*schema.Kind{kind}
		}
		words.Condition = partitionText(call) + " and RowKey = " + kind.RowForm()
	case driver.CallRange:
		words.Kinds = kindsWithin(call.Target, call.Partition, call.From, call.To)
		words.Condition = partitionText(call) + rowsText(call, words.Kinds) + pagingText(call.Paging)
	case driver.CallScan:
		words.Kinds = kindsWithin(call.Target, "", "", "")
		words.Condition = "every PartitionKey" + pagingText(call.Paging)
		if call.From != "" || call.To != "" {
			words.Condition = "PartitionKey between two" + pagingText(call.Paging)
		}
	case driver.CallTransact:
		words.Condition = partitionText(call)
		words.describeOperations(call)
	}
	return words
}

// partitionText say which partition is asked for. The key of a channel and the name of a
// subscriber are in addresses of pages, and so no secrets. What a user typed as a name may be a
// password.
func partitionText(call driver.LoggedCall) string {
	key := call.Partition
	switch call.Target {
	case schema.TableUsers, schema.TableSessions, schema.TableThrottle:
		key = "(not shown)"
	}
	return "PartitionKey = " + key
}

// rowsText say which row keys a range asks for.
func rowsText(call driver.LoggedCall, kinds []*schema.Kind) string {
	if call.From == "" && call.To == "" {
		return ""
	}
	forms := make([]string, len(kinds))
	for i, kind := range kinds {
		forms[i] = kind.RowForm()
	}
	words := " and RowKey like " + strings.Join(forms, " or ")
	if !slices.ContainsFunc(kinds, func(k *schema.Kind) bool { return strings.HasPrefix(k.Prefix(), call.From) }) {
		words += ", between two of them"
	}
	return words
}

func pagingText(p driver.Paging) string {
	words := fmt.Sprintf(", the first %d", p.Limit)
	if p.Continuation != "" {
		words = fmt.Sprintf(", the next %d", p.Limit)
	}
	switch {
	case p.KeysOnly:
		return words + ", their keys alone"
	case len(p.Select) > 0:
		return words + ", of which " + strings.Join(p.Select, ", ")
	}
	return words
}

// describeOperations fills in what a transaction does.
func (c *Call) describeOperations(call driver.LoggedCall) {
	failed := -1
	var failure *driver.OperationError
	if errors.As(call.Err, &failure) {
		failed = failure.Index
	}
	for i, op := range call.Operations {
		kind := schema.Of(call.Target, call.Partition, op.Row)
		if kind != nil && !slices.Contains(c.Kinds, kind) {
			c.Kinds = append(c.Kinds, kind)
		}
		if i >= maxOperations && i != failed {
			c.MoreOperations++
			continue
		}
		words := CallOperation{Words: string(op.Action) + " " + kind.RowForm(), Kind: kind, Condition: conditionText(op)}
		if i == failed {
			words.Result = c.Result
		}
		c.Operations = append(c.Operations, words)
	}
}

// conditionText say what must hold for the row of an operation.
func conditionText(op driver.Operation) string {
	_, version := op.If.ETag()
	switch {
	case op.Action == driver.ActionInsert:
		return "if it is not there"
	case version:
		return "in the version that was read"
	case op.If.AllowsAbsent():
		return "whether it is there or not"
	}
	return "if it is there"
}

// kindsWithin returns the kinds that a partition can have in a range of row keys; an empty to has
// no end, and an empty partition is any.
func kindsWithin(table, partition, from, to string) []*schema.Kind {
	return slices.DeleteFunc(schema.Kinds(), func(k *schema.Kind) bool {
		begins, ends := k.Range()
		behind := to != "" && to <= begins
		before := ends != "" && ends <= from || k.Form == "" && from != ""
		return k.Table != table || behind || before || partition != "" && !k.IsIn(partition)
	})
}
