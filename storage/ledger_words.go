package storage

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
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
		words.Condition = fmt.Sprintf("PartitionKey = %s and RowKey = %s", shownPartition(call), shownRow(call, call.Row))
		if kind := schema.Of(call.Target, call.Partition, call.Row); kind != nil {
			words.Kinds, words.Purpose = []*schema.Kind{kind}, kind.Point
		}
	case driver.CallRange:
		words.Condition = "PartitionKey = " + shownPartition(call) + rowsWords(call) + pagingWords(call.Paging)
		words.read(schema.Within(call.Target, call.Partition, call.From, call.To))
	case driver.CallScan:
		words.Condition = partitionsWords(call) + pagingWords(call.Paging)
		words.read(schema.Within(call.Target, "", "", ""))
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

// read says what it is for to read rows of these kinds.
func (c *Call) read(kinds []*schema.Kind) {
	c.Kinds = kinds
	var lists []string
	for _, kind := range kinds {
		if kind.List != "" {
			lists = append(lists, kind.List)
		}
	}
	switch {
	case len(lists) == 1:
		c.Purpose = lists[0]
	case !slices.ContainsFunc(kinds, func(k *schema.Kind) bool { return !schema.IsGate(k.Form) }):
		c.Purpose = "Reads the channel’s gates."
	case c.Target == schema.TableBlogs:
		c.Purpose = "Reads all that belongs to the channel."
	}
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
	case driver.CallLength:
		return "Counts the messages, and takes none."
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
	prefix := literal(call, call.From)
	switch {
	case call.From != "" && call.To == schema.PrefixEnd(call.From):
		return " and RowKey begins with " + shownRow(call, call.From)
	case prefix != "" && call.To == schema.PrefixEnd(prefix):
		return " and RowKey begins with " + prefix + ", from one of them on"
	case prefix != "" && strings.HasPrefix(call.To, prefix):
		return " and RowKey is between two that begin with " + prefix
	case call.To == "":
		return " and RowKey from one on"
	}
	return " and RowKey is between two"
}

// literal is how all keys of the kind begin that a row key, or the bound of a range, is of.
func literal(call driver.LedgerCall, row string) string {
	for _, kind := range schema.Kinds() {
		if prefix := kind.Prefix(); kind.Table == call.Target && prefix != "" && strings.HasPrefix(row, prefix) {
			return prefix
		}
	}
	if call.Target == schema.TableBlogs && schema.IsGate(row) {
		return schema.GatePrefix
	}
	return ""
}

// shownRow is a row key, or the bound of a range, with a "…" for what varies in it. If nothing
// else says what the key is, the parts have their names.
func shownRow(call driver.LedgerCall, row string) string {
	if kind := schema.Of(call.Target, call.Partition, row); kind != nil && !kind.Retired {
		return shownForm(kind.Form)
	}
	switch prefix := literal(call, row); prefix {
	case "", row:
		return cmp.Or(prefix, "…")
	default:
		return prefix + "…"
	}
}

func shownForm(form string) string {
	if form == "" {
		return "(empty)"
	}
	parts := strings.Split(form, "!")
	named := strings.HasPrefix(form, "<")
	for i, part := range parts {
		switch {
		case named && strings.HasPrefix(part, "<"):
			parts[i] = "(" + strings.Trim(part, "<>") + ")"
		case strings.HasPrefix(part, "<"):
			parts[i] = "…"
		}
	}
	return strings.Join(parts, "!")
}

// shownPartition is a partition key. The key of a channel and the name of a user are in
// addresses of pages, and so no secrets. What somebody typed as a name may be a password,
// so a name is shown only if there is such a row.
func shownPartition(call driver.LedgerCall) string {
	switch call.Target {
	case schema.TableChannels, schema.TableBlogs, schema.TableDeletions, schema.TableSubscriptions:
		return call.Partition
	case schema.TableUsers:
		if errors.Is(call.Err, domain.ErrNotFound) {
			return "(a name)"
		}
		return call.Partition
	case schema.TableThrottle:
		what, _, _ := strings.Cut(call.Partition, "!")
		return what + "!…"
	}
	return "(a hash)"
}

// partitionsWords says which partitions a scan asks for. The keys of channels are no
// secrets.
func partitionsWords(call driver.LedgerCall) string {
	switch {
	case call.From == "" && call.To == "":
		return "every PartitionKey"
	case call.Target != schema.TableChannels, call.To != "":
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
		kind := schema.Of(call.Target, call.Partition, op.Row)
		if kind != nil && !slices.Contains(c.Kinds, kind) {
			c.Kinds = append(c.Kinds, kind)
		}
		if i >= maxOperations && i != failed {
			c.MoreOperations++
			continue
		}
		words := CallOperation{
			Words: string(op.Action) + " " + shownRow(call, op.Row), Kind: kind, Condition: conditionWords(op),
		}
		if i == failed {
			words.Answer, words.Reason = c.Answer, reasonWords(kind, failure.Err)
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
func reasonWords(kind *schema.Kind, err error) string {
	switch {
	case errors.Is(err, domain.ErrNotFound) && kind == schema.OpenGate:
		return "the deletion of the channel has begun, its open gate is gone"
	case errors.Is(err, domain.ErrNotFound) && kind == schema.ShutGate:
		return "the deletion has ended, the gate is gone"
	case errors.Is(err, domain.ErrNotFound):
		return "the row was removed"
	case errors.Is(err, domain.ErrExists) && (kind == schema.Once || kind == schema.UserOnce):
		return "a request with this idempotency key was here before"
	case errors.Is(err, domain.ErrExists) && kind == schema.Channel:
		return "the name is taken"
	case errors.Is(err, domain.ErrExists):
		return "the row was there already, perhaps by an earlier try of this request"
	case errors.Is(err, domain.ErrConflict):
		return "somebody changed the row since it was read"
	}
	return ""
}

// transactionPurpose says what a transaction is for. An insert says it, or else the first
// operation that is not there to hold a gate or to serve another.
func transactionPurpose(call driver.LedgerCall) string {
	if n := postsIn(call); n > 1 {
		return fmt.Sprintf("Makes %d posts: the gate, the idempotency keys, the posts and their places by rating stand or fall together.", n)
	}
	var inserts, others, gate string
	for i, op := range call.Operations {
		words := forWhat(schema.Of(call.Target, call.Partition, op.Row), op.Action)
		switch {
		case op.Action == driver.ActionInsert:
			inserts = cmp.Or(inserts, words)
		case i == 0 && op.Action == driver.ActionMerge && schema.IsGate(op.Row):
			gate = words
		default:
			others = cmp.Or(others, words)
		}
	}
	return cmp.Or(inserts, others, gate, "Writes rows of the table "+call.Target+".")
}

// forWhat says what an operation on a row is for.
func forWhat(kind *schema.Kind, action driver.Action) string {
	switch {
	case kind == nil:
		return ""
	case action == driver.ActionInsert:
		return kind.Insert
	case action == driver.ActionDelete:
		return kind.Remove
	}
	return kind.Change
}

// postsIn counts the posts that a transaction makes.
func postsIn(call driver.LedgerCall) (n int) {
	for _, op := range call.Operations {
		if op.Action == driver.ActionInsert && schema.Blog.Has(op.Row) {
			n++
		}
	}
	return n
}
