package page

import (
	"strings"

	"microblogging/lab"
)

// fate puts what a call does and what befalls it into one sentence.
func (n narrator) fate(d deed, step *lab.Step) string {
	switch step.Choice.Fate {
	case lab.Forgotten:
		return "the queue loses the message, and nobody who has sent it will hear of that."
	case lab.DiesBefore:
		return d.who + " dies before the request leaves: nothing is written, and whatever was to follow is left to somebody else."
	case lab.Unsent:
		return "the request never arrives, and " + d.who + " cannot tell this from a lost answer."
	case lab.GivenUp:
		return d.who + " gives up, but the request is still under way: it may arrive when nobody remembers it."
	}
	said := strings.TrimSuffix(d.sentence(), ".")
	switch step.Choice.Fate {
	case lab.DiesAfter:
		return said + "; and " + d.who + " dies, so nothing of what was to follow will follow."
	case lab.Lost:
		return said + "; but no answer comes back, and " + d.who + " must take that for a failure."
	case lab.Repeated:
		return said + "; but the answer is lost, and the library is about to send the same request again."
	case lab.Copied:
		return said + "; and a copy of the request stays under way, which may arrive at any later time."
	case lab.Lands:
		return "nobody waits for it any more when it arrives: " + said + "."
	}
	return said + "."
}

// sentence says what the call is good for, or what it means that it is refused.
func (d deed) sentence() string {
	switch d.Call.Target {
	case "Channels":
		if d.textbook {
			return d.textbookChannel()
		}
		return d.channel()
	case "Blogs":
		if d.textbook {
			return d.textbookPost()
		}
		return d.partition()
	case "Subscriptions":
		return d.subscription()
	case "Deletions":
		return d.deletion()
	case "Users":
		return d.user()
	case "Sessions":
		return d.session()
	}
	return d.message()
}
