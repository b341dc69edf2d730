package web_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
	"microblogging/templates"
)

// TestFields makes a channel and a post with a text in each field of domain.About and domain.Draft, and
// asks each place where people and programs expect it. A message says where a new field is missing.
func TestFields(t *testing.T) {
	s, token, _ := engines(t, "ada")
	about, draft := domain.About{}, domain.Draft{}
	for _, field := range append(about.Fields(), draft.Fields()...) {
		*field.Text = plant(field, false)
	}
	checkPlants(t)
	s.do("POST", "/api/v1/channels", bearer(token), fields(append(texts(about.Fields()), "name", "Fields")...)).want(201)
	made := s.do("POST", "/api/v1/channels/Fields/blogs", bearer(token), header("Idempotency-Key", "k"), fields(texts(draft.Fields())...)).want(201)
	s.do("POST", "/api/v1/channels/Fields/blogs:batch", bearer(token), batch(planted(draft.Fields(), false))).want(200).holds("items.0.status", 201.0)
	blog := blogPath(domain.Channel{Name: "Fields"}, domain.BlogID(made.text("id")))
	body := func(path string) string { return string(s.do("GET", path, cookie(token)).want(200).body) }
	page := func(path string) string {
		_, shown, _ := strings.Cut(string(s.browser().open(path).want(200).body), "<body")
		return html.UnescapeString(shown)
	}
	previewed := func(pairs []string) string {
		form := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			form.Set(pairs[i], pairs[i+1])
		}
		return html.UnescapeString(string(s.again("ada").send("POST", "/preview", posted(form)).want(200).body))
	}
	// read saves the fields, and reads what each place has of them then.
	read := func() (common, ofChannel, ofPost []place) {
		s.do("PATCH", "/api/v1/channels/Fields", bearer(token), fields(texts(about.Fields())...)).want(200)
		s.do("PUT", blog, bearer(token), header("If-Match", "*"), fields(texts(draft.Fields())...)).want(200)
		exported := files(t, s.do("GET", "/account/export.zip", cookie(token)).want(200).body)
		return []place{
				{"the Atom feed", body("/channels/Fields/feed.atom"), "give it to emptyFeedOf or feedItemOf in web/syndication.go, with an xml tag"},
				{"the JSON feed", decoded(t, body("/channels/Fields/feed.json")), "give it to emptyFeedOf or feedItemOf in web/syndication.go, with a json tag"},
				{"the export in JSON", decoded(t, exported["channels/Fields.json"]), "give it to emptyFeedOf or feedItemOf in web/syndication.go, with a json tag"},
				{"the export in Markdown", exported["channels/Fields.md"], "write it in export.feed in web/export.go"},
				{"a backup", s.in(t).backedUp(), "store it with schema.EncodeFields and read it with Fields"},
			}, []place{
				{"the API", decoded(t, body("/api/v1/channels/Fields")), "add it to channelJSON in web, and to openapi.json"},
				{"the page of the channel", page("/channels/Fields"), "show it in templates/channel.templ"},
			}, []place{
				{"the API", decoded(t, body(blog)), "add it to blogJSON in web, and to openapi.json"},
				{"the preview", previewed(texts(draft.Fields())), "show it in PreviewPage of templates/blog.templ"},
				{"the list of posts", page("/channels/Fields"), "show it in listedPost of templates/blog.templ"},
				{"the page of the post", page(templates.BlogPath("Fields", domain.Blog{ID: domain.BlogID(made.text("id"))})), "show it in templates/blog.templ"},
			}
	}

	for _, of := range []struct {
		kind               *schema.Kind
		fields             []domain.Field
		form, method, path string
	}{
		{schema.Channel, about.Fields(), "/channels/new", "PATCH", "/api/v1/channels/Fields"},
		{schema.Blog, draft.Fields(), "/channels/Fields", "POST", "/api/v1/channels/Fields/blogs"},
	} {
		longest := "{"
		for _, field := range of.fields {
			places := func() []place {
				common, ofChannel, ofPost := read()
				if of.kind == schema.Channel {
					return append(ofChannel, common...)
				}
				return append(ofPost, common...)
			}
			// A short text may be in a page by chance. So the place must have it less often with another text.
			*field.Text = plant(field, true)
			others := places()
			*field.Text = plant(field, false)
			for i, place := range places() {
				if place.count(*field.Text) <= others[i].count(*field.Text) {
					t.Errorf("%s does not have the %s of a %s: %s", place.name, field.Name, of.kind.Name, place.fix)
				}
			}
			s.in(t).checkReads(of.kind, field)
			tooLong := s.do(of.method, of.path, bearer(token), fields(append(texts(of.fields), field.Name, strings.Repeat("x", domain.MaxText+1))...)).want(422)
			most, _ := strconv.Atoi(s.in(t).checkLimit(field, string(tooLong.body), body(of.form)))
			longest += fmt.Sprintf("%q:%q,", field.Name, strings.Repeat("😀", most))
		}
		longest = strings.ReplaceAll(longest[:len(longest)-1], "😀", `\ud83d\ude00`) + "}"
		if a := s.do(of.method, of.path, bearer(token), raw(longest)); a.status == 413 {
			t.Errorf("the longest texts of a %s take %d bytes, which are too many: make maxBody of web/limits.go larger, or a limit smaller", of.kind.Name, len(longest))
		}
	}
}

