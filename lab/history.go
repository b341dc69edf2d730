package lab

import (
	"slices"

	"microblogging/domain"
	"microblogging/lab/mem"
)

// A History is what laws need of a run's past and the store no longer shows. It
// never changes.
type History struct {
	// Sent is every message that was ever put on the queue.
	Sent []SentMessage
	// Incarnations is every incarnation that ever had a row in Channels.
	Incarnations []string
	sum          mem.Sum
}

// A SentMessage is a text on the queue and its meaning. Kind is empty if the text
// is not a message of this program.
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

func (h *History) withIncarnation(incarnation string) *History {
	next := *h
	next.Incarnations = append(slices.Clip(h.Incarnations), incarnation)
	next.sum = h.sum.Plus(sumOfText("incarnation", incarnation))
	return &next
}

func sumOfText(kind, text string) mem.Sum {
	var d mem.Digest
	d.Text(kind)
	d.Text(text)
	return d.Done()
}

// askedChannel tells whether a message asks for the deletion of this incarnation.
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
