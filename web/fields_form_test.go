package web_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"microblogging/domain"
	"microblogging/storage/schema"
	"microblogging/templates"
)

// TestFieldsOfForms sends each form with a text in each field of domain.About and domain.Draft, and asks
// the API what was saved.
func TestFieldsOfForms(t *testing.T) {
	checkPlants(t)
	t.Run("what is made by a form has each field", madeByAFormHasEachField)
	t.Run("an edit of one field alone is saved", editOfOneFieldIsSaved)
	t.Run("two edits of different fields are both saved", editsOfDifferentFieldsMeet)
	t.Run("of two edits of one field the author chooses", editsOfOneFieldMeet)
	t.Run("a channel's form does not replace what was saved meanwhile in another field", channelFormReplacesNothingUnseen)
	t.Run("a form that lacks a field, as that of an older program does, empties nothing", formWithoutAFieldEmptiesNothing)
	t.Run("a channel's form that does not say what it was made from is refused, and claims no other save", channelFormWithoutABase)
}

// has compares what the API says with what was typed.
func (s *site) has(after, path string, typed map[string]string) {
	s.Helper()
	said := s.do("GET", path).want(200)
	for name, text := range typed {
		if got := said.text(name); got != text {
			s.Errorf("after %s the %s is %q, want %q: templates and web go over Fields for it", after, name, got, text)
		}
	}
}

// plantIn types into each field that the form has a control for.
func (f form) plantIn(fields []domain.Field, typed map[string]string) form {
	f.t.Helper()
	for _, field := range fields {
		if !f.values.Has(field.Name) {
			f.t.Errorf("the form at %s has no %s: give it a control in controls of templates/form_text.go", f.path, field.Name)
			continue
		}
		f = f.fill(field.Name, typed[field.Name])
	}
	return f
}

func planted(fields []domain.Field, other bool) map[string]string {
	typed := map[string]string{}
	for _, field := range fields {
		typed[field.Name] = plant(field, other)
	}
	return typed
}

func madeByAFormHasEachField(t *testing.T) {
	s, b, _ := enginesBrowser(t, "ada")
	about, draft := new(domain.About).Fields(), new(domain.Draft).Fields()
	b.open("/channels/new").form("Create channel").fill("name", "Made").plantIn(about, planted(about, false)).press().want(200)
	s.has("Create channel", "/api/v1/channels/Made", planted(about, false))
	for _, path := range []string{"/channels/Made", "/write"} {
		b.open(path).form("Post").plantIn(draft, planted(draft, false)).press().want(200)
		newest := s.do("GET", "/api/v1/channels/Made/blogs?limit=1").text("items.0.id")
		s.has("a post from "+path, "/api/v1/channels/Made/blogs/"+newest, planted(draft, false))
		s.do("DELETE", "/api/v1/channels/Made/blogs/"+newest, bearer(b.jar["session"])).want(204)
	}
}

func editOfOneFieldIsSaved(t *testing.T) {
	s, b, channel := enginesBrowser(t, "ada")
	about, draft := new(domain.About).Fields(), new(domain.Draft).Fields()
	post := s.post(channel, "ada", "Hello")
	for _, of := range []struct {
		fields           []domain.Field
		form, save, read string
	}{
		{about, "/channels/Engines/edit", "Save all", "/api/v1/channels/Engines"},
		{draft, permalink(channel, post) + "/edit", "Save", blogPath(channel, post.ID)},
	} {
		for _, field := range of.fields {
			b.open(of.form).form(of.save).plantIn([]domain.Field{field}, planted(of.fields, true)).press().want(200)
			s.has("an edit of it alone", of.read, map[string]string{field.Name: plant(field, true)})
		}
		s.has("an edit of each", of.read, planted(of.fields, true))
	}
}

// editsOfDifferentFieldsMeet saves an edit of one field while a form for another field is open.
func editsOfDifferentFieldsMeet(t *testing.T) {
	s, b, channel := enginesBrowser(t, "ada")
	draft := new(domain.Draft).Fields()
	for _, theirs := range draft {
		for _, mine := range draft {
			if mine.Name == theirs.Name {
				continue
			}
			post := s.post(channel, "ada", "Hello")
			edit, want := permalink(channel, post)+"/edit", map[string]string{mine.Name: plant(mine, false), theirs.Name: plant(theirs, true)}
			late := b.open(edit).form("Save").plantIn([]domain.Field{mine}, want)
			b.open(edit).form("Save").plantIn([]domain.Field{theirs}, want).press().want(200)
			late.press().want(412).says(want[mine.Name], want[theirs.Name]).form("Save both together").press().want(200)
			s.has("two edits, of the "+theirs.Name+" and the "+mine.Name, blogPath(channel, post.ID), want)
		}
	}
}

func editsOfOneFieldMeet(t *testing.T) {
	s, b, channel := enginesBrowser(t, "ada")
	draft := new(domain.Draft).Fields()
	for _, field := range draft {
		post := s.post(channel, "ada", "Hello")
		edit, mine := permalink(channel, post)+"/edit", planted(draft, false)
		late := b.open(edit).form("Save").plantIn(draft, mine)
		b.open(edit).form("Save").plantIn([]domain.Field{field}, planted(draft, true)).press().want(200)
		met := late.press().want(412).says(plant(field, false), plant(field, true))
		own := one(met.doc, func(n *html.Node) bool { return attr(n, "id") == "mine" })
		form{page: met, action: attr(own, "action"), values: controls(own)}.press().want(200)
		s.has("“Save mine” over another "+field.Name, blogPath(channel, post.ID), mine)
	}
}

