package page

import "strings"

// lawSentences say each law as a whole sentence, without a capital letter and a full stop.
func lawSentences() map[string]string {
	return map[string]string{
		"I1": "every row has its channel", "I2": "a deletion harms no other channel", "I3": "what was accepted is not lost",
		"I4": "what was deleted cannot be read", "I5": "every deletion ends", "I6": "doing it again changes nothing more",
		"I7": "one request makes one post", "I8": "the indexes agree with the posts", "I9": "every gate agrees with its channel",
		"I10": "what has ended stays ended",
		"A1":  "every post has its channel", "A2": "a deletion harms no new channel of that name", "A3": "every deletion ends",
		"A4": "nobody is beaten by their own request",
	}
}

// lawSentence is the law with its name, as a sentence that others can contain.
func lawSentence(law string) string { return law + " (“" + lawSentences()[law] + "”)" }

// takenOut says what the guard is that the scenario goes without.
func (v scene) takenOut() string { return takenOut(v.Guard) }

func takenOut(guard string) string {
	guard, _, _ = strings.Cut(guard, " (")
	return "In the code that ships, " + guard + ". Here this guard is taken out."
}
