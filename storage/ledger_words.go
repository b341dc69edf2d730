package storage

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// maxOperations is how many operations of a transaction a Call lists.
const maxOperations = 12

// inWords describes a call. What it says of keys comes from their forms alone, so that it
// cannot pass on a secret.
func inWords(call driver.LedgerCall) Call {
	words := Call{
		Target: call.Target, Kind: kindWords(call.Kind()), Answer: answerWords(call.Err),
		Read: call.Read, Returned: call.Returned, ReadAtLeast: call.ReadAtLeast, Bytes: call.Bytes, Took: call.Took,
	}
	switch call.Method {
	case driver.CallGet:
		form := formOf(call.Target, call.Partition, call.Row)
		words.Condition = fmt.Sprintf("PartitionKey = %s and RowKey = %s", shownPartition(call), shownRow(call.Target, call.Partition, call.Row))
		words.Purpose, words.RowForms = form.point, form.forms()
	case driver.CallRange:
		form := formOf(call.Target, call.Partition, call.From)
		words.Condition = "PartitionKey = " + shownPartition(call) + rowsWords(call) + pagingWords(call.Paging)
		words.Purpose, words.RowForms = form.list, form.forms()
		if call.Kind() == "partition" && call.Target == tableBlogs {
			words.Purpose, words.RowForms = "Reads all that belongs to the channel.", nil
		}
	case driver.CallScan:
		form := formOf(call.Target, "", "")
		words.Condition = partitionsWords(call) + pagingWords(call.Paging)
		words.Purpose, words.RowForms = form.list, form.forms()
	case driver.CallTransact:
		words.describeTransaction(call)
	default:
		words.Queue = true
		words.Purpose = queuePurpose(call.Method)
	}
	if words.Purpose == "" {
		words.Purpose = "Reads rows of the table " + call.Target + "."
	}
	return words
}

// forms are the forms of the row key, of a kind that is known.
func (f rowForm) forms() []string {
	switch {
	case f.table == "":
		return nil
	case f.prefix == prefixGate:
		return []string{"gate!open!<incarnation>", "gate!reserved!<incarnation>", "gate!shut!<incarnation>"}
	}
	return []string{f.form}
}

func kindWords(kind string) string {
	switch kind {
	case "range":
		return "row range"
	case "partition":
		return "partition scan"
	case "scan":
		return "table scan"
	}
	return kind
}

func queuePurpose(method driver.Method) string {
	switch method {
	case driver.CallSend:
		return "Sends the message by which a worker does the rest."
	case driver.CallPing:
		return "Asks whether the queue answers."
	case driver.CallPeek:
		return "Looks at the messages, and takes none."
	}
	return "Handles messages of the queue."
}

// answerWords says what the store answered.
func answerWords(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, domain.ErrNotFound):
		return "not found"
	case errors.Is(err, domain.ErrExists):
		return "already there"
	case errors.Is(err, domain.ErrConflict):
		return "changed since it was read"
	case errors.Is(err, domain.ErrLeaseLost):
		return "lease lost"
	}
	return "no answer"
}

// rowsWords says which row keys a range asks for.
func rowsWords(call driver.LedgerCall) string {
	if call.Kind() == "partition" {
		return ""
	}
	prefix := formOf(call.Target, call.Partition, call.From).prefix
	inside := prefix != "" && (strings.HasPrefix(call.To, prefix) || call.To == prefixEnd(prefix))
	switch {
	case prefix == "" && call.From != "" && call.To == prefixEnd(call.From):
		return " and RowKey begins with " + shownRow(call.Target, call.Partition, call.From)
	case inside && call.From == prefix && call.To == prefixEnd(prefix):
		return " and RowKey begins with " + prefix
	case inside && call.To == prefixEnd(prefix):
		return " and RowKey begins with " + prefix + ", from one of them on"
	case inside:
		return " and RowKey is between two that begin with " + prefix
	case call.To == "":
		return " and RowKey from one on"
	}
	return " and RowKey is between two"
}

// partitionsWords says which partitions a scan asks for. The keys of channels are no
// secrets.
func partitionsWords(call driver.LedgerCall) string {
	switch {
	case call.From == "" && call.To == "":
		return "every PartitionKey"
	case call.Target != tableChannels, call.To != "":
		return "PartitionKey between two"
	}
	return "PartitionKey from " + call.From + " on"
}

