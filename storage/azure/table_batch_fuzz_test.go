package azure

import (
	"bytes"
	"testing"
)

// FuzzBatchReply looks for a body that makes the reader panic, or count what is not
// there. A body that is read must be unknown as soon as its end is missing.
func FuzzBatchReply(f *testing.F) {
	const (
		open    = "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n"
		done    = "--c\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 204 No Content\r\nETag: e\r\n\r\n\r\n"
		refused = "--c\r\n\r\nHTTP/1.1 409 Conflict\r\n\r\n{\"odata.error\":{\"code\":\"C\",\"message\":{\"value\":\"0:m\"}}}\r\n"
		end     = "--c--\r\n--b--\r\n"
	)
	for _, body := range []string{
		"", "--", "{}", open + end, open + done + end, open + done + done + end, open + refused + end,
		open + done + refused + end, open + done + "--c--", open + "--c\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + end,
	} {
		f.Add([]byte(body))
	}
	const contentType = "multipart/mixed; boundary=b"
	f.Fuzz(func(t *testing.T, body []byte) {
		confirmed, failed, err := readBatchReply(contentType, body)
		if err != nil {
			return
		}
		if answers := bytes.Count(body, []byte("HTTP/")); confirmed > answers || failed != nil && confirmed > 0 {
			t.Errorf("%d confirmed, failure %v, but there are %d answers", confirmed, failed, answers)
		}
		last := bytes.LastIndex(body, []byte("HTTP/"))
		if last < 0 {
			return
		}
		if cut, _, err := readBatchReply(contentType, body[:last+len("HTTP/")]); err == nil {
			t.Errorf("cut within the last answer, it confirms %d", cut)
		}
	})
}
