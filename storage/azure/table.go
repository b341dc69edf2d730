package azure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// CreateTable implements driver.Tables.
func (c *Client) CreateTable(ctx context.Context, table string) error {
	err := c.guarded(ctx, "create table", table, func() error {
		_, err := c.tables.CreateTable(ctx, table, nil)
		return err
	})
	return accepted(err, "TableAlreadyExists")
}

// TableNames returns the names of the tables that start with the prefix, without regard to
// case, as Azure compares them. An account has few tables, so it reads the names of all: a
// comparison by the service would heed the case. No operation of the site lists or drops
// tables and queues; the load test does, with those that it made itself.
func (c *Client) TableNames(ctx context.Context, prefix string) ([]string, error) {
	return names(ctx, c, c.tables.NewListTablesPager(nil), func(reply aztables.ListTablesResponse) (names []string) {
		for _, table := range reply.Tables {
			if name := value(table.Name); len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix) {
				names = append(names, name)
			}
		}
		return names
	})
}

// names reads all pages of a list.
func names[P any](ctx context.Context, c *Client, pager *runtime.Pager[P], of func(P) []string) (all []string, err error) {
	for err == nil && pager.More() {
		err = c.guarded(ctx, "list", "names", func() error {
			page, err := pager.NextPage(ctx)
			all = append(all, of(page)...)
			return err
		})
	}
	return all, err
}

// DropTable removes a table with all of its rows, or does nothing if it is not there. Azure
// refuses to create a table of that name for a while. A write that is under way may fail, or
// create the table again.
func (c *Client) DropTable(ctx context.Context, table string) error {
	err := c.guarded(ctx, "drop table", table, func() error {
		_, err := c.tables.DeleteTable(ctx, table, nil)
		return err
	})
	return accepted(err, "TableNotFound", "ResourceNotFound", "TableBeingDeleted")
}

// Get implements driver.Tables.
func (c *Client) Get(ctx context.Context, table, partition, row string) (driver.Entity, error) {
	var reply aztables.GetEntityResponse
	err := c.onTable(ctx, "read a row of", table, func(t *aztables.Client) (err error) {
		reply, err = t.GetEntity(ctx, partition, row, nil)
		return err
	})
	if err != nil {
		return driver.Entity{}, err
	}
	entity, err := decodeEntity(reply.Value)
	if err != nil {
		return driver.Entity{}, fmt.Errorf("azure: read a row of %s: %w", table, err)
	}
	entity.ETag = driver.ETag(reply.ETag)
	return entity, nil
}

// Range implements driver.Tables.
func (c *Client) Range(ctx context.Context, table string, q driver.Range) (driver.Page, error) {
	filter := "PartitionKey eq " + quote(q.Partition)
	if bounds := within("RowKey", q.From, q.To); bounds != "" {
		filter += " and " + bounds
	}
	return c.page(ctx, table, filter, q.Paging)
}

// Scan implements driver.Tables.
func (c *Client) Scan(ctx context.Context, table string, q driver.Scan) (driver.Page, error) {
	return c.page(ctx, table, within("PartitionKey", q.From, q.To), q.Paging)
}

// page sends one query. The limit is Azure's $top: a page may be shorter, or empty,
// and still not be the last.
func (c *Client) page(ctx context.Context, table, filter string, p driver.Paging) (driver.Page, error) {
	options := &aztables.ListEntitiesOptions{Top: to.Ptr(int32(p.Limit)), Filter: optional(filter)}
	if p.KeysOnly {
		options.Select = to.Ptr("PartitionKey,RowKey")
	}
	if len(p.Select) > 0 {
		options.Select = to.Ptr("PartitionKey,RowKey," + strings.Join(p.Select, ","))
	}
	partition, row, _ := strings.Cut(p.Continuation, separator)
	options.NextPartitionKey, options.NextRowKey = optional(partition), optional(row)
	var reply aztables.ListEntitiesResponse
	err := c.onTable(ctx, "query", table, func(t *aztables.Client) (err error) {
		reply, err = t.NewListEntitiesPager(options).NextPage(ctx)
		return err
	})
	if err != nil {
		return driver.Page{}, err
	}
	rows := make([]driver.Entity, len(reply.Entities))
	for i, raw := range reply.Entities {
		if rows[i], err = decodeEntity(raw); err != nil {
			return driver.Page{}, fmt.Errorf("azure: query %s: %w", table, err)
		}
		if p.KeysOnly || len(p.Select) > 0 {
			rows[i].ETag = ""
		}
	}
	next := value(reply.NextPartitionKey) + separator + value(reply.NextRowKey)
	if next == separator { // the last page
		next = ""
	}
	return driver.Page{Rows: rows, Continuation: next}, nil
}

// separator stands between the two continuation headers of a reply, the next
// partition key and the next row key. Either may be empty: a row key is allowed to
// be. Neither can hold this byte.
const separator = "\x00"

// onTable makes a call on a table, which is created if it is missing.
func (c *Client) onTable(ctx context.Context, action, table string, call func(*aztables.Client) error) error {
	client := c.tables.NewClient(table) // it shares the connections of c.tables
	return restored(func() error {
		return c.guarded(ctx, action, table, func() error { return call(client) })
	}, "TableNotFound", func() error { return c.CreateTable(ctx, table) })
}

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
	timestamp    = "Timestamp"
	odataPrefix  = "odata."
	odataETag    = "odata.etag"
	// dateTimeLayout has a digit for each tick of 100 ns.
	dateTimeLayout = "2006-01-02T15:04:05.0000000Z"
)

func encodeEntity(partition, row string, properties driver.Properties) ([]byte, error) {
	members := make(map[string]any, 2+2*len(properties))
	members[partitionKey], members[rowKey] = partition, row
	for _, p := range properties {
		switch v := p.Value; v.Kind() {
		case driver.KindString:
			members[p.Name] = v.Text()
		case driver.KindBoolean:
			members[p.Name] = v.Number() != 0
		case driver.KindInt64:
			members[p.Name] = strconv.FormatInt(v.Number(), 10)
			members[p.Name+typeSuffix] = edmInt64
		case driver.KindDateTime:
			members[p.Name] = v.Instant().Format(dateTimeLayout)
			members[p.Name+typeSuffix] = edmDateTime
		default:
			return nil, fmt.Errorf("property %s is of unknown kind %d", p.Name, v.Kind())
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
		return driver.Entity{}, fmt.Errorf("a row that is not JSON: %w", err)
	}
	var e driver.Entity
	for name, member := range members {
		switch {
		case name == partitionKey:
			e.Partition, _ = member.(string)
		case name == rowKey:
			e.Row, _ = member.(string)
		case name == odataETag:
			etag, _ := member.(string)
			e.ETag = driver.ETag(etag)
		case name == timestamp, strings.HasPrefix(name, odataPrefix), strings.HasSuffix(name, typeSuffix):
		default:
			edmType, _ := members[name+typeSuffix].(string)
			property, ok, err := decodeProperty(name, edmType, member)
			if err != nil {
				return driver.Entity{}, fmt.Errorf("property %s: %w", name, err)
			}
			if ok {
				e.Properties = append(e.Properties, property)
			}
		}
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
