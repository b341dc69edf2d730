package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/web"
)

func TestOperator(t *testing.T) {
	t.Run("is led from the page of a user to their account, as no other reader is", userPageLeadsOperator)
	t.Run("removes what is another’s, as the table of who may what says, and no other user does", operatorMay)
	t.Run("closes an account, whose user cannot sign in to undo that, and opens it again", operatorClosesAccount)
	t.Run("closes an account, and each page says who can undo it, and until when", pagesSayWhoCanUndoClosing)
	t.Run("has a page that tells other users for whom it is", pageIsForOperators)
	t.Run("closes a channel, whose owner sees who did, and cannot undo it", operatorClosesChannel)
	t.Run("makes a link for a password that opens no session, and its user is told", operatorMakesPasswordLink)
	t.Run("makes and takes back invitations", operatorInvites)
	t.Run("leaves one line in the log for each act, without a secret", operatorIsLogged)
	t.Run("does not close an account whose user has asked for its deletion, and is told so", operatorCannotCloseTwice)
	t.Run("shuts out no other operator", operatorsAreEqual)
	t.Run("opens the account of another operator that the command line has closed", operatorOpensOperator)
	t.Run("reads no feed, subscription or export of another", operatorReadsNothingPrivate)
}

// newOperated is a site with an operator, otto, an owner, ada, an author, bob, and eve.
func newOperated(t *testing.T) (s *site, tokens map[domain.UserName]string) {
	s = newSiteWith(t, web.Options{Operators: domain.Operators{"otto", "olivia"}, Undo: time.Minute, UndoAccount: time.Hour, Version: "test", Contact: "ben@club.example"})
	tokens = map[domain.UserName]string{}
	for _, name := range []domain.UserName{"otto", "olivia", "ada", "bob", "eve"} {
		tokens[name] = s.signUp(string(name))
	}
	return s, tokens
}

func userPageLeadsOperator(t *testing.T) {
	s, _ := newOperated(t)
	for i := range 21 { // more than a page, and newer
		s.author("bob" + strconv.Itoa(i))
	}
	first := s.again("otto").open("/users/bob").follow("Manage (operator)").form("Close account")
	if whom := first.values.Get("user"); whom != "bob" {
		t.Errorf("it leads to the account of %s", whom)
	}
	for _, reader := range []*browser{s.browser(), s.again("eve"), s.again("bob")} {
		reader.open("/users/bob").saysNot("(operator)")
	}
}

// The API answers as the table says, for each act that it has.
func operatorMay(t *testing.T) {
	s, tokens := newOperated(t)
	object := domain.Object{Author: "bob", Owner: "ada"}
	for _, c := range []struct {
		act  domain.Act
		send func(who change) answer
	}{
		{domain.EditPost, func(who change) answer {
			post := s.post(s.channel(fresh(), "ada"), "bob", "one")
			return s.do("PUT", postAt(post), who, header("If-Match", "*"), raw(`{"title":"","text":"two"}`))
		}},
		{domain.RemovePost, func(who change) answer {
			return s.do("DELETE", postAt(s.post(s.channel(fresh(), "ada"), "bob", "one")), who)
		}},
		{domain.ManageChannel, func(who change) answer {
			return s.do("PATCH", "/api/v1/channels/"+string(s.channel(fresh(), "ada").Name), who, raw(`{"posting":"owner"}`))
		}},
		{domain.DeleteChannel, func(who change) answer {
			return s.do("DELETE", "/api/v1/channels/"+string(s.channel(fresh(), "ada").Name), who)
		}},
		{domain.LinkToPassword, func(who change) answer { return s.do("POST", "/api/v1/users/bob/password-link", who) }},
		{domain.OperateSite, func(who change) answer { return s.do("GET", "/api/v1/users?order=created", who) }},
		{domain.OperateSite, func(who change) answer { return s.do("POST", "/api/v1/invitations", who) }},
	} {
		for name, token := range tokens {
			want := domain.Actor{User: name, Operator: name == "otto" || name == "olivia"}.May(c.act, object)
			if a := c.send(bearer(token)); (a.status < 300) != want || !want && a.status != http.StatusForbidden {
				t.Errorf("%s does act %d: status %d, and may: %t", name, c.act, a.status, want)
			}
		}
	}
}

// fresh is a name that no channel has.
func fresh() string { return "c" + strings.ToLower(string(domain.NewIncarnation())) }

func postAt(post domain.Blog) string {
	return "/api/v1/channels/" + string(post.Channel.Key) + "/blogs/" + string(post.ID)
}

