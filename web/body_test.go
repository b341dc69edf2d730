package web_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"microblogging/storage/drivertest"
)

func TestBody(t *testing.T) {
	t.Run("a body that is not a JSON object is refused", bodyThatIsNotAJSONObjectIsRefused)
	t.Run("a bad member is refused by name", badMemberIsRefusedByName)
	t.Run("all errors of a body are reported together", allErrorsOfABodyAreReportedTogether)
	t.Run("JSON is accepted in every spelling", jsonIsAcceptedInEverySpelling)
	t.Run("a body of another media type is refused", bodyOfAnotherMediaTypeIsRefused)
	t.Run("bodies that clients hold back are bounded together", drivertest.Long(heldBodiesAreBounded))
	t.Run("a draft that is shown again counts with the bodies, and the refusal comes without it if there are too many", draftsCountWithBodies)
	t.Run("sign-ups that never end do not keep others from signing up", endlessSignUpsKeepNoOthers)
}

func bodyThatIsNotAJSONObjectIsRefused(t *testing.T) {
	s, token, _ := engines(t, "ada")
	for _, body := range []string{
		"", " \n", "hello", "text=a", `["text"]`, `"text"`, `null`, `1`, strings.Repeat("[", 20_000),
		`{"text":"a"`, `{"text":"a",}`, `{"text":"a"} x`, `{"text":"a"}{"text":"b"}`, `{"text":"a"} // b`, `{'text':'a'}`, `{"text":NaN}`,
		`{"text":"a","text":"b"}`, `{"text":"a","t\u0065xt":"b"}`, // one member twice
		"{\"text\":\"a\x01\"}", "{\"text\":\"a\xff\"}", "{\"text\":\"\xed\xa0\x80\"}", "\ufeff{\"text\":\"a\"}", "\xff\xfe{\x00}\x00", `{"text":"\ud8"}`,
	} {
		if a := s.do("POST", "/api/v1/channels/Engines/blogs", bearer(token), raw(body)).unwritten(); a.status != 400 {
			t.Errorf("%.40q is answered %d", body, a.status)
		}
	}
}

func badMemberIsRefusedByName(t *testing.T) {
	s, token, _ := engines(t, "ada")
	for field, bodies := range map[string][]string{
		"text": {`{}`, `{"text":null}`, `{"text":1}`, `{"text":true}`, `{"text":["a"]}`, `{"text":{"text":"a"}}`, `{"text":"a\u0000"}`,
			// halves of a pair, alone or the wrong way round
			`{"text":"\ud800"}`, `{"text":"\uDBFFx"}`, `{"text":"a\udc00"}`, `{"text":"\udc00\ud800"}`, `{"text":"\ud800\u0041"}`,
			`{"text":"\ud800\n"}`, `{"text":"\ud83d\ud83d\ude00"}`},
		"title": {`{"text":"a","title":0}`},
		"color": {`{"text":"a","color":"red"}`, `{"text":"a","color":null}`},
		"Text":  {`{"Text":"a","text":"a"}`},
	} {
		for _, body := range bodies {
			s.do("POST", "/api/v1/channels/Engines/blogs", bearer(token), raw(body)).unwritten().want(422).wantField(field)
		}
	}
}

func allErrorsOfABodyAreReportedTogether(t *testing.T) {
	s := newSite(t)
	a := s.do("POST", "/api/v1/users", raw(`{"name":1,"colour":"red"}`)).want(422)
	for _, field := range []string{"name", "password", "colour"} {
		a.wantField(field)
	}
}

func jsonIsAcceptedInEverySpelling(t *testing.T) {
	s, token, _ := engines(t, "ada")
	for body, want := range map[string]string{
		`{"text":"a\\ud800"}`:                      `a\ud800`,
		`{"text":"\\\ud83d\ude00\\"}`:              "\\\U0001f600\\",
		`{"text":"\uD83D\uDE00"}`:                  "\U0001f600",
		" {\n\"te\\u0078t\" : \"\\/\" }\t":         "/",
		`{"text":"a","title":null}`:                "a",
		`{"text":"\ufffd\u00e9` + "\ufffd" + `"} `: "\ufffdé\ufffd",
	} {
		a := s.do("POST", "/api/v1/channels/Engines/blogs", bearer(token), raw(body)).want(201)
		a.holds("text", want)
	}
}

