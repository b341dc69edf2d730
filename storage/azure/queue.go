package azure

import (
	"context"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue/v2"

	"microblogging/storage/driver"
)

// forever is the time to live of a message that stays until it is settled. By
// default, the service drops a message after seven days.
const forever = -1

// CreateQueue implements driver.Queues.
func (c *Client) CreateQueue(ctx context.Context, queue string) error {
	err := c.guarded(ctx, "create queue", queue, func() error {
		_, err := c.queues.CreateQueue(ctx, queue, nil)
		return err
	})
	return accepted(err, "QueueAlreadyExists")
}

// QueueNames returns the names of the queues that start with the prefix.
func (c *Client) QueueNames(ctx context.Context, prefix string) ([]string, error) {
	pager := c.queues.NewListQueuesPager(&azqueue.ListQueuesOptions{Prefix: optional(prefix)})
	return names(ctx, c, pager, func(reply azqueue.ListQueuesResponse) (names []string) {
		for _, queue := range reply.Queues {
			names = append(names, value(queue.Name))
		}
		return names
	})
}

// DropQueue removes a queue with its messages, or does nothing if it is not there.
func (c *Client) DropQueue(ctx context.Context, queue string) error {
	err := c.guarded(ctx, "drop queue", queue, func() error {
		_, err := c.queues.DeleteQueue(ctx, queue, nil)
		return err
	})
	return accepted(err, "QueueNotFound", "QueueBeingDeleted")
}

// Send implements driver.Queues.
func (c *Client) Send(ctx context.Context, queue, text string) error {
	options := &azqueue.EnqueueMessageOptions{TimeToLive: to.Ptr[int32](forever)}
	return c.onQueue(ctx, "send to", queue, func(q *azqueue.QueueClient) error {
		_, err := q.EnqueueMessage(ctx, text, options)
		return err
	})
}

// Receive implements driver.Queues.
func (c *Client) Receive(ctx context.Context, queue string, limit int, lease time.Duration) ([]driver.Message, error) {
	options := &azqueue.DequeueMessagesOptions{
		NumberOfMessages:  to.Ptr(int32(limit)),
		VisibilityTimeout: seconds(lease),
	}
	var reply azqueue.DequeueMessagesResponse
	err := c.onQueue(ctx, "receive from", queue, func(q *azqueue.QueueClient) (err error) {
		reply, err = q.DequeueMessages(ctx, options)
		return err
	})
	if err != nil {
		return nil, err
	}
	messages := make([]driver.Message, len(reply.Messages))
	for i, m := range reply.Messages {
		messages[i] = driver.Message{
			ID:         value(m.MessageID),
			Text:       value(m.MessageText),
			Receipt:    value(m.PopReceipt),
			Deliveries: value(m.DequeueCount),
		}
	}
	return messages, nil
}

// Update implements driver.Queues. Without a visibility timeout, the service would
// make the message visible at once.
func (c *Client) Update(ctx context.Context, queue string, m driver.Message, lease time.Duration) (receipt string, err error) {
	options := &azqueue.UpdateMessageOptions{VisibilityTimeout: seconds(lease)}
	var reply azqueue.UpdateMessageResponse
	err = c.onQueue(ctx, "renew a message of", queue, func(q *azqueue.QueueClient) (err error) {
		reply, err = q.UpdateMessage(ctx, m.ID, m.Receipt, m.Text, options)
		return err
	})
	return value(reply.PopReceipt), err
}

// Delete implements driver.Queues.
func (c *Client) Delete(ctx context.Context, queue string, m driver.Message) error {
	return c.onQueue(ctx, "settle a message of", queue, func(q *azqueue.QueueClient) error {
		_, err := q.DeleteMessage(ctx, m.ID, m.Receipt, nil)
		return err
	})
}

// Peek implements driver.Queues. It creates nothing.
func (c *Client) Peek(ctx context.Context, queue string, limit int) ([]driver.Message, error) {
	options := &azqueue.PeekMessagesOptions{NumberOfMessages: to.Ptr(int32(limit))}
	var reply azqueue.PeekMessagesResponse
	err := c.guarded(ctx, "peek at", queue, func() (err error) {
		reply, err = c.queues.NewQueueClient(queue).PeekMessages(ctx, options)
		return err
	})
	if err != nil {
		return nil, err
	}
	messages := make([]driver.Message, len(reply.Messages))
	for i, m := range reply.Messages {
		messages[i] = driver.Message{ID: value(m.MessageID), Text: value(m.MessageText), Deliveries: value(m.DequeueCount)}
	}
	return messages, nil
}

// Ping implements driver.Queues. It creates nothing.
func (c *Client) Ping(ctx context.Context, queue string) error {
	_, err := c.Length(ctx, queue)
	return err
}

// Length implements driver.Queues. It creates nothing. The service keeps an
// approximate count.
func (c *Client) Length(ctx context.Context, queue string) (int64, error) {
	var reply azqueue.GetQueuePropertiesResponse
	err := c.guarded(ctx, "look up queue", queue, func() (err error) {
		reply, err = c.queues.NewQueueClient(queue).GetProperties(ctx, nil)
		return err
	})
	return int64(value(reply.ApproximateMessagesCount)), err
}

// onQueue makes a call on a queue, which is created if it is missing.
func (c *Client) onQueue(ctx context.Context, action, queue string, call func(*azqueue.QueueClient) error) error {
	client := c.queues.NewQueueClient(queue)
	return restored(func() error {
		return c.guarded(ctx, action, queue, func() error { return call(client) })
	}, "QueueNotFound", func() error { return c.CreateQueue(ctx, queue) })
}

// seconds converts a visibility timeout. Queue lets only whole seconds pass.
func seconds(d time.Duration) *int32 { return to.Ptr(int32(d / time.Second)) }

// value returns an optional part of a reply, or the zero value.
func value[T any](p *T) T {
	if p == nil {
		var none T
		return none
	}
	return *p
}
