package web_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"microblogging/domain"
)

func TestAnswer(t *testing.T) {
	t.Run("of many posts has at most a mebibyte, and leads to the rest", listsAreBounded)
	t.Run("is kept once, whatever else the query says", answersAreKeptOnce)
}

// cells is the text that becomes the longest HTML.
func cells(n int) string {
	head := strings.Repeat("|", 70) + "\n" + strings.Repeat("|:-:", 69) + "|\n"
	return fmt.Sprintf("is of %d.\n\n", n) + (head + strings.Repeat(strings.Repeat("|", 70)+"\n", 70))[:4980]
}

// nextLink is the link to the next part in a header, an Atom feed, and a JSON Feed.
var nextLink = regexp.MustCompile(`<([^>]*)>; rel="next"|rel="next"[^>]* href="([^"]*)"|"next_url":"([^"]*)"`)

func nextOf(a answer) string {
	found := nextLink.FindStringSubmatch(a.header.Get("Link") + string(a.body))
	return strings.Join(found[min(1, len(found)):], "")
}

func listsAreBounded(t *testing.T) {
	const posts, most = 60, 1 << 20
	for name, text := range map[string]func(int) string{
		"markup": cells, "escapes": func(n int) string { return fmt.Sprintf("is of %d.\n\n", n) + strings.Repeat("<", 4980) },
	} {
		s := newSite(t)
		token := s.signUp("ada")
		channel := s.channel("Engines", "ada")
		atom, json := feedsOf(channel)
		for n := range posts {
			s.post(channel, "ada", text(n))
		}
		for _, list := range []string{
			atom, json, listPath + "?limit=100", listPath + "?limit=100&find=of", "/api/v1/latest?limit=100", "/api/v1/feed?limit=100",
			"/api/v1/users/ada/blogs?limit=100", "/api/v1/digest?limit=100", "/api/v1/channels/Engines/blogs?limit=100&order=rating",
		} {
			met, answers := map[string]int{}, 0
			for path := list; path != ""; answers++ {
				a := s.do("GET", path, bearer(token)).want(200)
				if len(a.body) > most {
					t.Errorf("%s of %s has %d bytes", path, name, len(a.body))
				}
				found := 0
				for n := range posts {
					if strings.Contains(string(a.body), fmt.Sprintf(" of %d.", n)) {
						met[fmt.Sprint(n)]++
						found++
					}
				}
				if path = nextOf(a); found == 0 && path != "" {
					t.Errorf("%s of %s has no post, and leads on", list, name)
				}
			}
			if len(met) != posts {
				t.Errorf("%s of %s has %d of %d posts in %d answers", list, name, len(met), posts, answers)
			}
			for n, times := range met {
				if times > 1 {
					t.Errorf("%s of %s has post %s %d times", list, name, n, times)
				}
			}
		}
		for _, page := range []string{"/", "/latest", "/channels/Engines", "/channels/Engines?find=of", "/users/ada", "/digest", "/channels/Engines?order=rating"} {
			a := s.do("GET", page, cookie(token)).want(200)
			if len(a.body) > most {
				t.Errorf("%s of %s has %d bytes", page, name, len(a.body))
			}
		}
	}
}

func answersAreKeptOnce(t *testing.T) {
	s, n := observed(t)
	engines := domain.Channel{Name: "Engines"}
	atom, json := feedsOf(engines)
	for _, path := range []string{"/channels/Engines", "/latest", atom, json, listPath, "/api/v1/latest"} {
		queries := []string{"?x=1", "?x=2&x=3", "?order2=x"}
		if strings.HasPrefix(path, "/api/") { // which has no unknown parameters
			queries = []string{"?limit=20&limit=21", "?%6cimit=20"}
			path += "?limit=20"
		}
		want := s.do("GET", path).want(200)
		n.held = nil
		for _, query := range queries {
			other, _, _ := strings.Cut(path, "?")
			if a := s.do("GET", other+query).want(200); string(a.body) != string(want.body) {
				t.Errorf("%s differs from %s", other+query, path)
			}
		}
		for _, held := range n.held {
			if held != "page true" {
				t.Errorf("%s: %q", path, n.held)
				break
			}
		}
	}
}
