package page

import (
	"microblogging/domain"
	"microblogging/lab"
)

// message is about the queues.
func (d deed) message() string {
	poison := d.Call.Target == domain.PoisonQueueName
	switch d.Call.Method {
	case lab.Send:
		return d.send(poison)
	case lab.Receive:
		return d.receive()
	case lab.Length:
		return "whoever finds a message waiting there need not send another"
	case lab.Update:
		return d.rewrite()
	case lab.Settle:
		if d.refused() {
			return "another worker has the message by now, so only that one may take it off the queue"
		}
		if d.textbook && state(d.after) == "" && d.posts() > 0 {
			return "the message leaves the queue, and with it the last chance that anybody removes what is left"
		}
		return "the message leaves the queue last, when nothing is left that a repetition could have to do"
	}
	return d.who + " goes on to the next thing"
}

func (d deed) send(poison bool) string {
	switch {
	case poison && len(d.before.Messages(domain.PoisonQueueName)) > 0:
		return "the operator's queue has a second copy of one message now, and cannot tell"
	case poison:
		return "the message waits for an operator, because no worker can carry it out"
	case d.actor == "reconcile":
		return "the message is out again, because its first message may be lost"
	case d.textbook:
		return "the message is out, and some worker will carry it out, once or more often"
	}
	return "the message is out, and it will be carried out, even if whoever sent it dies now"
}

func (d deed) receive() string {
	id := d.Applied.Messages[0].ID
	for _, m := range d.before.Messages(d.Call.Target) {
		if m.ID == id && m.Deliveries > 0 {
			return "the queue gives the same message to " + d.who + " as well, because it cannot know whether the first worker is dead or slow"
		}
	}
	return d.who + " has the message on loan: if it is not done in time, another worker gets it"
}

func (d deed) rewrite() string {
	if d.refused() {
		return "another worker has the message by now, so this one may not change it"
	}
	if m, err := domain.DecodeMessage(d.Call.Message.Text); err == nil && m.Copied {
		return "the message says of itself that it has been copied, before it is, so nobody copies it twice"
	}
	return "the message goes back to the queue, and another attempt will follow"
}
