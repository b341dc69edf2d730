package web

import (
	"microblogging/storage"
	"microblogging/templates"
)

func (p *pages) digestChannels(channels []storage.DigestChannel) []templates.DigestChannel {
	views := make([]templates.DigestChannel, len(channels))
	for i, channel := range channels {
		views[i] = templates.DigestChannel{
			Name: string(channel.Name), Posts: p.texts.posts(channel.Items, inDigest), First: channel.First, Total: channel.Total,
		}
	}
	return views
}