func operatorClosesAccount(t *testing.T) {
	s, tokens := newOperated(t)
	otto, bob := bearer(tokens["otto"]), bearer(tokens["bob"])
	a := s.do("DELETE", "/api/v1/users/bob", otto, raw(`{"posts":"keep"}`)).want(202)
	if !strings.Contains(string(a.body), `"state":"pending"`) {
		t.Errorf("it answers %s", a.body)
	}
	s.do("GET", "/api/v1/account/deletion", bob).want(401)
	a = s.do("POST", "/api/v1/sessions", raw(`{"name":"bob","password":"`+password+`"}`)).want(403)
	if !strings.Contains(string(a.body), "An operator of this site has closed") {
		t.Errorf("the user is told %s", a.body)
	}
	if list := s.do("GET", "/api/v1/users?order=created&contains=bob", otto).want(200); !strings.Contains(string(list.body), `"closing":true,"byOperator":true`) {
		t.Errorf("it is listed as %s", list.body)
	}
	s.do("POST", "/api/v1/users/bob/undo", bearer(tokens["ada"])).want(403)
	s.do("POST", "/api/v1/users/bob/undo", bearer(tokens["olivia"])).want(204)
	s.do("POST", "/api/v1/sessions", raw(`{"name":"bob","password":"`+password+`"}`)).want(201)
	s.do("DELETE", "/api/v1/users/eve", bearer(tokens["ada"]), raw(`{"posts":"keep"}`)).want(403)
}

func pagesSayWhoCanUndoClosing(t *testing.T) {
	s, _ := newOperated(t)
	s.channel("Rowing", "bob")
	otto, until := s.again("otto"), "can be opened until"
	list := otto.open("/operator?contains=bob").says("For 1 hour, operators can open it again.").saysNot(until)
	list.form("Close account").press().says("You closed the account of @bob. They cannot sign in.", until).saysNot("leaving")
	s.browser().open("/sign-in").form("Sign in").fill("name", "bob").fill("password", password).press().
		want(403).says("Only an operator can open it again. Ask ben@club.example.")
	for _, gone := range []string{"/users/bob", "/channels/Rowing"} {
		for _, reader := range []*browser{s.browser(), s.again("eve")} {
			reader.open(gone).want(410).saysNot("undo")
		}
	}
	otto.send("POST", "/operator", posted(url.Values{"action": {"open"}, "user": {"bob"}})).says("You opened the account of @bob again.").saysNot(until)
	_, err := s.store.Accounts.Delete(t.Context(), storage.Attempt{Name: "bob", Password: password}, false)
	ok(t, err)
	otto.open("/operator?contains=bob").says("leaving").saysNot(until)
	s.browser().open("/users/bob").want(410).says("Its user may still be able to undo the deletion.")
	s = newSiteWith(t, web.Options{Operators: domain.Operators{"otto"}, Version: "test"})
	s.signUp("bob")
	s.signedIn("otto").open("/operator").says("This cannot be undone.").saysNot("operators can open it again")
	s.channel("Rowing", "bob")
	s.again("otto").open("/channels/Rowing").says("This cannot be undone.").saysNot("operators can undo that")
}

func pageIsForOperators(t *testing.T) {
	s, tokens := newOperated(t)
	for _, path := range []string{"/operator", "/operator/invitations"} {
		s.again("eve").open(path).want(403).says("This is for operators", "Only operators of this site can use it.").saysNot("owner")
	}
	s.do("POST", "/operator", cookie(tokens["eve"]), posted(url.Values{"action": {"close"}, "user": {"bob"}})).want(403)
}

