package web_test

import (
	"net/url"

	"microblogging/domain"
)

// permalink is the path of the page of a post.
func permalink(channel domain.Channel, blog domain.Blog) string {
	return "/channels/" + url.PathEscape(string(channel.Name)) + "/blogs/" + string(blog.ID)
}

func blogPath(channel domain.Channel, id domain.BlogID) string {
	return "/api/v1/channels/" + url.PathEscape(string(channel.Name)) + "/blogs/" + string(id)
}

func votePath(channel domain.Channel, id domain.BlogID) string {
	return blogPath(channel, id) + "/vote"
}

func feedsOf(channel domain.Channel) (atom, json string) {
	path := "/channels/" + url.PathEscape(string(channel.Name))
	return path + "/feed.atom", path + "/feed.json"
}

const feedPath = "/api/v1/feed"

const digestPath = "/api/v1/digest"

const subscriptions = "/api/v1/subscriptions"
