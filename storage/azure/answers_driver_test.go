package azure_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"microblogging/domain"
	"microblogging/storage/azure"
	"microblogging/storage/driver"
)

// TestAnswers gives each recorded answer to the driver, and answers that are a little different.
func TestAnswers(t *testing.T) {
	t.Run("each recorded one is understood", recordedAnswers)
	t.Run("each row of the table names a recording, and no recording is unused", recordingsAreNamed)
	t.Run("one that is cut at any byte says no more than the whole", cutAnswers)
	t.Run("one in another form says the same or nothing", otherForms)
	t.Run("one with a changed field says what it says, or nothing", changedFields)
	t.Run("one of another service says nothing", otherServices)
	t.Run("the answer to another call is no success", otherCalls)
	t.Run("those of Cosmos DB are none of Azure Storage", cosmosAnswers)
	t.Run("the documents say how many there are", countedAnswers)
}

// A recording service gives one answer. It writes the bytes itself, since net/http would correct them.
type recordingService struct {
	answer
	// plain leaves out the headers that all answers have.
	plain bool
	// length is the Content-Length, or below 0 that of the body.
	length int
}

func (s *recordingService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, err := io.Copy(io.Discard, r.Body)
	connection, _, hijackErr := http.NewResponseController(w).Hijack()
	if err != nil || hijackErr != nil {
		panic(http.ErrAbortHandler)
	}
	defer connection.Close()
	var reply bytes.Buffer
	fmt.Fprintf(&reply, "HTTP/1.1 %d %s\r\nConnection: close\r\n", s.status, http.StatusText(s.status))
	if !s.plain {
		reply.WriteString("Date: Fri, 16 Jun 2023 19:55:18 GMT\r\nx-ms-version: 2019-02-02\r\nx-ms-request-id: 6cc8106f-2003-004b-758c-a0c192000000\r\n")
	}
	for name, values := range s.header {
		fmt.Fprintf(&reply, "%s: %s\r\n", name, values[0])
	}
	if length := s.length; s.status != http.StatusNoContent {
		if length < 0 {
			length = len(s.body)
		}
		fmt.Fprintf(&reply, "Content-Length: %d\r\n", length)
	}
	reply.WriteString("\r\n" + s.body)
	_, _ = connection.Write(reply.Bytes()) // the client may have read enough
}

// A replay is the driver with a recording service.
type replay struct {
	service *recordingService
	client  *azure.Client
}

func newReplay(t *testing.T) replay {
	t.Helper()
	service := &recordingService{}
	server := httptest.NewServer(service)
	client := open(t, once(azure.Config{ConnectionString: strings.ReplaceAll(unreachable, "http://127.0.0.1:1", server.URL)}))
	t.Cleanup(server.Close)
	return replay{service, client}
}

// ask makes the call of a fact, and returns what the driver makes of the answer.
func (r replay) ask(t *testing.T, f fact, s recordingService) (driver.Result, error) {
	t.Helper()
	*r.service = s
	call := f.call(scene{etag: recordedETag, message: driver.Message{ID: messageID, Text: "m", Receipt: receipt}})
	call.Target = "t"
	err := r.client.Do(t.Context(), &call)
	slices.SortFunc(call.Entity.Properties, byName)
	for _, row := range call.Page.Rows {
		slices.SortFunc(row.Properties, byName)
	}
	return call.Result, err
}

func byName(a, b driver.Property) int { return strings.Compare(a.Name, b.Name) }

func (f fact) whole() recordingService { return recordingService{answer: f.answer, length: -1} }

// says returns nil if a result and an error are what the recorded answer means.
func (f fact) says(got driver.Result, err error) error {
	var blamed *driver.OperationError
	blames := -1
	if errors.As(err, &blamed) {
		blames = blamed.Index
	}
	switch {
	case f.meaning == nil && !f.refused && err != nil:
		return fmt.Errorf("got error %w", err)
	case f.meaning == nil && !f.refused && !reflect.DeepEqual(got, sorted(f.result)):
		return fmt.Errorf("got %+v, want %+v", got, sorted(f.result))
	case f.refused && (err == nil || blames >= 0 || errors.Is(err, domain.ErrUnavailable)):
		return fmt.Errorf("got error %w, want a refusal", err)
	case f.meaning != nil && (!errors.Is(err, f.meaning) || blames != f.blames):
		return fmt.Errorf("got error %w, want %w of operation %d", err, f.meaning, f.blames)
	}
	return nil
}

func sorted(r driver.Result) driver.Result {
	r.Entity.Properties = slices.SortedFunc(slices.Values(r.Entity.Properties), byName)
	r.Page.Rows = slices.Clone(r.Page.Rows)
	for i := range r.Page.Rows {
		r.Page.Rows[i].Properties = slices.SortedFunc(slices.Values(r.Page.Rows[i].Properties), byName)
	}
	return r
}