func operatorClosesChannel(t *testing.T) {
	s, tokens := newOperated(t)
	otto, ada := bearer(tokens["otto"]), bearer(tokens["ada"])
	s.channel("Engines", "ada")
	s.again("otto").open("/channels/Engines").says("For 1 minute, operators can undo that, and its owner cannot.")
	at := s.do("DELETE", "/api/v1/channels/Engines", otto).want(202).header.Get("Location")
	for _, who := range []change{ada, otto, bearer(tokens["olivia"])} {
		if a := s.do("GET", at, who).want(200); !strings.Contains(string(a.body), `"byOperator":true`) {
			t.Errorf("it reads %s", a.body)
		}
	}
	if a := s.do("GET", "/api/v1/deletions", ada).want(200); !strings.Contains(string(a.body), `"byOperator":true`) {
		t.Errorf("the owner's list is %s", a.body)
	}
	page := string(s.do("GET", strings.TrimPrefix(at, "/api/v1"), cookie(tokens["ada"])).want(200).body)
	if !strings.Contains(page, "An operator of this site") || strings.Contains(page, `value="undo"`) {
		t.Error("the owner's page says nothing of the operator, or offers an undo")
	}
	if page := string(s.do("GET", strings.TrimPrefix(at, "/api/v1"), cookie(tokens["otto"])).want(200).body); !strings.Contains(page, `value="undo"`) {
		t.Error("the operator's page offers no undo")
	}
	deletion := `href="` + strings.TrimPrefix(at, "/api/v1") + `"`
	for who, leads := range map[domain.UserName]bool{"ada": true, "olivia": true, "eve": false} {
		if page := string(s.do("GET", "/channels/Engines", cookie(tokens[who])).want(410).body); strings.Contains(page, deletion) != leads {
			t.Errorf("the address of the channel leads %s to its deletion: %t", who, !leads)
		}
	}
	refused := s.do("POST", "/channels/Engines", cookie(tokens["ada"]), posted(url.Values{"text": {"Kept"}, "key": {"k"}, "incarnation": {path.Base(at)}})).want(410)
	if !strings.Contains(string(refused.body), deletion+` target="_blank"`) {
		t.Error("who wrote meanwhile has no way to the deletion that keeps their text")
	}
	s.do("GET", at, bearer(tokens["eve"])).want(403)
	s.do("POST", at+"/undo", ada).want(403)
	s.do("POST", at+"/undo", bearer(tokens["olivia"])).want(200)
	s.do("GET", "/api/v1/channels/Engines").want(200)
}

// linkIn is the link that a request makes, and its secret.
func linkIn(t *testing.T, a answer) (path, secret string) {
	t.Helper()
	var link struct{ URL, ExpiresOn string }
	if err := json.Unmarshal(a.body, &link); err != nil || link.ExpiresOn == "" {
		t.Fatalf("%s, %v", a.body, err)
	}
	if a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("a link may be kept: %q", a.header.Get("Cache-Control"))
	}
	_, secret, _ = strings.Cut(link.URL, "=")
	return link.URL[strings.Index(link.URL, "/sign-"):], secret
}

func operatorMakesPasswordLink(t *testing.T) {
	s, tokens := newOperated(t)
	path, secret := linkIn(t, s.do("POST", "/api/v1/users/bob/password-link", bearer(tokens["otto"])).want(201))
	s.do("GET", path).want(200)
	if a := s.do("GET", "/sign-in/link?token="+secret); a.header.Get("Set-Cookie") != "" {
		t.Errorf("it signs in: %d", a.status)
	}
	s.do("POST", "/sign-in/reset", posted(url.Values{"token": {secret}, "password": {"another password"}})).want(303)
	a := s.do("POST", "/api/v1/sessions", raw(`{"name":"bob","password":"another password"}`)).want(201)
	token := regexp.MustCompile(`"token":"([^"]+)"`).FindSubmatch(a.body)[1]
	if page := string(s.do("GET", "/account", cookie(string(token))).want(200).body); !strings.Contains(page, "with a link that an operator made") {
		t.Error("the account page says nothing of the link")
	}
	if page := string(s.do("GET", "/account", cookie(tokens["ada"])).want(200).body); strings.Contains(page, "with a link that an operator made") {
		t.Error("the account page of another speaks of a link")
	}
	s.do("POST", "/api/v1/users/eve/password-link", bearer(tokens["ada"])).want(403)
}

func operatorInvites(t *testing.T) {
	s, tokens := newOperated(t)
	otto := bearer(tokens["otto"])
	path, secret := linkIn(t, s.do("POST", "/api/v1/invitations", otto).want(201))
	s.do("GET", path).want(200)
	list := s.do("GET", "/api/v1/invitations", otto).want(200)
	id := string(regexp.MustCompile(`"id":"([^"]+)"`).FindSubmatch(list.body)[1])
	if strings.Contains(string(list.body), secret) {
		t.Error("the list has the secret")
	}
	s.do("DELETE", "/api/v1/invitations/"+id, bearer(tokens["ada"])).want(403)
	s.do("DELETE", "/api/v1/invitations/"+id, otto).want(204)
	s.do("GET", path).want(410)
	s.do("GET", "/api/v1/invitations", bearer(tokens["ada"])).want(403)
}

