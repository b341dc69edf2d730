package azure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"unicode/utf8"

	"microblogging/storage/driver"
)

// errNotAnswer is in the chain of an error about a reply with a success status that is no answer of Azure
// Storage to the call, or lacks a part of it. What became of the call is unknown.
var errNotAnswer = errors.New("no answer of Azure Storage to this call")

// checkAnswer checks a reply with a success status for what the SDK does not miss (aztables v1.4.1, azqueue
// v2.1.0). Otherwise the page of a proxy would be an empty list, and a sweep would end before its rows are gone.
func checkAnswer(method driver.Method, reply *http.Response, body []byte) error {
	missing := ""
	switch {
	case reply.Header.Get("X-Ms-Version") == "": // each answer has it; that of Cosmos DB has none
		missing = "x-ms-version"
	case !utf8.Valid(body):
		missing = "UTF-8"
	case lists(method) && !valueList.Match(body):
		missing = "list of rows"
	case givesMessages(method) && rootElement(body) != "QueueMessagesList":
		missing = "list of messages"
	case method == driver.CallUpdate && reply.Header.Get("X-Ms-Popreceipt") == "":
		missing = "x-ms-popreceipt"
	case method == driver.CallLength && reply.Header.Get("X-Ms-Approximate-Messages-Count") == "":
		missing = "x-ms-approximate-messages-count"
	}
	if missing == "" {
		return nil
	}
	return fmt.Errorf("%w: no %s", errNotAnswer, missing)
}

func lists(m driver.Method) bool { return m == driver.CallRange || m == driver.CallScan }

// givesMessages includes the answer to a Send, which has the message's identity.
func givesMessages(m driver.Method) bool {
	return m == driver.CallSend || m == driver.CallReceive || m == driver.CallPeek
}

// valueList does not match inside a string, where a quotation mark is escaped.
var valueList = regexp.MustCompile(`"value"\s*:\s*\[`)

// rootElement returns the name of the first element of an XML document, which may begin with a byte order mark.
func rootElement(body []byte) string {
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\uFEFF"))))
	for {
		token, err := d.Token()
		if err != nil {
			return ""
		}
		if start, ok := token.(xml.StartElement); ok {
			return start.Name.Local
		}
	}
}