// unknown returns nil for an error that leaves open whether the call took effect, and blames nothing else.
func unknown(err error) error {
	var blamed *driver.OperationError
	if !errors.Is(err, domain.ErrUnavailable) || errors.Is(err, domain.ErrConfiguration) || errors.As(err, &blamed) {
		return fmt.Errorf("got %w, want that it is unknown", err)
	}
	if strings.Contains(err.Error(), "panic") {
		return err
	}
	return nil
}

func recordedAnswers(t *testing.T) {
	r := newReplay(t)
	for _, f := range facts {
		if err := f.says(r.ask(t, f, f.whole())); err != nil {
			t.Errorf("%s: %v", f.kind, err)
		}
		other := f.whole()
		if other.status = 500; f.status < 300 && f.says(r.ask(t, f, other)) == nil { // a refusal is known by its code
			t.Errorf("%s: the same is made of another status", f.kind)
		}
	}
}

func recordingsAreNamed(t *testing.T) {
	used, kinds := map[string]bool{}, map[string]bool{}
	for _, f := range facts {
		if kinds[f.kind] || len(f.seen) == 0 {
			t.Errorf("%s: twice in the table, or without a recording", f.kind)
		}
		kinds[f.kind] = true
		for _, name := range f.seen {
			if used[name] = true; recordings[name] == (source{}) {
				t.Errorf("%s: no recording %q", f.kind, name)
			}
		}
	}
	for _, q := range questions {
		used[q.seen] = true
	}
	for name := range recordings {
		if !used[name] {
			t.Errorf("the recording %q is not used", name)
		}
	}
}

func cutAnswers(t *testing.T) {
	r := newReplay(t)
	for _, f := range facts {
		for n := range f.body {
			lengths := []int{n}
			if n%16 == 0 {
				lengths = append(lengths, len(f.body)) // and the connection ends
			}
			for _, length := range lengths {
				got, err := r.ask(t, f, recordingService{answer: answer{f.status, f.header, f.body[:n]}, length: length})
				if f.says(got, err) != nil && unknown(err) != nil && !f.isRefused(err) {
					t.Errorf("%s, cut after %d of %d bytes: %+v, %v", f.kind, n, length, got, err)
				}
			}
		}
	}
}

// isRefused reports whether an error is that of a status below 500 which has no meaning without its code.
func (f fact) isRefused(err error) bool {
	return err != nil && f.status >= 400 && f.status < 500 && !errors.Is(err, domain.ErrUnavailable)
}

func otherForms(t *testing.T) {
	r := newReplay(t)
	for _, f := range facts {
		var zipped bytes.Buffer
		z := gzip.NewWriter(&zipped)
		_, err := io.WriteString(z, f.body)
		ok(t, errors.Join(err, z.Close()))
		var wide strings.Builder
		for _, unit := range utf16.Encode([]rune("\uFEFF" + f.body)) {
			wide.Write([]byte{byte(unit >> 8), byte(unit)})
		}
		shouted := answer{status: f.status, body: f.body}
		for name, values := range f.header {
			shouted = shouted.with(strings.ToUpper(name), values[0])
		}
		for form, s := range map[string]recordingService{
			"compressed":                 {answer: answer{f.status, f.header, zipped.String()}.with("Content-Encoding", "gzip"), length: -1},
			"with headers in upper case": {answer: shouted, length: -1},
		} {
			if f.body == "" && form == "compressed" {
				continue
			}
			if err := f.says(r.ask(t, f, s)); err != nil {
				t.Errorf("%s, %s: %v", f.kind, form, err)
			}
		}
		for form, s := range map[string]recordingService{
			"compressed without saying so":       {answer: answer{f.status, f.header, zipped.String()}, length: -1},
			"in UTF-16":                          {answer: answer{f.status, f.header, wide.String()}, length: -1},
			"twice as long as it says":           {answer: answer{f.status, f.header, f.body + f.body}, length: len(f.body)},
			"twice":                              {answer: answer{f.status, f.header, f.body + f.body}, length: -1},
			"half as long as it says":            {answer: answer{f.status, f.header, f.body}, length: 2 * len(f.body)},
			"with HTML around it":                {answer: answer{f.status, f.header, "<html><body>" + f.body + "</body></html>"}, length: -1},
			"with bytes that are no UTF-8 in it": {answer: answer{f.status, f.header, strings.ReplaceAll(f.body, "odata", "od\xffta")}, length: -1},
		} {
			got, err := r.ask(t, f, s)
			if f.says(got, err) != nil && unknown(err) != nil && !f.isRefused(err) {
				t.Errorf("%s, %s: %+v, %v", f.kind, form, got, err)
			}
		}
	}
}