func pagingWords(p driver.Paging) string {
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

// describeTransaction fills in what a transaction does.
func (c *Call) describeTransaction(call driver.LedgerCall) {
	c.Condition = "PartitionKey = " + shownPartition(call)
	if call.Err == nil {
		c.Written = len(call.Operations)
	}
	failed := -1
	var failure *driver.OperationError
	if errors.As(call.Err, &failure) {
		failed = failure.Index
	}
	for i, op := range call.Operations {
		form := formOf(call.Target, call.Partition, op.Row)
		if form.table != "" && !slices.Contains(c.RowForms, form.form) {
			c.RowForms = append(c.RowForms, form.form)
		}
		if i >= maxOperations && i != failed {
			c.MoreOperations++
			continue
		}
		words := CallOperation{
			Words: op.Action.String() + " " + shownRow(call.Target, call.Partition, op.Row), RowForm: form.form, Condition: conditionWords(op),
		}
		if i == failed {
			words.Answer, words.Reason = c.Answer, reasonWords(form, failure.Err)
		}
		c.Operations = append(c.Operations, words)
	}
	c.Purpose = transactionPurpose(call)
}

// conditionWords says what must hold for the row of an operation.
func conditionWords(op driver.Operation) string {
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

// reasonWords says why a transaction was refused, by the row that refused it.
func reasonWords(form rowForm, err error) string {
	switch {
	case errors.Is(err, domain.ErrNotFound) && form.prefix == prefixOpen:
		return "the deletion of the channel has begun, its open gate is gone"
	case errors.Is(err, domain.ErrNotFound) && form.prefix == prefixShut:
		return "the deletion has ended, the gate is gone"
	case errors.Is(err, domain.ErrNotFound):
		return "the row was removed"
	case errors.Is(err, domain.ErrExists) && form.prefix == prefixOnce:
		return "a request with this idempotency key was here before"
	case errors.Is(err, domain.ErrExists) && form.table == tableChannels:
		return "the name is taken"
	case errors.Is(err, domain.ErrExists):
		return "the row was there already, perhaps by an earlier try of this request"
	case errors.Is(err, domain.ErrConflict):
		return "somebody changed the row since it was read"
	}
	return ""
}

// transactionPurpose says what a transaction is for. An insert says it, or else the
// operation that the others depend on.
func transactionPurpose(call driver.LedgerCall) string {
	has := func(action driver.Action, prefix string) bool {
		return slices.ContainsFunc(call.Operations, func(op driver.Operation) bool {
			return op.Action == action && strings.HasPrefix(op.Row, prefix)
		})
	}
	if call.Target == tableBlogs {
		switch {
		case postsIn(call) > 1:
			return fmt.Sprintf("Makes %d posts: the gate, the idempotency keys, the posts and their places by rating stand or fall together.", postsIn(call))
		case has(driver.ActionInsert, prefixBlog):
			return "Makes the post: the gate, the idempotency key, the post and its place by rating stand or fall together."
		case has(driver.ActionInsert, prefixOpen):
			return "Opens the gate: it takes the place of its reservation, once in all time."
		case has(driver.ActionInsert, prefixShut):
			return "Shuts the gate: from now on nobody can post."
		case has(driver.ActionDelete, prefixOpen):
			return "Withdraws the gate of a creation that was given up."
		case has(driver.ActionInsert, prefixVote):
			return "Gives the vote: the vote, the rating and the place by rating change together."
		case has(driver.ActionDelete, prefixVote) && has(driver.ActionMerge, prefixBlog):
			return "Takes the vote back: the vote, the rating and the place by rating change together."
		case has(driver.ActionDelete, prefixBlog):
			return "Deletes the post in the version that was read, with its place by rating."
		case has(driver.ActionInsert, prefixSub):
			return "Makes the subscription count: the subscriber’s row takes the place of the one that began it, behind the gate."
		case has(driver.ActionInsert, prefixJoin):
			return "Begins the subscription on the channel’s side, behind the gate."
		}
	}
	if call.Target == tableChannels {
		switch {
		case has(driver.ActionInsert, ""):
			return "Gives the name to the new channel, unless somebody has it."
		case has(driver.ActionDelete, ""):
			return "Sets the name free."
		}
	}
	// The last operation is what the ones before it guard.
	last := call.Operations[len(call.Operations)-1]
	if purpose := formOf(call.Target, call.Partition, last.Row).write; purpose != "" {
		return purpose
	}
	return "Writes rows of the table " + call.Target + "."
}

// postsIn counts the posts that a transaction makes.
func postsIn(call driver.LedgerCall) (n int) {
	for _, op := range call.Operations {
		if op.Action == driver.ActionInsert && strings.HasPrefix(op.Row, prefixBlog) {
			n++
		}
	}
	return n
}
