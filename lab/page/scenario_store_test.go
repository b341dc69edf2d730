package page_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestScenarioStores(t *testing.T) {
	t.Run("rows_are_in_the_order_of_their_keys", rowsAreInOrder)
	t.Run("a_row_that_a_step_inserts_changes_or_deletes_is_marked", rowsAreMarked)
	t.Run("a_row_leads_to_the_step_that_wrote_it", rowLeadsToItsStep)
	t.Run("no_row_names_a_step_that_comes_later", noRowNamesALaterStep)
	t.Run("a_row_that_was_deleted_is_gone_one_step_later", deletedRowIsGone)
	t.Run("a_message_is_marked_and_leased_while_it_is_handled", messageIsLeased)
	t.Run("a_property_that_changed_shows_what_it_was", propertyShowsWhatItWas)
	t.Run("no_token_is_shown_whole", tokensAreShort)
}

// rows are the rows of a table, or the messages of a queue.
func (r response) rows(store string) (rows []*html.Node) {
	r.Helper()
	for n := range r.part("store-" + store).Descendants() {
		if key := attribute(n, "data-key"); strings.HasPrefix(key, "row-") || strings.HasPrefix(key, "message-") {
			rows = append(rows, n)
		}
	}
	return rows
}

// row is the one row of a table whose key has this part.
func (r response) row(store, part string) *html.Node {
	r.Helper()
	for _, n := range r.rows(store) {
		if strings.Contains(attribute(n, "data-key"), part) {
			return n
		}
	}
	r.Fatalf("%s: %s has no row %q", r.path, store, part)
	return nil
}

func rowsAreInOrder(t *testing.T) {
	t.Parallel()
	last := ""
	rows := newSite(t).get(openGate + "&at=20").want(200).rows("Blogs")
	for _, n := range rows {
		key := attribute(n, "data-key")
		if key < last {
			t.Errorf("%s stands after %s", key, last)
		}
		last = key
	}
	if len(rows) < 3 {
		t.Errorf("%d rows", len(rows))
	}
}

func rowsAreMarked(t *testing.T) {
	t.Parallel()
	// The transaction of step 13 puts the shut gate in the place of the open one.
	r := newSite(t).get(openGate + "&at=13").want(200)
	for part, mark := range map[string]string{"gate!open!": "deleted", "gate!shut!": "inserted", "sub!": ""} {
		row := r.row("Blogs", part)
		if got := attribute(row, "class"); got != mark {
			t.Errorf("the row %s is marked %q, want %q", part, got, mark)
		}
		if mark != "" && !strings.Contains(textOf(row), mark) {
			t.Errorf("the row %s does not say that it is %s: %s", part, mark, textOf(row))
		}
	}
}

func rowLeadsToItsStep(t *testing.T) {
	t.Parallel()
	r := newSite(t).get(openGate).want(200)
	for _, n := range r.rows("Blogs") {
		text := textOf(n)
		switch {
		case strings.Contains(attribute(n, "data-key"), "blog!") && strings.Contains(text, "ann.1"):
			if !strings.Contains(text, "Step 20 wrote this") {
				t.Errorf("the post of ann does not name its step: %s", text)
			}
		case strings.Contains(attribute(n, "data-key"), "news2"):
			if !strings.Contains(text, "set-up") {
				t.Errorf("a row of the set-up does not say so: %s", text)
			}
		}
	}
}

func noRowNamesALaterStep(t *testing.T) {
	t.Parallel()
	r := newSite(t).get(openGate + "&at=4").want(200)
	var rows int
	for _, store := range []string{"Channels", "Blogs", "Users"} {
		for _, n := range r.rows(store) {
			text := textOf(n)
			if !strings.Contains(text, "The set-up wrote this") && !strings.Contains(text, "Step 3 wrote this") {
				t.Errorf("after 4 steps, of which the third writes a row, a row says %s", text)
			}
			rows++
		}
	}
	if rows == 0 {
		t.Error("no rows")
	}
}

func deletedRowIsGone(t *testing.T) {
	t.Parallel()
	r := newSite(t).get(openGate + "&at=14").want(200)
	for _, n := range r.rows("Blogs") {
		if strings.Contains(attribute(n, "data-key"), "gate!open!") && !strings.Contains(attribute(n, "data-key"), "news2") {
			t.Errorf("a row is still there: %s", textOf(n))
		}
	}
}

func messageIsLeased(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const queue = "delete-channel-and-blogs"
	for path, says := range map[string][2]string{
		"/lab/A1?s=olga*2":        {"inserted", "visible"},
		"/lab/A1?s=olga*2,w1":     {"changed", "leased"},
		"/lab/A1?s=olga*2,w1,ann": {"", "leased"},
		openGate:                  {"deleted", "leased"},
	} {
		r := s.get(path).want(200)
		rows := r.rows(queue)
		if len(rows) != 1 {
			t.Fatalf("%s: %d messages", path, len(rows))
		}
		if got := attribute(rows[0], "class"); got != says[0] || !strings.Contains(textOf(rows[0]), says[1]) {
			t.Errorf("%s: the message is marked %q and says %q, want %v", path, got, textOf(rows[0]), says)
		}
	}
}

func propertyShowsWhatItWas(t *testing.T) {
	t.Parallel()
	row := newSite(t).get(openGate+"&at=7").want(200).row("Channels", "news-")
	text := textOf(row)
	if !strings.Contains(text, "active deleting") {
		t.Errorf("the mark of the channel shows %q", text)
	}
}

func tokensAreShort(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, path := range []string{openGate, "/lab/sign-out?s=vera*3"} {
		if text := s.get(path).want(200).text(); strings.Contains(text, "LABORATORY") {
			t.Errorf("%s shows a name of the explorer: %s", path, text[strings.Index(text, "LABORATORY"):][:40])
		}
	}
}