func bodyOfAnotherMediaTypeIsRefused(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	for mediaType, status := range map[string]int{
		"application/x-www-form-urlencoded": 415, "multipart/form-data; boundary=x": 415, "application/jsonp": 415, "application/json; charset=iso-8859-1": 415, ";": 415,
		"": 201, "Application/JSON; Charset=UTF-8": 201,
	} {
		s.do("POST", "/api/v1/channels", bearer(token), fields("name", fmt.Sprint("c", len(mediaType))), func(r *http.Request) {
			if r.Header.Set("Content-Type", mediaType); mediaType == "" {
				r.Header.Del("Content-Type")
			}
		}).want(status)
	}
}

// A held body has been sent but for its end, which comes once the test has answered.
type held struct {
	left int
	end  <-chan struct{}
}

func (h *held) Read(p []byte) (int, error) {
	if h.left == 0 {
		<-h.end
		return 0, io.EOF
	}
	n := min(len(p), h.left)
	for i := range p[:n] {
		p[i] = ' '
	}
	h.left -= n
	return n, nil
}

// Each client has half-sent posts of 8 MiB; four of them fill the 32 MiB of all.
func heldBodiesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, token, _ := engines(t, "ada")
		from := func(client int, body io.Reader) answer {
			return s.do("POST", "/api/v1/channels/Engines/blogs", bearer(token), func(r *http.Request) {
				r.RemoteAddr = fmt.Sprintf("192.0.2.%d:1000", client)
				r.Header.Set("Content-Type", "application/json")
				r.Body, r.ContentLength = io.NopCloser(body), -1
			})
		}
		const posts = 8 << 20 / (60 << 10)
		end := make(chan struct{})
		var all sync.WaitGroup
		for client := range 4 {
			for range posts {
				all.Go(func() { from(client, &held{60 << 10, end}) })
			}
			synctest.Wait()
			from(client, &held{60 << 10, nil}).want(503)
			from(9, strings.NewReader(`{"text":"a"}`)).want(201)
		}
		for range 2 { // which fit
			all.Go(func() { from(9, &held{60 << 10, end}) })
		}
		synctest.Wait()
		from(9, &held{60 << 10, nil}).want(503).retries(5)
		close(end)
		all.Wait()
		from(0, strings.NewReader(`{"text":"`+strings.Repeat(" ", 60<<10)+`a"}`)).want(422)
	})
}

func draftsCountWithBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, token, _ := engines(t, "ada")
		end := make(chan struct{})
		var all sync.WaitGroup
		for range 8<<20/(60<<10) - 1 {
			all.Go(func() {
				s.do("POST", "/api/v1/channels/Engines/blogs", bearer(token), func(r *http.Request) {
					r.Header.Set("Content-Type", "application/json")
					r.Body, r.ContentLength = io.NopCloser(&held{60 << 10, end}), -1
				})
			})
		}
		synctest.Wait()
		long := url.Values{"text": {strings.Repeat(`"`, 4900)}, "etag": {strings.Repeat(`"`, 13_000)}}
		if a := s.do("POST", "/write", posted(long)).want(401); strings.Contains(string(a.body), `&#34;&#34;`) || !strings.Contains(string(a.body), "Sign in") {
			t.Errorf("it is answered with %d bytes", len(a.body))
		}
		close(end)
		all.Wait()
		if a := s.do("POST", "/write", posted(long)).want(401); strings.Count(string(a.body), `&#34;`) < 4900 {
			t.Errorf("then it is answered with %d bytes", len(a.body))
		}
	})
}

// More sign-ups than are admitted concurrently send a part of their bodies, and nothing more.
func endlessSignUpsKeepNoOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		end := make(chan struct{})
		var all sync.WaitGroup
		for path, mediaType := range map[string]string{"/sign-up": "application/x-www-form-urlencoded", "/api/v1/users": "application/json"} {
			for range 20 {
				all.Go(func() { s.do("POST", path, typed(mediaType, ""), sized(&held{100, end}, -1)) })
			}
		}
		synctest.Wait()
		s.do("POST", "/sign-up", posted(url.Values{"name": {"ada"}, "password": {password}})).want(303)
		close(end)
		all.Wait()
	})
}
