package azure

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"

	"microblogging/storage/driver"
)

func getRow(ctx context.Context, t *aztables.Client, c *driver.Call) (driver.Entity, error) {
	reply, err := t.GetEntity(ctx, c.Partition, c.Row, nil)
	if err != nil {
		return driver.Entity{}, err
	}
	entity, err := decodeEntity(reply.Value)
	if reply.ETag != "" {
		entity.ETag = driver.ETag(reply.ETag)
	}
	if err == nil && (entity.Partition != c.Partition || entity.Row != c.Row || entity.ETag == "") {
		err = fmt.Errorf("%w: no ETag, or another row", errNotAnswer)
	}
	return entity, err
}

// filterOf selects the rows of a Range or a Scan.
func filterOf(c *driver.Call) *string {
	if c.Method == driver.CallScan {
		return optional(within("PartitionKey", c.From, c.To))
	}
	filter := "PartitionKey eq " + quote(c.Partition)
	if bounds := within("RowKey", c.From, c.To); bounds != "" {
		filter += " and " + bounds
	}
	return &filter
}

// getPage sends one query. The limit is Azure's $top: a page may be shorter, or empty,
// and still not be the last.
func getPage(ctx context.Context, t *aztables.Client, c *driver.Call) (driver.Page, error) {
	p, options := c.Paging, &aztables.ListEntitiesOptions{Top: new(int32(c.Paging.Limit)), Filter: filterOf(c)}
	if p.KeysOnly || len(p.Select) > 0 {
		options.Select = new(strings.Join(append([]string{partitionKey, rowKey}, p.Select...), ","))
	}
	partition, row, _ := strings.Cut(p.Continuation, separator)
	options.NextPartitionKey, options.NextRowKey = optional(partition), optional(row)
	reply, err := t.NewListEntitiesPager(options).NextPage(ctx)
	if err != nil {
		return driver.Page{}, err
	}
	rows := make([]driver.Entity, len(reply.Entities))
	for i, raw := range reply.Entities {
		if rows[i], err = decodeEntity(raw); err != nil {
			return driver.Page{}, err
		}
		if options.Select != nil {
			rows[i].ETag = ""
		} else if rows[i].ETag == "" {
			return driver.Page{}, fmt.Errorf("%w: a row without an ETag", errNotAnswer)
		}
	}
	next := value(reply.NextPartitionKey) + separator + value(reply.NextRowKey)
	if next == separator { // the last page
		next = ""
	}
	return driver.Page{Rows: rows, Continuation: next}, nil
}

// separator is between the two continuation headers of a reply, the next
// partition key and the next row key. Either may be empty: a row key is allowed to
// be. Neither can hold this byte.
const separator = "\x00"

// within makes the filter from <= key < to. An empty string is no bound.
func within(key, from, to string) string {
	var bounds []string
	if from != "" {
		bounds = append(bounds, key+" ge "+quote(from))
	}
	if to != "" {
		bounds = append(bounds, key+" lt "+quote(to))
	}
	return strings.Join(bounds, " and ")
}

// quote makes an OData string literal.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// optional returns nil for an empty string, which the SDK takes for no value.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func transact(ctx context.Context, t *aztables.Client, c *driver.Call) error {
	actions := make([]aztables.TransactionAction, len(c.Operations))
	for i, op := range c.Operations {
		entity, err := encodeEntity(c.Partition, op.Row, op.Properties)
		if err != nil {
			return err
		}
		actions[i] = aztables.TransactionAction{ActionType: actionType(op), IfMatch: ifMatch(op), Entity: entity}
	}
	_, err := t.SubmitTransaction(ctx, actions, nil)
	return err
}

// ifMatch returns nil only where the row may be missing. In a batch, the SDK takes an
// update without IfMatch for an upsert. That would create a gate that is gone.
func ifMatch(op driver.Operation) *azcore.ETag {
	if op.Action == driver.ActionInsert || op.If.AllowsAbsent() {
		return nil
	}
	if etag, ok := op.If.ETag(); ok {
		return new(azcore.ETag(etag))
	}
	return new(azcore.ETagAny)
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

// An entity travels as a JSON object. Strings, truth values and 32-bit integers are
// plain JSON. Any other type is a string, and a second member names its type. As a
// JSON number, an int64 would be rounded ("Payload format for Table service
// operations").
const (
	typeSuffix   = "@odata.type"
	edmInt64     = "Edm.Int64"
	edmDateTime  = "Edm.DateTime"
	partitionKey = "PartitionKey"
	rowKey       = "RowKey"
	odataPrefix  = "odata."
	odataETag    = "odata.etag"
)

func encodeEntity(partition, row string, properties driver.Properties) ([]byte, error) {
	members := make(map[string]any, 2+2*len(properties))
	members[partitionKey], members[rowKey] = partition, row
	for _, p := range properties {
		members[p.Name] = p.Value.String()
		switch p.Value.Kind() {
		case driver.KindBoolean:
			members[p.Name] = p.Value.Number() != 0
		case driver.KindInt64:
			members[p.Name+typeSuffix] = edmInt64
		case driver.KindDateTime:
			members[p.Name+typeSuffix] = edmDateTime
		}
	}
	return json.Marshal(members)
}

// decodeEntity reads a row. It leaves out the system's members, and properties that a
// driver.Value cannot hold (Double, Guid, Binary), which only another program can
// have written. So the row stays readable; a merge keeps them, a replace drops them.
// An Int32, as tools write it, becomes an Int64.
func decodeEntity(raw []byte) (driver.Entity, error) {
	var members map[string]any
	if err := json.Unmarshal(raw, &members); err != nil {
		return driver.Entity{}, fmt.Errorf("%w: it is not JSON: %w", errUnreadable, err)
	}
	var e driver.Entity
	var hasPartition, hasRow bool
	for name, member := range members {
		switch {
		case name == partitionKey:
			e.Partition, hasPartition = member.(string)
		case name == rowKey:
			e.Row, hasRow = member.(string)
		case name == odataETag:
			etag, _ := member.(string)
			e.ETag = driver.ETag(etag)
		case name == "Timestamp", strings.HasPrefix(name, odataPrefix), strings.HasSuffix(name, typeSuffix):
		default:
			edmType, _ := members[name+typeSuffix].(string)
			property, ok, err := decodeProperty(name, edmType, member)
			if err != nil {
				return driver.Entity{}, fmt.Errorf("%w: property %s: %w", errUnreadable, name, err)
			}
			if ok {
				e.Properties = append(e.Properties, property)
			}
		}
	}
	if !hasPartition || !hasRow {
		return driver.Entity{}, fmt.Errorf("%w: a row without its keys", errNotAnswer)
	}
	return e, nil
}

// decodeProperty returns false for a type that a driver.Value cannot hold.
func decodeProperty(name, edmType string, member any) (p driver.Property, ok bool, err error) {
	switch v := member.(type) {
	case bool:
		return driver.Bool(name, v), true, nil
	case float64:
		n := int32(v)
		return driver.Int64(name, int64(n)), float64(n) == v, nil
	case string:
		switch edmType {
		case "", "Edm.String":
			return driver.String(name, v), true, nil
		case edmInt64:
			n, err := strconv.ParseInt(v, 10, 64)
			return driver.Int64(name, n), true, err
		case edmDateTime:
			t, err := time.Parse(time.RFC3339Nano, v)
			return driver.Time(name, t), true, err
		}
	}
	return driver.Property{}, false, nil
}
