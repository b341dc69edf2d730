package lab

import (
	"slices"

	"microblogging/domain"
	"microblogging/lab/mem"
)

// A History is the part of a run's past that the store does not show any more
// and that laws refer to. It never changes.
type History struct {
	// Sent is every message that was ever put on the queue.
	Sent []SentMessage
	// Lives is every incarnation that ever had a row in Channels.
	Lives []string
	sum   mem.Sum
}

// A SentMessage is a text on the queue and what it means. A text that is no
// message of ours has no Kind.
type SentMessage struct {
	Text string
	domain.Message
}

func (h *History) withSent(text string) *History {
	if slices.ContainsFunc(h.Sent, func(m SentMessage) bool { return m.Text == text }) {
		return h
	}
	sent := SentMessage{Text: text}
	if message, err := domain.DecodeMessage(text); err == nil {
		sent.Message = message
	}
	next := *h
	next.Sent = append(slices.Clip(h.Sent), sent)
	next.sum = h.sum.Plus(sumOfText("sent", text))
	return &next
}

func (h *History) withLife(incarnation string) *History {
	next := *h
	next.Lives = append(slices.Clip(h.Lives), incarnation)
	next.sum = h.sum.Plus(sumOfText("life", incarnation))
	return &next
}

func sumOfText(kind, text string) mem.Sum {
	var d mem.Digest
	d.Text(kind)
	d.Text(text)
	return d.Done()
}

// askedChannel tells whether a message asks for the deletion of this life.
func (h *History) askedChannel(ref domain.ChannelRef) bool {
	return slices.ContainsFunc(h.Sent, func(m SentMessage) bool {
		return m.Kind == domain.MessageChannel && m.Incarnation == ref.Incarnation
	})
}

// askedBlog tells whether a message asks for the deletion of this post.
func (h *History) askedBlog(id domain.BlogID) bool {
	return slices.ContainsFunc(h.Sent, func(m SentMessage) bool {
		return m.Kind == domain.MessageBlog && m.Blog == id
	})
}
