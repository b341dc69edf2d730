package page_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"microblogging/lab/modelcheck"
)

func TestNames(t *testing.T) {
	t.Run("rows and answers are named by what they mean", rowsHaveMeaning)
	t.Run("no card, no step, no row of the store and no violated invariant shows a key, a hash, a token, or nothing", noKeyIsShown)
}

func rowsHaveMeaning(t *testing.T) {
	s := newSite(t)
	for _, at := range []struct {
		path, part string
		says       []string
	}{
		{"/lab/open-gate?s=ann*4,olga*6,w1*13,ann", "run", []string{
			"1 ann Read the channel's row: which incarnation has the name? → channel “news”: active, incarnation 1",
			"2 ann Read the posting rule → who may post: everybody", "3 ann Put the posts on their author's list → + Ann's list of posts: post by Ann (2)",
			"4 ann Read the state of the account → not there: Ann's account", "~ channel “news”: deleting, incarnation 1",
			"→ delete incarnation 1", "→ − open gate of incarnation 1, + shut gate of incarnation 1", "→ 6 rows: post, shut gate, idempotency key, who may post, rating index, subscriber",
			"→ ~1 row, −5 rows", "→ +3 rows “posted”",
		}},
		{"/lab/open-gate?s=ann*4,olga*6,w1*13,ann", "rows", []string{
			"message: delete incarnation 1", "idempotency key: post by Ann (2) inserted", "rating index: post by Ann (2) inserted", "subscriber Olga gone at 20",
			"record of the deletion of incarnation 1 running", "index of open deletions of incarnation 1", "Olga's list of deletions of incarnation 1", "Ann's list of posts: post by Ann gone at 18",
		}},
		{"/lab/shut-gate?s=w1*12,w2*11,ann*10", "rows", []string{"channel “news” active, incarnation 2", "open gate of incarnation 2", "shut gate of incarnation 1 gone at"}},
		{"/lab/link-version?s=vera,vera2,vera*3", "rows", []string{"sign-in link of Vera ended", "session of Vera"}},
		{"/lab/erasure-fence?s=vera*4,home*8", "rows", []string{"message: delete Vera's account", "Vera's account pending, epoch 1", "record of the deletion of Vera's account queued"}},
		{"/lab/fresh-read", "actor-w1", []string{"if there is one: delete post :"}}, // which has no row by now
		{"/lab/fresh-read?s=w1*3", "run", []string{"→ delete post 2 ", "→ not there: post 3 ", "→ vote Ann: post"}},
		{"/lab/open-gate?s=ann*4", "rows", []string{"post by Ann (2), of incarnation 1 ann inserts next"}}, {"/lab/post?s=ann*4", "rows", []string{"open gate of incarnation 1 ann requires next"}},
		{"/lab/reply?s=vera*6,olga*3", "rows", []string{"reply: post by Ann since 6", "Vera's list of replies: post by Ann since 4"}}, {"/lab/reply?s=vera*2", "actor-vera", []string{"replies: reply: post by Ann read at 2"}},
		{"/lab/reply-gate?s=w1*6", "run", []string{"→ no votes", "→ no replies"}},
		{"/lab/poison-row", "rows", []string{"post by Ann, of incarnation 1"}}, // which no actor touches, but the message is about it
		{"/lab/own/lease-lock?s=ann*4", "rows", []string{"page Number 1"}},     // of a reader's own tables
		{"/lab/late-copy?s=olga,olga:given-up", "network", []string{"A late call of olga lands: post by Olga."}},
		{"/lab/shut-gate?s=w1*12,w2*11,ann*10,w1*3", "say", []string{"Joining subscriber Ann: belongs to incarnation 2, and a worker that handles a message about incarnation 1 touches it."}},
		{"/lab/incarnation?s=" + recordOf(t, "incarnation").Schedule, "say", []string{"Channel “news”: belongs to incarnation 2, and a worker"}},
	} {
		text := textOf(s.get(at.path).want(200).part(at.part))
		for _, says := range at.says {
			if !strings.Contains(text, says) {
				t.Errorf("%s: %s does not say %q but %s", at.path, at.part, says, text)
			}
		}
	}
}

func noKeyIsShown(t *testing.T) {
	s := newSite(t)
	key := regexp.MustCompile(`\w!\S|[0-9a-f]{8}|LABORATORY|\bthe [A-Z]\w+ row\b|{"|2200-|\b(setup|ann|olga|vera|w1|w2)2?\.[0-9]`)
	level := func(n *html.Node) bool { return hasClass(n, "knows") || hasClass(n, "trail") || hasClass(n, "store") }
	known, err := modelcheck.Known()
	ok(t, err)
	for _, c := range modelcheck.Cases() {
		record, found := modelcheck.About(known, c.Name)
		if !found {
			continue // TestKnown asks for it
		}
		for _, at := range []int{0, record.Shortest / 2, record.Shortest} {
			r := s.get("/lab/" + c.Name + "?s=" + record.Schedule + "&at=" + strconv.Itoa(at))
			if r.status == 302 { // the end
				r = s.get(r.header.Get("Location"))
			}
			for _, detail := range r.want(200).all(func(n *html.Node) bool { return hasClass(n, "no") }) {
				if found := key.FindString(textOf(detail)); found != "" {
					t.Errorf("%s shows %q: %s", r.path, found, textOf(detail))
				}
			}
			for _, box := range r.all(level) {
				for _, item := range within(box, "li") {
					text := textOf(item)
					for _, code := range within(item, "code") {
						text = strings.ReplaceAll(text, textOf(code), "")
					}
					if found := key.FindString(text); found != "" || text == "" {
						t.Errorf("%s shows %q: %s", r.path, found, text)
					}
				}
			}
		}
	}
}