// changedFields changes a part of an answer. It then means what it says, or nothing.
func changedFields(t *testing.T) {
	r := newReplay(t)
	without := func(name string) func(answer) answer {
		return func(a answer) answer {
			a.header = a.header.Clone()
			delete(a.header, name)
			return a
		}
	}
	replaced := func(old, new string) func(answer) answer {
		return func(a answer) answer {
			if !strings.Contains(a.body, old) {
				t.Fatalf("no %q in %q", old, a.body)
			}
			a.body = strings.Replace(a.body, old, new, 1)
			return a
		}
	}
	status := func(n int) func(answer) answer { return func(a answer) answer { a.status = n; return a } }
	for _, test := range []struct {
		kind, change string
		make         func(answer) answer
		// means is nil if nothing is known then.
		means  error
		blames int
	}{
		{"read a row", "no ETag at all", func(a answer) answer {
			return without("ETag")(replaced(`"odata.etag":`+quoted(recordedETag)+`,`, "")(a))
		}, nil, -1},
		{"read a row", "no row key", replaced(`"RowKey":"r",`, ""), nil, -1},
		{"read a row", "another row", replaced(`"RowKey":"r"`, `"RowKey":"s"`), nil, -1},
		{"read a row", "a list in its place", func(answer) answer { return page("", "{"+row("r", rowMembers)+"}") }, nil, -1},
		{"read a row that is not there", "another code", replaced("ResourceNotFound", "SomethingElse"), nil, -1},
		{"read a row that is not there", "no code", replaced(`"code":"ResourceNotFound",`, ""), nil, -1},
		{"read a row that is not there", "the code of a table", replaced("ResourceNotFound", "TableNotFound"), domain.ErrMissing, -1},
		{"list the last page", "no ETag", replaced(`"odata.etag":`+quoted(recordedETag)+`,`, ""), nil, -1},
		{"list the last page", "no partition key", replaced(`"PartitionKey":"p",`, ""), nil, -1},
		{"list the last page", "no list", replaced(`"value":`, `"values":`), nil, -1},
		{"list the last page", "another status", status(204), nil, -1},
		{"merge into another version of a row", "another code", replaced("UpdateConditionNotSatisfied", "ConditionNotMet"), domain.ErrConflict, 0},
		{"merge into another version of a row", "no code", replaced(`"code":"UpdateConditionNotSatisfied",`, ""), nil, -1},
		{"merge into another version of a row", "an index that is not in the batch", replaced(`"value":"The`, `"value":"1:The`), nil, -1},
		{"merge into another version of a row", "an index below 0", replaced(`"value":"The`, `"value":"-1:The`), domain.ErrConflict, 0},
		{"merge into another version of a row", "a confirmation after it", replaced("--changesetresponse_453e6e0b--", committed+"--changesetresponse_453e6e0b--"), nil, -1},
		{"merge into another version of a row", "status 200", replaced("412 Precondition Failed", "200 OK"), nil, 0},
		{"delete a row that is not there, as the second operation", "another index", replaced(`"1:`, `"0:`), domain.ErrNotFound, 0},
		{"delete a row that is not there, as the second operation", "an index that is not in the batch", replaced(`"1:`, `"2:`), nil, -1},
		{"delete a row that is not there, as the second operation", "no index", replaced(`"1:`, `"`), domain.ErrNotFound, -1},
		{"delete a row that is not there, as the second operation", "another code", replaced("ResourceNotFound", "SomethingElse"), nil, -1},
		{"insert a row that is there, as the third operation", "a busy service", replaced("409 Conflict", "503 Service Unavailable"), nil, -1},
		{"insert rows in a batch", "one confirmation less", replaced(committed, ""), nil, -1},
		{"insert rows in a batch", "one confirmation more", replaced(committed, committed+committed), nil, -1},
		{"receive a message", "no receipt", replaced("<PopReceipt>"+receipt+"</PopReceipt>", ""), nil, -1},
		{"receive a message", "no identity", replaced("<MessageId>"+messageID+"</MessageId>", ""), nil, -1},
		{"receive a message", "no text", replaced("<MessageText>a&amp;b 漢字</MessageText>", ""), nil, -1},
		{"receive a message", "no count of deliveries", replaced("<DequeueCount>1</DequeueCount>", ""), nil, -1},
		{"receive a message", "another list", replaced("QueueMessagesList>", "Queues>"), nil, -1},
		{"peek at a message", "no identity", replaced("<MessageId>"+messageID+"</MessageId>", ""), nil, -1},
		{"peek where no message is visible", "another list", replaced("QueueMessagesList", "html"), nil, -1},
		{"update a message", "no receipt", without("x-ms-popreceipt"), nil, -1},
		{"delete a message that is not there", "no code in the header", without("x-ms-error-code"), domain.ErrLeaseLost, -1},
		{"delete a message that is not there", "no code", func(a answer) answer {
			return without("x-ms-error-code")(replaced("<Code>MessageNotFound</Code>", "")(a))
		}, nil, -1},
		{"count messages", "no count", without("x-ms-approximate-messages-count"), nil, -1},
		{"count messages", "a count that is no number", func(a answer) answer {
			return without("x-ms-approximate-messages-count")(a).with("x-ms-approximate-messages-count", "many")
		}, nil, -1},
	} {
		f := facts[slices.IndexFunc(facts, func(f fact) bool { return f.kind == test.kind })]
		got, err := r.ask(t, f, recordingService{answer: test.make(f.answer), length: -1})
		what := fact{meaning: test.means, blames: test.blames}
		switch {
		case test.blames == 0 && test.means == nil: // a confirmation
			ok(t, err)
		case test.means == nil && unknown(err) != nil, test.means != nil && what.says(got, err) != nil:
			t.Errorf("%s, %s: %+v, %v", test.kind, test.change, got, err)
		}
	}
}

