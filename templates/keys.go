package templates

// A key does what a control of a page does.
type key struct{ key, does string }

func keys() []key {
	return []key{
		{"j", "Next post: the arrow down beside a post."},
		{"k", "Previous post: the arrow up."},
		{"n", "Write a post: the line above the posts of a channel."},
		{"v", "Vote for the post, or take the vote back: the button beside it."},
		{"/", "Channels: the link above. On that page, the field that filters them."},
		{"?", "These keys: the link below each page."},
	}
}

// labKeys are those of the lab's pages. The script static/lab_keys.js must use the same.
func labKeys() []key {
	return []key{
		{"→", "One step forth in the run: the button above."},
		{"←", "One step back."},
		{"u", "Undo: take the last step back, and go on from there."},
		{"1–9", "Let the call of that actor take effect: the button on its card."},
		{"Shift 1–9", "What else may happen to that call: the menu on its card."},
		{"/", "Channels."},
		{"?", "These keys."},
	}
}
