package azure

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
)

// A batchFailure is the answer to one operation of a transaction.
type batchFailure struct {
	status int
	code   string
	// operation is its index, or -1 if the service does not say.
	operation int
}

// readBatchFailure reads why a transaction failed. The status of the reply is 202.
// Its multipart body, which the SDK does not read, holds the HTTP response of the
// operation that failed. The error message in it starts with the operation's index
// and a colon ("Performing entity group transactions", sample error response). It
// returns false for a reply that it does not understand.
func readBatchFailure(reply *http.Response) (f batchFailure, ok bool) {
	body, err := runtime.Payload(reply)
	if err != nil {
		return f, false
	}
	start := bytes.Index(body, []byte("HTTP/1.1 "))
	if start < 0 {
		return f, false
	}
	inner, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(body[start:])), nil)
	if err != nil {
		return f, false
	}
	defer inner.Body.Close()
	var said struct {
		Error struct {
			Code    string
			Message struct{ Value string }
		} `json:"odata.error"`
	}
	// Not Unmarshal: the rest of the multipart body follows the JSON.
	if err := json.NewDecoder(inner.Body).Decode(&said); err != nil {
		return f, false
	}
	f = batchFailure{status: inner.StatusCode, code: said.Error.Code, operation: -1}
	index, _, _ := strings.Cut(said.Error.Message.Value, ":")
	if n, err := strconv.Atoi(index); err == nil {
		f.operation = n
	}
	return f, true
}
