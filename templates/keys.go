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
