package azure_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage/azure"
	"microblogging/storage/driver"
)

func TestBatch(t *testing.T) {
	t.Run("is done if every operation is confirmed", confirmedBatch)
	t.Run("is unknown if its reply ends at any byte before the end", shortReply)
	t.Run("is unknown if the reply is of another kind", foreignReply)
}

const (
	batchBoundary = "batchresponse_2dc0af07"
	changesetOpen = "--" + batchBoundary + "\r\nContent-Type: multipart/mixed; boundary=changesetresponse_fb5a4f5a\r\n\r\n"
	changesetEnd  = "--changesetresponse_fb5a4f5a--\r\n"
	batchEnd      = "--" + batchBoundary + "--\r\n"
)

// part is the response to one operation, as Azure documents it.
func part(status, body string) string {
	return "--changesetresponse_fb5a4f5a\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n" +
		"HTTP/1.1 " + status + "\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\nDataServiceVersion: 3.0;\r\n" +
		"ETag: W/\"datetime'2026-01-01T00%3A00%3A00.0000000Z'\"\r\n\r\n" + body + "\r\n"
}

// confirms is a whole reply that confirms n operations.
func confirms(n int) string {
	return changesetOpen + strings.Repeat(part("204 No Content", ""), n) + changesetEnd + batchEnd
}

// fails is a whole reply that says that the first operation failed.
func fails() string {
	return changesetOpen + part("409 Conflict",
		`{"odata.error":{"code":"EntityAlreadyExists","message":{"lang":"en-US","value":"0:The specified entity already exists."}}}`) +
		changesetEnd + batchEnd
}

// A speaker is a table service that gives one reply to a batch.
type speaker struct {
	status      int
	contentType string
	body        string
	// length is what it says about the length of the body.
	length int
}

func says(body string) *speaker {
	return &speaker{http.StatusAccepted, "multipart/mixed; boundary=" + batchBoundary, body, len(body)}
}

func (s *speaker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		panic(http.ErrAbortHandler)
	}
	w.Header()["Content-Type"] = nil
	w.Header().Set("X-Ms-Version", "2019-02-02") // as a proxy that changes what the service says
	if s.contentType != "" {
		w.Header().Set("Content-Type", s.contentType)
	}
	if s.status != http.StatusNoContent {
		w.Header().Set("Content-Length", strconv.Itoa(s.length))
	}
	w.WriteHeader(s.status)
	_, _ = io.WriteString(w, s.body) // the client may be gone
	if s.length > len(s.body) {
		_ = http.NewResponseController(w).Flush() // the same
		panic(http.ErrAbortHandler)
	}
}

// listen opens a client of a real server that says what the speaker says.
func listen(t *testing.T, s *speaker) *azure.Client {
	t.Helper()
	server := httptest.NewServer(s)
	c := open(t, once(azure.Config{ConnectionString: strings.ReplaceAll(unreachable, "http://127.0.0.1:1", server.URL)}))
	t.Cleanup(server.Close)
	return c
}

func inserts(n int) []driver.Operation {
	ops := make([]driver.Operation, n)
	for i := range ops {
		ops[i] = driver.Insert(strconv.Itoa(i))
	}
	return ops
}

func confirmedBatch(t *testing.T) {
	for _, n := range []int{1, 2, driver.MaxOperations} {
		if err := driver.NewTable(listen(t, says(confirms(n))), "T").Transact(t.Context(), "p", inserts(n)...); err != nil {
			t.Errorf("%d operations: %v", n, err)
		}
	}
}

// wantUnknown requires an error that leaves open whether a batch took effect.
func wantUnknown(t *testing.T, err error) {
	t.Helper()
	want(t, err, domain.ErrUnavailable)
	notAnOperation(t, err)
	wantBrief(t, err)
}

// A failure that is cut must not pass for success either.
func shortReply(t *testing.T) {
	s := says("")
	c := listen(t, s)
	for _, whole := range []string{confirms(3), fails()} {
		for n := range whole {
			if n >= len(whole)-len(batchEnd)-len("\r\n") {
				break // all that is missing is the end of the outer body
			}
			s.body, s.length = whole[:n], n
			err := driver.NewTable(c, "T").Transact(t.Context(), "p", inserts(3)...)
			if !errors.Is(err, domain.ErrUnavailable) {
				t.Fatalf("cut after %d bytes, %q: %v", n, whole[max(0, n-40):n], err)
			}
			wantUnknown(t, err)
		}
	}
}

func foreignReply(t *testing.T) {
	failure := strings.TrimSuffix(strings.TrimPrefix(fails(), changesetOpen), changesetEnd+batchEnd)
	for name, s := range map[string]*speaker{
		"nothing at all":                  says(""),
		"no confirmation":                 says(confirms(0)),
		"too few confirmations":           says(confirms(2)),
		"too many confirmations":          says(confirms(4)),
		"one byte":                        says("-"),
		"no content":                      {http.StatusNoContent, "", "", 0},
		"no content type":                 {http.StatusAccepted, "", confirms(3), len(confirms(3))},
		"another content type":            {http.StatusAccepted, "text/html", "<p>202</p>", len("<p>202</p>")},
		"a body without its boundary":     {http.StatusAccepted, "multipart/mixed; boundary=other", confirms(3), len(confirms(3))},
		"status 200 of a proxy":           {http.StatusOK, "text/html", "<p>200</p>", len("<p>200</p>")},
		"JSON":                            says("{}"),
		"a changeset without an end":      says(changesetOpen + strings.Repeat(part("204 No Content", ""), 3) + "\r\n" + batchEnd),
		"a redirection among the answers": says(changesetOpen + strings.Repeat(part("302 Found", ""), 3) + changesetEnd + batchEnd),
		"an answer that is no HTTP":       says(changesetOpen + strings.Repeat(strings.Replace(part("204 No Content", ""), "HTTP/1.1", "nonsense", 1), 3) + changesetEnd + batchEnd),
		"a failure after confirmations":   says(changesetOpen + part("204 No Content", "") + part("204 No Content", "") + failure + changesetEnd + batchEnd),
		"two failures":                    says(changesetOpen + failure + failure + changesetEnd + batchEnd),
	} {
		t.Run(name, func(t *testing.T) {
			wantUnknown(t, driver.NewTable(listen(t, s), "T").Transact(t.Context(), "p", inserts(3)...))
		})
	}
}