// checkPlants fails if a field does not accept the texts by which tests find it.
func checkPlants(t *testing.T) {
	t.Helper()
	for _, other := range []bool{false, true} {
		about, draft := domain.About{}, domain.Draft{}
		for _, field := range append(about.Fields(), draft.Fields()...) {
			*field.Text = plant(field, other)
		}
		_, errAbout := domain.ParseAbout(about)
		if _, err := domain.ParseDraft(draft); err != nil || errAbout != nil {
			t.Fatalf("%v: give the field two texts in acceptable of web/fields_test.go", errors.Join(errAbout, err))
		}
	}
}

// count is how often the place has a text, outside of addresses of posts.
func (p place) count(text string) int {
	return strings.Count(address.ReplaceAllString(p.text, ""), text)
}

// address is the address of a post, which has words of it, in HTML, XML and JSON.
var address = regexp.MustCompile(`(href=|"(id|url)":)"[^"]*/channels/[^"]*"`)

// A place is where a field is expected, what is there, and how to put it there.
type place struct{ name, text, fix string }

// acceptable has two texts for each field that accepts only some texts.
var acceptable = map[string][2]string{}

// plant is a text for a field, or another one.
func plant(field domain.Field, other bool) string {
	if other {
		return cmp.Or(acceptable[field.Name][1], "other"+field.Name)
	}
	return cmp.Or(acceptable[field.Name][0], "planted"+field.Name)
}

// checkLimit compares the most characters of a field as the API says, in its form, and in openapi.json, and returns them.
func (s *site) checkLimit(field domain.Field, refused, form string) (most string) {
	s.Helper()
	for _, in := range []place{
		{`"%s","detail":"must have at most (\d+) characters`, refused, "check its length with checkText of package domain"},
		{` name="%s"[^>]* data-limit="(\d+)"`, form, "set Limit in controls of templates/form_text.go"},
		{`"%s": \{[^{}]*"maxLength": (\d+)`, string(s.do("GET", "/api/openapi.json").body), "set each maxLength in openapi.json"},
	} {
		found := regexp.MustCompile(fmt.Sprintf(in.name, field.Name)).FindAllStringSubmatch(in.text, -1)
		for _, limit := range found {
			if most = cmp.Or(most, limit[1]); limit[1] != most {
				s.Errorf("%s may have %s characters, and not %s: %s", field.Name, most, limit[1], in.fix)
			}
		}
		if len(found) == 0 {
			s.Errorf("no limit of %s is found: %s", field.Name, in.fix)
		}
	}
	return most
}

// texts are the names and texts of fields.
func texts(fields []domain.Field) (pairs []string) {
	for _, field := range fields {
		pairs = append(pairs, field.Name, *field.Text)
	}
	return pairs
}

// decoded is JSON without the escapes of a text.
func decoded(t testing.TB, text string) string {
	t.Helper()
	var value any
	ok(t, json.Unmarshal([]byte(text), &value))
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	ok(t, encoder.Encode(value))
	return b.String()
}

// backedUp has the fields of what is in the store that is restored from a backup.
func (s *site) backedUp() (found string) {
	s.Helper()
	var file bytes.Buffer
	ok(s, s.db.(*bolt.DB).Backup(s.Context(), &file))
	_, err := bolt.Restore(s.Context(), s.TempDir(), &file, bolt.Options{}, func() {}, func(db *bolt.DB) error {
		store := storage.New(db, storage.Options{})
		channel, err := store.Channels.Get(s.Context(), domain.ChannelKey("fields").Address())
		if err != nil {
			return err
		}
		found = strings.Join(texts(channel.Fields()), " ")
		blogs, err := store.Posts.List(s.Context(), channel.Ref(), storage.BlogQuery{Limit: 2})
		for _, blog := range blogs.Items {
			found += strings.Join(texts(blog.Fields()), " ")
		}
		return err
	})
	ok(s, err)
	return found
}

// checkReads makes a field of a row a number, which a check must report.
func (s *site) checkReads(kind *schema.Kind, field domain.Field) {
	s.Helper()
	table, name := driver.NewTable(s.db, kind.Table), schema.FieldProperty(field)
	for row, err := range table.All(s.Context(), driver.Scan{}) {
		ok(s, err)
		if schema.Of(kind.Table, row.Partition, row.Row) != kind || row.Properties.String(name) != *field.Text {
			continue
		}
		ok(s, table.Transact(s.Context(), row.Partition, driver.Merge(row.Row, driver.Exists, driver.Int64(name, 7))))
		reported := false
		_, err := s.store.Operator.NewChecker(0, false, func(v domain.Violation) {
			reported = reported || strings.Contains(v.Detail, name)
		}).Run(s.Context())
		ok(s, err)
		if !reported {
			s.Errorf("a check does not read the %s of a %s: add %s to the Properties of the kind in package schema", field.Name, kind.Name, name)
		}
		ok(s, table.Transact(s.Context(), row.Partition, driver.Merge(row.Row, driver.Exists, driver.String(name, *field.Text))))
		return
	}
	s.Errorf("no row has the %s of a %s: store it with schema.EncodeFields", field.Name, kind.Name)
}
