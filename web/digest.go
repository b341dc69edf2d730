package web

import (
	"microblogging/storage"
	"microblogging/templates"
)

func digestChannels(channels []storage.DigestChannel) []templates.DigestChannel {
	views := make([]templates.DigestChannel, len(channels))
	for i, channel := range channels {
		views[i] = templates.DigestChannel{
			Name: string(channel.Name), Posts: postsOf(channel.Items), First: channel.First, Total: channel.Total,
		}
	}
	return views
}
