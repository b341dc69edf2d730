package azure

import (
	"context"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue/v2"

	"microblogging/storage/driver"
)

// forever keeps a message until it is settled. Without it, the service drops a
// message, and with it somebody's intent, after seven days.
const forever = -1

// CreateQueue implements driver.Queues, as do Send, Receive, Update,
// Delete and Ping.
func (c *Client) CreateQueue(ctx context.Context, queue string) error {
	_, err := c.queues.CreateQueue(ctx, queue, nil)
	err = failure("create queue", queue, err)
	if hasCode(err, queueAlreadyExists) {
		return nil
	}
	return err
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

// Update implements driver.Queues. The service replaces the text and the
// lease together: without a timeout, it would show the message at once.
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

// Ping implements driver.Queues. It creates nothing.
func (c *Client) Ping(ctx context.Context, queue string) error {
	_, err := c.queues.NewQueueClient(queue).GetProperties(ctx, nil)
	return failure("look up queue", queue, err)
}

// onQueue is onTable for queues.
func (c *Client) onQueue(ctx context.Context, action, queue string, call func(*azqueue.QueueClient) error) error {
	client := c.queues.NewQueueClient(queue)
	err := failure(action, queue, call(client))
	if !hasCode(err, queueNotFound) {
		return err
	}
	if err := c.CreateQueue(ctx, queue); err != nil {
		return err
	}
	return failure(action, queue, call(client))
}

// seconds is the unit of visibility timeouts. Queue lets only whole ones pass.
func seconds(d time.Duration) *int32 { return to.Ptr(int32(d / time.Second)) }

// value is what an optional part of a reply says, or the zero value.
func value[T any](p *T) T {
	if p == nil {
		var none T
		return none
	}
	return *p
}
