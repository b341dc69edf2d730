package web_test

import (
	"net/url"
	"strings"
	"testing"

	"microblogging/domain"
)

func TestBlogPage(t *testing.T) {
	t.Run("an author finds, edits and deletes a post", authorFindsEditsAndDeletesAPost)
	t.Run("a post edited since it was read is not deleted", postEditedSinceItWasReadIsNotDeleted)
	t.Run("only users who may change a post see the forms for it", onlyUsersWhoMayChangeAPostSeeTheFormsForIt)
	t.Run("an id of no post is not found", idOfNoPostIsNotFound)
}

func authorFindsEditsAndDeletesAPost(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	channel := s.channel("Straße", "ada")
	post := s.post(channel, "ada", "Löcher")
	path := permalink(channel, post)
	b.open("/channels/strasse").follow(post.CreatedOn.UTC().Format("2 January 2006, 15:04 UTC")).want(200).heading("Post by @ada").says("Löcher").saysNot("edited").
		follow("Edit").form("Save").fill("title", "Asphalt").fill("text", "Neu\nund glatt").press().
		at(path).heading("Asphalt").says("Your changes are saved.", "Neu und glatt", "edited ", " UTC").
		form("Delete this post").press().
		at("/channels/Stra%C3%9Fe").says("The post is deleted.", "Nothing here yet")
	b.open(path).want(404).follow("Back to Straße").want(200)
	b.open(path + "/edit").want(404)
}

func postEditedSinceItWasReadIsNotDeleted(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	channel := s.channel("Engines", "ada")
	path := permalink(channel, s.post(channel, "ada", "Draft"))
	form := b.open(path).form("Delete this post")
	b.open(path+"/edit").form("Save").fill("text", "Better").press().at(path)
	form.press().want(412).says("edited in between").follow("The post as it is now").want(200).says("Better").
		form("Delete this post").press().at("/channels/Engines")
	form.press().want(404)
}

func onlyUsersWhoMayChangeAPostSeeTheFormsForIt(t *testing.T) {
	s := newSite(t)
	owner, author, other, stranger := s.signedIn("ada"), s.signedIn("bob"), s.signedIn("eve"), s.browser()
	channel := s.channel("Engines", "ada")
	path := permalink(channel, s.post(channel, "bob", "Mine"))
	del := author.open(path).form("Delete this post").values
	edit := author.open(path + "/edit").form("Save").values
	edit.Del("user") // with it, the form is refused to others before the post is read
	for _, test := range []struct {
		b            *browser
		edit, delete bool
		status       int
	}{
		{owner, false, true, 403}, {author, true, true, 200}, {other, false, false, 403}, {stranger, false, false, 401},
	} {
		p := test.b.open(path).want(200)
		if got := p.href("Edit") != ""; got != test.edit {
			t.Errorf("offered to edit: %t", got)
		}
		if got := p.hasForm("Delete this post"); got != test.delete {
			t.Errorf("offered to delete: %t", got)
		}
		test.b.open(path + "/edit").want(test.status)
		if !test.edit {
			test.b.send("POST", path+"/edit", posted(edit)).want(test.status)
		}
		if !test.delete {
			test.b.send("POST", path, posted(del)).want(test.status)
		}
	}
	owner.open(path).form("Delete this post").press().at("/channels/Engines")
}

func idOfNoPostIsNotFound(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	channel, other := s.channel("Engines", "ada"), s.channel("Wheels", "ada")
	blog := s.post(channel, "ada", "Here")
	for _, id := range []string{"x", string(blog.ID[:19]), strings.ToLower(string(blog.ID)), string(blog.ID) + "%00", "%2e%2e", string(domain.NewBlogID(blog.CreatedOn))} {
		b.open("/channels/Engines/blogs/" + id).want(404).follow("Back to Engines").want(200)
		b.send("POST", "/channels/Engines/blogs/"+id+"/edit", posted(url.Values{"etag": {"*"}, "text": {"x"}, "incarnation": {string(channel.Incarnation)}})).want(404)
	}
	b.open(permalink(other, blog)).want(404)
	b.open(strings.Replace(permalink(channel, blog), "!", "%21", 1)).want(200).says("Here")
}