func operatorIsLogged(t *testing.T) {
	s, tokens := newOperated(t)
	otto := bearer(tokens["otto"])
	channel := s.channel("Engines", "ada")
	post := s.post(channel, "bob", "one")
	s.do("DELETE", postAt(post), otto).want(204)
	at := s.do("DELETE", "/api/v1/channels/Engines", otto).want(202).header.Get("Location")
	s.do("DELETE", "/api/v1/channels/Engines", otto).want(202) // again
	s.do("POST", at+"/undo", otto).want(200)
	s.do("DELETE", "/api/v1/users/eve", otto, raw(`{"posts":"delete"}`)).want(202)
	s.do("POST", "/api/v1/users/eve/undo", otto).want(204)
	_, secret := linkIn(t, s.do("POST", "/api/v1/users/bob/password-link", otto).want(201))
	_, invitation := linkIn(t, s.do("POST", "/api/v1/invitations", otto).want(201))
	log := s.log.String()
	for _, line := range []string{
		`act="remove post" operator=otto channel=Engines post=` + string(post.ID) + ` account=bob`, `act="close channel" operator=otto channel=Engines account=ada`,
		`act="open channel" operator=otto channel=Engines account=ada`, `act="close account" operator=otto posts=delete account=eve`,
		`act="open account" operator=otto account=eve`, `act="make password link" operator=otto account=bob`, `act="make invitation" operator=otto`,
	} {
		if strings.Count(log, line) != 1 {
			t.Errorf("the log has %d lines with %s", strings.Count(log, line), line)
		}
	}
	if strings.Contains(log, secret) || strings.Contains(log, invitation) {
		t.Error("the log has a secret")
	}
	if t.Failed() {
		t.Log(log)
	}
}

func operatorsAreEqual(t *testing.T) {
	s, tokens := newOperated(t)
	for _, a := range []answer{
		s.do("POST", "/api/v1/users/olivia/password-link", bearer(tokens["otto"])),
		s.do("POST", "/api/v1/users/otto/password-link", bearer(tokens["otto"])),
		s.do("DELETE", "/api/v1/users/olivia", bearer(tokens["otto"]), raw(`{"posts":"keep"}`)),
	} {
		if a.want(403); !strings.Contains(string(a.body), "command line") {
			t.Errorf("it answers %s", a.body)
		}
	}
}

func operatorCannotCloseTwice(t *testing.T) {
	s, tokens := newOperated(t)
	page := s.again("otto").open("/operator?contains=bob")
	asked, err := s.store.Accounts.Delete(t.Context(), storage.Attempt{Name: "bob", Password: password}, true)
	ok(t, err)
	until := "can undo it until " + asked.UndoableUntil.UTC().Format(time.RFC3339)
	s.do("DELETE", "/api/v1/users/bob", bearer(tokens["otto"]), raw(`{"posts":"delete"}`)).want(409).has("Nothing was changed.", until)
	page.form("Close account").press().want(409).says(until)
	if log := s.log.String(); strings.Contains(log, "close account") {
		t.Errorf("the log is %s", log)
	}
}

func operatorOpensOperator(t *testing.T) {
	s, tokens := newOperated(t)
	otto := s.again("otto")
	closes := func() {
		_, err := s.store.Accounts.Close(t.Context(), "olivia", domain.Actor{User: domain.CommandLine, Operator: true}, true)
		ok(t, err)
		s.do("POST", "/api/v1/sessions", raw(`{"name":"olivia","password":"`+password+`"}`)).want(403)
	}
	closes()
	otto.open("/operator?contains=olivia").form("Open account").press().says("You opened the account of @olivia again.")
	closes()
	s.do("POST", "/api/v1/users/olivia/undo", bearer(tokens["otto"])).want(204)
	s.do("POST", "/api/v1/sessions", raw(`{"name":"olivia","password":"`+password+`"}`)).want(201)
	if page := otto.open("/operator?contains=olivia"); page.hasForm("New password link") || page.hasForm("Close account") {
		t.Error("the page offers more to do to the account of an operator")
	}
}

func operatorReadsNothingPrivate(t *testing.T) {
	s, tokens := newOperated(t)
	channel := s.channel("Engines", "ada")
	s.post(channel, "ada", "a post for readers of the feed")
	s.subscribe("bob", channel)
	for _, path := range []string{"/api/v1/feed", "/api/v1/subscriptions"} {
		if a := s.do("GET", path, bearer(tokens["otto"])).want(200); strings.Contains(string(a.body), "Engines") {
			t.Errorf("%s has %s", path, a.body)
		}
	}
}