func channelFormReplacesNothingUnseen(t *testing.T) {
	s, b, _ := enginesBrowser(t, "ada")
	about := new(domain.About).Fields()
	for _, theirs := range about {
		for _, mine := range about {
			b.open("/channels/Engines/edit").form("Save all").fill(theirs.Name, "").fill(mine.Name, "").press().want(200)
			late := b.open("/channels/Engines/edit").form("Save all").fill(mine.Name, plant(mine, false))
			b.open("/channels/Engines/edit").form("Save all").fill(theirs.Name, plant(theirs, true)).press().want(200)
			late.press().unwritten().want(412).says("Another "+theirs.Name+" was saved meanwhile", plant(theirs, true)).
				form("Save all").press().want(200)
			s.has("a second Save", "/api/v1/channels/Engines", map[string]string{mine.Name: plant(mine, false)})
		}
	}
}

func formWithoutAFieldEmptiesNothing(t *testing.T) {
	s, b, channel := enginesBrowser(t, "ada")
	about, draft := new(domain.About).Fields(), new(domain.Draft).Fields()
	post := s.post(channel, "ada", "Hello")
	for _, of := range []struct {
		fields           []domain.Field
		form, save, read string
	}{
		{about, "/channels/Engines/edit", "Save all", "/api/v1/channels/Engines"},
		{draft, permalink(channel, post) + "/edit", "Save", blogPath(channel, post.ID)},
	} {
		saved := planted(of.fields, false)
		b.open(of.form).form(of.save).plantIn(of.fields, saved).press().want(200)
		for _, field := range of.fields {
			older := b.open(of.form).form(of.save).plantIn(of.fields, planted(of.fields, true))
			older.values.Del(field.Name)
			refused := older.press().unwritten().want(412).says("It has no "+field.Name, "Nothing was saved")
			for _, other := range of.fields {
				if other.Name != field.Name {
					if kept := plant(other, true); !strings.Contains(string(refused.body), kept) {
						t.Errorf("the answer to a form without the %s does not keep the %s", field.Name, other.Name)
					}
				}
			}
			s.has("a form without the "+field.Name, of.read, saved)
		}
	}
}

func channelFormWithoutABase(t *testing.T) {
	s, b, _ := enginesBrowser(t, "ada")
	b.open("/channels/Engines/edit").form("Save all").fill("description", "Saved").press().want(200)
	older := templates.Pack([]domain.Field{{Text: new("Saved")}})
	newer := templates.Pack([]domain.Field{{Text: new("Saved")}, {Text: new("open")}, {Text: new("bob")}, {Text: new("eve")}, {Text: new("newer")}})
	for _, base := range []string{"", "x", "null", "{}", "[]", older, newer} {
		form := b.open("/channels/Engines/edit").form("Save all").fill("description", "Mine").fill("base", base)
		form.press().unwritten().want(428).says("Nothing was changed").saysNot("saved meanwhile")
	}
	s.has("forms that do not say what they were made from", "/api/v1/channels/Engines", map[string]string{"description": "Saved"})
}

// storedNames are the names of all properties that are stored, as rows and as programs write them, and of
// all fields that people write.
func storedNames() []string {
	names := map[string]bool{}
	for _, kind := range schema.Kinds() {
		for _, property := range kind.Properties {
			names[property.Name], names[strings.ToLower(property.Name[:1])+property.Name[1:]] = true, true
		}
	}
	for _, name := range []string{"PartitionKey", "RowKey", "Timestamp", "ETag", "etag", "odata.etag", "__proto__", "Title@odata.type"} {
		names[name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// TestStoredNames uses the names of what is stored as texts, and as fields of requests.
func TestStoredNames(t *testing.T) {
	s, b, channel := enginesBrowser(t, "ada")
	token := bearer(b.jar["session"])
	t.Run("a post that is called as a property is as it was typed", func(t *testing.T) {
		for _, name := range storedNames() {
			s := s.in(t)
			id := s.do("POST", enginesBlogs, token, fields("title", name, "text", name)).want(201).text("id")
			s.has("a post called "+name, blogPath(channel, domain.BlogID(id)), map[string]string{"title": name, "text": name})
			edit := permalink(channel, domain.Blog{ID: domain.BlogID(id)}) + "/edit"
			b.open(edit).form("Save").fill("title", name+"=").fill("text", `{"`+name+`":null}`).press().want(200).says(name + "=")
			s.has("an edit of it", blogPath(channel, domain.BlogID(id)), map[string]string{"title": name + "=", "text": `{"` + name + `":null}`})
		}
	})
	t.Run("a form that sends each of them writes the fields of its own alone", func(t *testing.T) {
		b := &browser{site: s.in(t), jar: b.jar}
		for names := range slices.Chunk(storedNames(), 50) { // a form may have 100 fields
			form := b.open("/channels/Engines").form("Post").fill("text", "Mine alone")
			for _, name := range names {
				if !form.values.Has(name) {
					form.values.Set(name, "eve")
				}
			}
			form.press().want(200)
			b.do("GET", enginesBlogs+"?limit=1").holds("items.0.text", "Mine alone").holds("items.0.title", "").holds("items.0.userId", "ada").
				holds("items.0.rating", 0.0).holds("items.0.editedOn", nil).holds("items.0.channel", "Engines")
		}
	})
	t.Run("a body with one that is no field of the request is refused, and names it", func(t *testing.T) {
		for _, name := range storedNames() {
			if !slices.ContainsFunc(new(domain.Draft).Fields(), func(field domain.Field) bool { return field.Name == name }) {
				s.in(t).do("POST", enginesBlogs, token, fields("text", "x", name, "y")).unwritten().want(422).wantField(name)
			}
		}
	})
}
