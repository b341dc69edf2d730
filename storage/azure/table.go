package azure

import (
	"context"
	"fmt"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"

	"microblogging/storage/driver"
)

// CreateTable implements driver.Tables.
func (c *Client) CreateTable(ctx context.Context, table string) error {
	err := c.guarded(ctx, "create table", table, func() error {
		_, err := c.tables.CreateTable(ctx, table, nil)
		return err
	})
	if hasCode(err, tableAlreadyExists) {
		return nil
	}
	return err
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

// onTable makes a call on a table. If the table is missing, it creates the table and
// makes the call once more. Only an Azurite that was emptied loses a table, and this
// program need not be restarted for it.
func (c *Client) onTable(ctx context.Context, action, table string, call func(*aztables.Client) error) error {
	client := c.tables.NewClient(table) // it shares the connections of c.tables
	try := func() error { return c.guarded(ctx, action, table, func() error { return call(client) }) }
	err := try()
	if !hasCode(err, tableNotFound) {
		return err
	}
	if err := c.CreateTable(ctx, table); err != nil {
		return err
	}
	return try()
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
