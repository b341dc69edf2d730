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

// readBatchFailure reads why a transaction failed. The service accepts such a
// batch (202) and answers with a multipart body that holds one HTTP response,
// that of the operation which failed; the SDK leaves it at that. The error
// message in there starts with the operation's index and a colon ("Performing
// entity group transactions", sample error response). It reports false for a
// reply that cannot be understood.
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
	// Not Unmarshal, for what follows the JSON belongs to the multipart body.
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
