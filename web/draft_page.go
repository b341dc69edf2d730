package web

import (
	"errors"

	"microblogging/domain"
	"microblogging/templates"
)

// refillAction is the action of a form with a text that was written for a channel which
// is gone. Its answer is the form of the channel that has the name now, with the text in
// it. It writes nothing.
const refillAction = "refill"

// refilled is the notice above the form that was refilled.
const refilled = "This is the channel that has the name now. Your text is in its form, and was not sent yet."

// misplaced returns the channel that has the name now, if a form was refused because it
// was made for another incarnation (then replaced is true), or does not say for which.
func misplaced(err error) (now domain.Channel, replaced, found bool) {
	var other *domain.ReplacedError
	if errors.As(err, &other) {
		return other.Current, true, true
	}
	var unknown *unknownIncarnation
	if errors.As(err, &unknown) {
		return unknown.current, false, true
	}
	return domain.Channel{}, false, false
}

// misplacedWords are what the page of a misplaced draft says. They are empty if the draft
// was refused for another reason.
func misplacedWords(kind templates.DraftKind, err error) (title, detail string, links []templates.Link) {
	now, replaced, found := misplaced(err)
	if !found {
		return "", "", nil
	}
	// The channel is often at the address of this very page. Going there in the same tab
	// would then leave no way back to the text.
	link := readNew(now)
	link.Aside = true
	if replaced {
		return kind.Unsent(), kind.Replaced(), []templates.Link{link}
	}
	link.Label = "Read the channel"
	return kind.Unsent(), kind.Unplaced(), []templates.Link{link}
}

// refillPath is the path of the form of the channel that has the name now, if a draft was
// misplaced and the visitor has that form. What was changed of a post can become a new
// one.
func refillPath(kind templates.DraftKind, v visitor, err error) string {
	now, _, found := misplaced(err)
	switch {
	case !found:
		return ""
	case kind != templates.DescriptionDraft:
		return templates.ChannelPath(string(now.Name))
	case now.Owner == v.User:
		return templates.EditChannelPath(string(now.Name))
	}
	return ""
}

// elsewhere explains the error of a form without a text, if another channel has the name
// of the one that the form was made for. Other errors are returned as they are.
func elsewhere(err error, title, asked string) error {
	var replaced *domain.ReplacedError
	if !errors.As(err, &replaced) {
		return err
	}
	return explain(err, title, "A new channel has this name now. "+asked+" Nothing was changed.", readNew(replaced.Current))
}

// readNew is a link to a channel that has the name of another.
func readNew(channel domain.Channel) templates.Link {
	return templates.Link{Label: "Read the new channel", URL: templates.ChannelPath(string(channel.Name))}
}