// A proxy, or a network that asks for a password, answers in the place of the service.
func otherServices(t *testing.T) {
	r := newReplay(t)
	for _, f := range facts {
		for what, s := range map[string]recordingService{
			"a page":                   {answer: answer{200, http.Header{"Content-Type": {"text/html"}}, "<!DOCTYPE html><title>Sign in</title>"}, length: -1},
			"a page with its status":   {answer: answer{f.status, http.Header{"Content-Type": {"text/html"}}, "<!DOCTYPE html><title>Sign in</title>"}, length: -1},
			"nothing":                  {answer: answer{status: 204}},
			"JSON":                     {answer: answer{200, http.Header{"Content-Type": {"application/json"}}, "{}"}, length: -1},
			"XML":                      {answer: answer{200, http.Header{"Content-Type": {"application/xml"}}, "<QueueMessagesList />"}, length: -1},
			"the answer, but no names": {answer: f.answer, length: -1},
		} {
			if s.plain = true; what == "the answer, but no names" && f.status >= 400 {
				continue // a refusal needs no name: its code says enough
			}
			if _, err := r.ask(t, f, s); unknown(err) != nil && !f.isRefused(err) {
				t.Errorf("%s, answered by %s: %v", f.kind, what, err)
			}
		}
	}
}

// peeks reports whether the answer is a list of messages.
func peeks(m driver.Method) bool { return m == driver.CallReceive || m == driver.CallPeek }

// otherCalls answers each call with what was recorded for each other one.
func otherCalls(t *testing.T) {
	r := newReplay(t)
	for _, f := range facts {
		if f.meaning != nil || f.refused || f.status >= 400 {
			continue
		}
		for _, other := range facts {
			call, as := f.call(scene{}), other.call(scene{})
			if call.Method == as.Method || peeks(call.Method) && peeks(as.Method) {
				continue
			}
			got, err := r.ask(t, f, other.whole())
			// These need no more of an answer than its status.
			bare := slices.Contains([]driver.Method{driver.CallCreateTable, driver.CallCreateQueue, driver.CallDelete}, call.Method)
			if err == nil && !(bare && other.status < 300) {
				t.Errorf("%s is answered by %s: %+v", f.kind, other.kind, got)
			}
		}
	}
}

// Behind a name of one's own, Cosmos DB is not known when the client is opened.
func cosmosAnswers(t *testing.T) {
	r := newReplay(t)
	for _, f := range facts {
		if f.meaning != nil && f.status < 300 {
			f.body = strings.ReplaceAll(f.body, "\r\n", "\n")
		}
		if _, err := r.ask(t, f, recordingService{answer: f.answer, plain: true, length: -1}); f.status < 300 && unknown(err) != nil {
			t.Errorf("%s: %v", f.kind, err)
		}
	}
	// A version that is not the row's, and a row that is named twice.
	for code, n := range map[string]int{"InvalidInput": 1, "InvalidDuplicateRow": 2} {
		f := fact{call: transaction(inserts(n)...), refused: true, answer: refusal(400, code, "One of the input values is invalid.")}
		if err := f.says(r.ask(t, f, recordingService{answer: f.answer, plain: true, length: -1})); err != nil {
			t.Error(err)
		}
	}
}

func countedAnswers(t *testing.T) {
	kinds := map[string]bool{}
	for _, f := range facts {
		kinds[f.kind] = true
	}
	for _, q := range questions {
		if q.seen != "" {
			kinds[q.asks] = true
		}
	}
	says := fmt.Sprintf("%d recordings of %d kinds of call", len(recordings), len(kinds))
	for document, says := range map[string]string{
		"docs/testing.md":   says,
		"docs/operating.md": fmt.Sprintf("in %d recordings", len(cosmosRecordings)),
	} {
		text, err := os.ReadFile("../../" + document)
		ok(t, err)
		if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), says) {
			t.Errorf("%s does not say %q", document, says)
		}
	}
}
