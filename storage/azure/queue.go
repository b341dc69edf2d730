package azure

import (
	"context"
	"fmt"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue/v2"

	"microblogging/storage/driver"
)

// forever is the time to live of a message that stays until it is deleted. By
// default, the service drops a message after seven days.
const forever = -1

func send(ctx context.Context, q *azqueue.QueueClient, c *driver.Call) error {
	_, err := q.EnqueueMessage(ctx, c.Message.Text, &azqueue.EnqueueMessageOptions{
		TimeToLive: new(int32(forever)), VisibilityTimeout: seconds(c.Lease),
	})
	return err
}

func receive(ctx context.Context, q *azqueue.QueueClient, c *driver.Call) ([]driver.Message, error) {
	reply, err := q.DequeueMessages(ctx, &azqueue.DequeueMessagesOptions{
		NumberOfMessages: new(int32(c.Limit)), VisibilityTimeout: seconds(c.Lease),
	})
	var messages []driver.Message
	for _, m := range reply.Messages {
		if value(m.MessageID) == "" || value(m.PopReceipt) == "" || m.MessageText == nil || m.DequeueCount == nil {
			return nil, fmt.Errorf("%w: a part of a message is missing", errNotAnswer)
		}
		messages = append(messages, driver.Message{
			ID: *m.MessageID, Text: *m.MessageText, Receipt: *m.PopReceipt, Deliveries: *m.DequeueCount,
		})
	}
	return messages, err
}

// update always says when the message is visible again: without that, it would be immediately.
func update(ctx context.Context, q *azqueue.QueueClient, c *driver.Call) (receipt string, err error) {
	options := &azqueue.UpdateMessageOptions{VisibilityTimeout: seconds(c.Lease)}
	reply, err := q.UpdateMessage(ctx, c.Message.ID, c.Message.Receipt, c.Message.Text, options)
	return value(reply.PopReceipt), err
}

func peek(ctx context.Context, q *azqueue.QueueClient, c *driver.Call) ([]driver.Message, error) {
	reply, err := q.PeekMessages(ctx, &azqueue.PeekMessagesOptions{NumberOfMessages: new(int32(c.Limit))})
	var messages []driver.Message
	for _, m := range reply.Messages {
		if value(m.MessageID) == "" || m.MessageText == nil || m.DequeueCount == nil {
			return nil, fmt.Errorf("%w: a part of a message is missing", errNotAnswer)
		}
		messages = append(messages, driver.Message{ID: *m.MessageID, Text: *m.MessageText, Deliveries: *m.DequeueCount})
	}
	return messages, err
}

// length asks for the approximate count that the service keeps.
func length(ctx context.Context, q *azqueue.QueueClient) (int64, error) {
	reply, err := q.GetProperties(ctx, nil)
	return int64(value(reply.ApproximateMessagesCount)), err
}

// seconds converts a visibility timeout. Queue lets only whole seconds pass.
func seconds(d time.Duration) *int32 { return new(int32(d / time.Second)) }

// value returns an optional part of a reply, or the zero value.
func value[T any](p *T) T {
	if p == nil {
		var none T
		return none
	}
	return *p
}
