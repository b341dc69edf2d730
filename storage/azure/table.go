package azure

import (
	"context"
	"fmt"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"

	"microblogging/storage/driver"
)

// CreateTable implements driver.Tables, as do Get, Range, Scan and
// Transact.
func (c *Client) CreateTable(ctx context.Context, table string) error {
	_, err := c.tables.CreateTable(ctx, table, nil)
	err = failure("create table", table, err)
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

// page is one request. The limit is Azure's $top: a page may be shorter, or
// empty, and still not be the last.
func (c *Client) page(ctx context.Context, table, filter string, p driver.Paging) (driver.Page, error) {
	selection := table + "?" + filter
	options := &aztables.ListEntitiesOptions{Top: to.Ptr(int32(p.Limit)), Filter: optional(filter)}
	if p.KeysOnly {
		options.Select = to.Ptr("PartitionKey,RowKey")
	}
	if len(p.Select) > 0 {
		options.Select = to.Ptr("PartitionKey,RowKey," + strings.Join(p.Select, ","))
	}
	if p.Continuation != "" {
		next, err := decodeContinuation(selection, p.Continuation)
		if err != nil {
			return driver.Page{}, err
		}
		options.NextPartitionKey, options.NextRowKey = optional(next.partition), optional(next.row)
	}
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
	next := position{value(reply.NextPartitionKey), value(reply.NextRowKey)}
	return driver.Page{Rows: rows, Continuation: encodeContinuation(selection, next)}, nil
}

// onTable makes a call on a table. If the table is missing, it is created and
// the call made once more: nothing but an emptied Azurite loses a table, and it
// heals without a restart of ours.
func (c *Client) onTable(ctx context.Context, action, table string, call func(*aztables.Client) error) error {
	client := c.tables.NewClient(table) // a view: the connections are the service's
	err := failure(action, table, call(client))
	if !hasCode(err, tableNotFound) {
		return err
	}
	if err := c.CreateTable(ctx, table); err != nil {
		return err
	}
	return failure(action, table, call(client))
}

// within selects from <= key < to. An empty bound is none.
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

// optional is nil for an empty string, as the SDK wants what is not said.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
