package azure_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// This file holds what Azure's own services have been seen to answer. Microsoft records the answers that the
// tests of its client libraries get from real accounts. Each row names the recordings that show it. The answers
// are written anew in the shape of the recorded ones: the same statuses, codes, headers and members, and
// values of our own. Neither recordings nor code of those tests are in this repository.
//
// The rows are data of tests. TestAnswers gives each to the driver, TestConformance compares each
// with Azurite, and `make conformance` with an account of yours.

// A source is a recording.
type source struct{ repository, path, date, version string }

const (
	sdkGo     = "Azure/azure-sdk-for-go"
	sdkJS     = "Azure/azure-sdk-for-js"
	sdkJava   = "Azure/azure-sdk-for-java"
	sdkNet    = "Azure/azure-sdk-for-net"
	sdkPython = "Azure/azure-sdk-for-python"

	goTables     = "sdk/data/aztables/testdata/recordings/"
	jsTables     = "sdk/tables/data-tables/recordings/browsers/"
	jsQueues     = "sdk/storage/storage-queue/recordings/browsers/"
	javaTables   = "sdk/tables/azure-data-tables/src/test/resources/session-records/"
	netTables    = "sdk/tables/Azure.Data.Tables/tests/SessionRecords/TableClientLiveTests(Storage)/"
	netQueues    = "sdk/storage/Azure.Storage.Queues/tests/SessionRecords/QueueClientTests/"
	pythonTables = "sdk/tables/azure-data-tables/tests/recordings/"
	pythonQueues = "sdk/storage/azure-storage-queue/tests/recordings/"
)

// recordings are those that were read, by a short name.
var recordings = map[string]source{
	"go delete by version":       {sdkGo, goTables + "TestDeleteEntityWithETag/TestDeleteEntityWithETag_storage.json", "2022-04-13", "2019-02-02"},
	"go create twice":            {sdkGo, goTables + "TestServiceErrors/TestServiceErrors_storage.json", "2022-04-13", "2019-02-02"},
	"go mixed batch":             {sdkGo, goTables + "TestBatchMixed/TestBatchMixed_storage.json", "2022-01-24", "2019-02-02"},
	"go row is there":            {sdkGo, goTables + "TestBatchError/TestBatchError_storage.json", "2022-04-13", "2019-02-02"},
	"go same row twice":          {sdkGo, goTables + "TestBatchErrorHandleResponse/TestBatchErrorHandleResponse_storage.json", "2022-02-25", "2019-02-02"},
	"go continuation":            {sdkGo, goTables + "TestContinuationTokens/TestContinuationTokens_storage.json", "2022-03-01", "2019-02-02"},
	"js batch without table":     {sdkJS, jsTables + "batch_operations/recording_should_handle_sub_request_error.json", "2020-10-02", "2019-02-02"},
	"js int64":                   {sdkJS, jsTables + "tableclient_createentity_getentity_and_delete/recording_should_createentity_with_int64.json", "2022-02-01", "2019-02-02"},
	"js update message":          {sdkJS, jsQueues + "queueclient_messageid_methods/recording_update_and_delete_message_with_all_parameters.json", "2023-06-16", "2021-10-04"},
	"js wrong receipt":           {sdkJS, jsQueues + "queueclient_messageid_methods/recording_delete_message_negative.json", "2023-06-16", "2021-10-04"},
	"js messages":                {sdkJS, jsQueues + "queueclient_message_methods/recording_enqueue_peek_dequeue_special_characters.json", "2023-06-16", "2021-10-04"},
	"java failing batch":         {sdkJava, javaTables + "TableAsyncClientTest.submitTransactionAsyncWithFailingAction.json", "2021-05-24", "2019-02-02"},
	"java two partitions":        {sdkJava, javaTables + "TableAsyncClientTest.submitTransactionAsyncWithDifferentPartitionKeys.json", "2021-05-25", "2019-02-02"},
	"java select":                {sdkJava, javaTables + "AzureTableImplTest.queryEntityImplWithSelect.json", "2023-04-11", "2020-12-06"},
	"java delete absent table":   {sdkJava, javaTables + "AzureTableImplTest.deleteNonExistentTableImpl.json", "2021-04-21", "2019-02-02"},
	"net row is there":           {sdkNet, netTables + "BatchError.json", "2021-01-06", "2019-02-02"},
	"net delete message":         {sdkNet, netQueues + "DeleteMessageAsync_DeletePeek.json", "2021-01-07", "2018-11-09"},
	"net delete absent message":  {sdkNet, netQueues + "DeleteMessagAsync_Error.json", "2021-01-06", "2018-11-09"},
	"python absent row":          {sdkPython, pythonTables + "test_table_entity.test_get_entity_not_existing.yaml", "2020-07-24", "2019-07-07"},
	"python select":              {sdkPython, pythonTables + "test_table_entity.test_query_entities_with_select.yaml", "2020-07-24", "2019-07-07"},
	"python replace by version":  {sdkPython, pythonTables + "test_table_batch.test_batch_update_if_match.yaml", "2021-04-08", "2019-02-02"},
	"python other version":       {sdkPython, pythonTables + "test_table_batch.test_batch_update_if_doesnt_match.yaml", "2021-04-08", "2019-02-02"},
	"python delete absent row":   {sdkPython, pythonTables + "test_table_batch.test_new_delete_nonexistent_entity.yaml", "2020-11-05", "2019-02-02"},
	"python batch without table": {sdkPython, pythonTables + "test_table_batch.test_new_non_existent_table.yaml", "2020-11-05", "2019-02-02"},
	"python 101 operations":      {sdkPython, pythonTables + "test_table_batch.test_batch_too_many_ops.yaml", "2020-11-07", "2019-02-02"},
	"python delete absent table": {sdkPython, pythonTables + "test_retry.test_retry_on_timeout.yaml", "2021-04-15", "2019-02-02"},
	"python create queue twice":  {sdkPython, pythonQueues + "test_queue.test_create_queue_fail_on_exist.yaml", "2020-06-08", "2018-03-28"},
	"python count messages":      {sdkPython, pythonQueues + "test_queue.test_get_queue_metadata_message_count.yaml", "2019-10-16", "2018-03-28"},
	"python message for ever":    {sdkPython, pythonQueues + "test_queue.test_put_message_infinite_time_to_live.yaml", "2019-06-22", "2018-03-28"},
	"python update message":      {sdkPython, pythonQueues + "test_queue.test_update_message_content.yaml", "2019-06-22", "2018-03-28"},
	"python absent queue":        {sdkPython, pythonQueues + "test_queue.test_queue_not_exists.yaml", "2020-06-08", "2018-03-28"},
}

// cosmosRecordings show Cosmos DB's Table API. Like Table Storage, it has ETags that are times, and transactions on one
// partition that name the operation which failed. But its answers have no x-ms-version, lines of a batch end with a
// line feed alone, a transaction may be refused as a whole, and a continuation is no pair of keys. Its documents say
// that it does not sort rows by their keys, and that a row key has at most 255 bytes and a transaction 2 MB.
var cosmosRecordings = []source{
	{sdkGo, goTables + "TestBatchErrorHandleResponse/TestBatchErrorHandleResponse_cosmos.json", "2022-04-13", "2019-02-02"},
	{sdkGo, goTables + "TestDeleteEntityWithETag/TestDeleteEntityWithETag_cosmos.json", "2022-04-13", "2019-02-02"},
	{sdkGo, goTables + "TestContinuationTokens/TestContinuationTokens_cosmos.json", "2022-03-01", "2019-02-02"},
	{sdkNet, "sdk/tables/Azure.Data.Tables/tests/SessionRecords/TableClientLiveTests(CosmosTable)/BatchError.json", "2021-09-22", "2019-02-02"},
	{sdkPython, pythonTables + "test_table_batch_cosmos.test_batch_update_if_doesnt_match.yaml", "2020-11-03", "2019-02-02"},
	{sdkPython, pythonTables + "test_table_batch_cosmos.test_new_delete_nonexistent_entity.yaml", "2020-12-18", "2019-02-02"},
}

// No recording was found in these repositories of the following. What the driver does then rests on Azure's
// documents and on Azurite:
//   - a read of a row or a list in a table that is not there (TableNotFound is recorded for a batch);
//   - a table or a queue that is being deleted (a test of azure-sdk-for-net has the answer TableBeingDeleted of
//     2021-03-24, without its status);
//   - a batch of one operation that inserts a row which is there;
//   - a batch of several operations whose first one fails. That its index is 0 is asserted by azure-storage-python,
//     tests/table/test_table_batch.py, which ran against the service;
//   - a page without rows that has a continuation, and $select of a property that a row does not have;
//   - a receipt that another one has replaced (PopReceiptMismatch);
//   - a request that was throttled (503 ServerBusy) or timed out (500 OperationTimedOut);
//   - a wrong key and a missing role.

// A scene is what a call must know of the rows and the message that were made for it.
type scene struct {
	etag    driver.ETag
	message driver.Message
}

// An answer is an HTTP response, without the headers that all have: Date, x-ms-version and x-ms-request-id.
type answer struct {
	status int
	header http.Header
	body   string
}

// A fact is what the service answers to one kind of call.
type fact struct {
	kind string
	// seen names recordings.
	seen []string
	// prepare makes the situation in an empty table and queue.
	prepare func(t testing.TB, b driver.Backend, table, queue string) scene
	// call is without its target, which is that table or queue, or another one that is absent.
	call   func(scene) driver.Call
	absent bool
	answer
	// What the driver makes of it: a result, or an error with this meaning, which blames an
	// operation unless blames is below 0. A refusal is an error without a meaning in package domain.
	result  driver.Result
	meaning error
	blames  int
	refused bool
}

const (
	recordedETag = `W/"datetime'2021-04-08T14%3A31%3A34.181982Z'"`
	rowMembers   = `"Text":"abc","Flag":true,"Number@odata.type":"Edm.Int64","Number":"12345543221","When@odata.type":"Edm.DateTime","When":"1991-10-04T00:00:00Z"`
	messageID    = "27387aea-0c89-4a6e-ad8e-58cb3e4febd0"
	receipt      = "AgAAAAMAAAAAAAAAQTMLfoyg2QE="
	newReceipt   = "AwAAAAMAAAAAAAAABfLhf4yg2QEAAAAA"
)

var (
	rowProperties = driver.Properties{
		driver.String("Text", "abc"), driver.Bool("Flag", true), driver.Int64("Number", 12345543221),
		driver.Time("When", time.Date(1991, 10, 4, 0, 0, 0, 0, time.UTC)),
	}
	committed = inBatch("204 No Content", "", "ETag: "+recordedETag)
)

// facts are the table. Their results have the values of the answers here.
var facts = []fact{
	{
		kind: "create a table", seen: []string{"go create twice", "go delete by version", "python absent row"},
		call: just(driver.Call{Method: driver.CallCreateTable}), absent: true,
		answer: inJSON(201, `{"odata.metadata":"https://a.table.core.windows.net/$metadata#Tables/@Element","TableName":"t"}`),
	},
	{
		kind: "create a table that is there", seen: []string{"go create twice", "js batch without table"},
		call:   just(driver.Call{Method: driver.CallCreateTable}),
		answer: refusal(409, "TableAlreadyExists", "The table specified already exists."),
	},
	{
		kind: "read a row", seen: []string{"js int64", "python replace by version", "python other version"},
		prepare: someRows, call: just(driver.Call{Method: driver.CallGet, Partition: "p", Row: "r"}),
		answer: inJSON(200, `{"odata.metadata":"https://a.table.core.windows.net/$metadata#t/@Element",`+row("r", rowMembers)+`}`).with("ETag", recordedETag),
		result: driver.Result{Entity: driver.Entity{Partition: "p", Row: "r", ETag: recordedETag, Properties: rowProperties}},
	},
	{
		kind: "read a row that is not there", seen: []string{"python absent row"},
		prepare: someRows, call: just(driver.Call{Method: driver.CallGet, Partition: "p", Row: "absent"}),
		answer:  refusal(404, "ResourceNotFound", "The specified resource does not exist."),
		meaning: domain.ErrNotFound, blames: -1,
	},
	{
		kind: "list a page that is not the last", seen: []string{"go continuation"},
		prepare: someRows, call: just(driver.Call{Method: driver.CallRange, Partition: "p", Paging: driver.Paging{Limit: 1}}),
		answer: page("", "{"+row("r", rowMembers)+"}").with("x-ms-continuation-NextPartitionKey", "1!4!cA--").with("x-ms-continuation-NextRowKey", "1!4!cw--"),
		result: driver.Result{Page: driver.Page{
			Rows:         []driver.Entity{{Partition: "p", Row: "r", ETag: recordedETag, Properties: rowProperties}},
			Continuation: "1!4!cA--\x001!4!cw--",
		}},
	},
	{
		kind: "list the last page", seen: []string{"go continuation", "go mixed batch"},
		prepare: someRows, call: just(driver.Call{Method: driver.CallRange, Partition: "p", From: "s", To: "t", Paging: driver.Paging{Limit: 9}}),
		answer: page("", "{"+row("s", `"Text":"abc"`)+"}"),
		result: driver.Result{Page: driver.Page{Rows: []driver.Entity{
			{Partition: "p", Row: "s", ETag: recordedETag, Properties: driver.Properties{driver.String("Text", "abc")}},
		}}},
	},
	{
		kind: "list some properties", seen: []string{"python select", "java select"},
		prepare: someRows, call: just(driver.Call{Method: driver.CallRange, Partition: "p", To: "s", Paging: driver.Paging{Limit: 9, Select: []string{"Number"}}}),
		answer: page("&$select=PartitionKey,RowKey,Number",
			`{"odata.etag":`+quoted(recordedETag)+`,"PartitionKey":"p","RowKey":"r","Number@odata.type":"Edm.Int64","Number":"12345543221"}`),
		result: driver.Result{Page: driver.Page{Rows: []driver.Entity{
			{Partition: "p", Row: "r", Properties: driver.Properties{driver.Int64("Number", 12345543221)}},
		}}},
	},
	{
		kind: "insert rows in a batch", seen: []string{"go mixed batch"},
		call: transaction(driver.Insert("0"), driver.Insert("1")), answer: batch(committed, committed),
	},
	{
		kind: "merge, replace and delete rows in a batch", seen: []string{"go mixed batch"},
		prepare: someRows, call: func(s scene) driver.Call {
			return transaction(driver.Merge("r", driver.Match(s.etag)), driver.Replace("s", driver.Exists), driver.Delete("u", driver.Exists))(s)
		},
		answer: batch(committed, committed, inBatch("204 No Content", "")),
	},
	{
		kind: "replace a row by its version", seen: []string{"python replace by version"},
		prepare: someRows, call: func(s scene) driver.Call { return transaction(driver.Replace("r", driver.Match(s.etag)))(s) },
		answer: batch(committed),
	},
	{
		kind: "merge into another version of a row", seen: []string{"python other version"},
		prepare: someRows, call: transaction(driver.Merge("r", driver.Match(`W/"datetime'2012-06-15T22%3A51%3A44.9662825Z'"`))),
		answer:  batch(failedInBatch("412 Precondition Failed", "UpdateConditionNotSatisfied", "The update condition specified in the request was not satisfied.")),
		meaning: domain.ErrConflict,
	},
	{
		kind: "delete a row that is not there", seen: []string{"python delete absent row"},
		call:    transaction(driver.Delete("absent", driver.Exists)),
		answer:  batch(failedInBatch("404 Not Found", "ResourceNotFound", "The specified resource does not exist.")),
		meaning: domain.ErrNotFound,
	},
	{
		kind: "delete a row that is not there, as the second operation", seen: []string{"java failing batch"},
		call:    transaction(driver.Insert("0"), driver.Delete("absent", driver.Exists)),
		answer:  batch(failedInBatch("404 Not Found", "ResourceNotFound", "1:The specified resource does not exist.")),
		meaning: domain.ErrNotFound, blames: 1,
	},
	{
		kind: "insert a row that is there, as the third operation", seen: []string{"go row is there", "net row is there"},
		prepare: someRows, call: transaction(driver.Insert("0"), driver.Insert("1"), driver.Insert("r")),
		answer:  batch(failedInBatch("409 Conflict", "EntityAlreadyExists", "2:The specified entity already exists.")),
		meaning: domain.ErrExists, blames: 2,
	},
	{
		kind: "name a row twice in a batch", seen: []string{"go same row twice"},
		call: transaction(driver.Insert("0"), driver.Insert("1"), driver.Insert("2"), driver.Insert("0")),
		answer: batch(failedInBatch("400 Bad Request", "InvalidDuplicateRow",
			"3:The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.")),
		refused: true,
	},
	{
		kind: "write to a table that is not there", seen: []string{"python batch without table", "js batch without table"},
		call: transaction(driver.Insert("0"), driver.Insert("1")), absent: true,
		answer:  batch(failedInBatch("404 Not Found", "TableNotFound", "0:The table specified does not exist.")),
		meaning: domain.ErrMissing, blames: -1,
	},
	{
		kind: "create a queue", seen: []string{"js messages", "net delete message", "python create queue twice"},
		call: just(driver.Call{Method: driver.CallCreateQueue}), absent: true,
		answer: answer{status: 201},
	},
	{
		kind: "create a queue that is there", seen: []string{"python create queue twice"},
		call:   just(driver.Call{Method: driver.CallCreateQueue}),
		answer: answer{status: 204},
	},
	{
		kind: "send a message", seen: []string{"python message for ever", "js messages"},
		call: just(driver.Call{Method: driver.CallSend, Message: driver.Message{Text: "m"}}),
		answer: messages(201, "<MessageId>"+messageID+"</MessageId><InsertionTime>Sat, 22 Jun 2019 20:12:59 GMT</InsertionTime>"+
			"<ExpirationTime>Fri, 31 Dec 9999 23:59:59 GMT</ExpirationTime><PopReceipt>"+receipt+"</PopReceipt><TimeNextVisible>Sat, 22 Jun 2019 20:12:59 GMT</TimeNextVisible>"),
	},
	{
		kind: "receive a message", seen: []string{"js messages", "python update message"},
		prepare: oneMessage, call: just(driver.Call{Method: driver.CallReceive, Limit: 2, Lease: 10 * time.Second}),
		answer: messages(200, "<MessageId>"+messageID+"</MessageId><InsertionTime>Sat, 22 Jun 2019 20:13:17 GMT</InsertionTime>"+
			"<ExpirationTime>Sat, 29 Jun 2019 20:13:17 GMT</ExpirationTime><PopReceipt>"+receipt+"</PopReceipt>"+
			"<TimeNextVisible>Sat, 22 Jun 2019 20:13:47 GMT</TimeNextVisible><DequeueCount>1</DequeueCount><MessageText>a&amp;b 漢字</MessageText>"),
		result: driver.Result{Messages: []driver.Message{{ID: messageID, Text: "a&b 漢字", Receipt: receipt, Deliveries: 1}}},
	},
	{
		kind: "peek at a message", seen: []string{"js messages", "js update message", "python message for ever"},
		prepare: oneMessage, call: just(driver.Call{Method: driver.CallPeek, Limit: 2}),
		answer: messages(200, "<MessageId>"+messageID+"</MessageId><InsertionTime>Sat, 22 Jun 2019 20:12:59 GMT</InsertionTime>"+
			"<ExpirationTime>Fri, 31 Dec 9999 23:59:59 GMT</ExpirationTime><DequeueCount>0</DequeueCount><MessageText>m</MessageText>"),
		result: driver.Result{Messages: []driver.Message{{ID: messageID, Text: "m"}}},
	},
	{
		kind: "peek where no message is visible", seen: []string{"js update message", "net delete message"},
		call:   just(driver.Call{Method: driver.CallPeek, Limit: 2}),
		answer: inXML(200, "<QueueMessagesList />"),
	},
	{
		kind: "update a message", seen: []string{"js update message", "python update message"},
		prepare: oneLease, call: func(s scene) driver.Call {
			return driver.Call{Method: driver.CallUpdate, Message: s.message, Lease: 10 * time.Second}
		},
		answer: answer{status: 204}.with("x-ms-popreceipt", newReceipt).with("x-ms-time-next-visible", "Fri, 16 Jun 2023 19:55:28 GMT"),
		result: driver.Result{Receipt: newReceipt},
	},
	{
		kind: "delete a message", seen: []string{"net delete message"},
		prepare: oneLease, call: func(s scene) driver.Call { return driver.Call{Method: driver.CallDelete, Message: s.message} },
		answer: answer{status: 204},
	},
	{
		kind: "delete a message that is not there", seen: []string{"net delete absent message"},
		call: just(driver.Call{Method: driver.CallDelete, Message: driver.Message{ID: messageID, Receipt: receipt}}),
		answer: inXML(404, "<Error><Code>MessageNotFound</Code><Message>The specified message does not exist.\n"+
			"RequestId:0\nTime:2021-01-06T02:03:14.1517593Z</Message></Error>").with("x-ms-error-code", "MessageNotFound"),
		meaning: domain.ErrLeaseLost, blames: -1,
	},
	{
		kind: "delete a message by a receipt of another form", seen: []string{"js wrong receipt"},
		prepare: oneLease, call: func(s scene) driver.Call {
			return driver.Call{Method: driver.CallDelete, Message: driver.Message{ID: s.message.ID, Receipt: "invalid"}}
		},
		answer: inXML(400, "<Error><Code>InvalidQueryParameterValue</Code><Message>Value for one of the query parameters specified in the request URI is invalid.\n"+
			"RequestId:0\nTime:2023-06-16T19:55:42.2926148Z</Message></Error>").with("x-ms-error-code", "InvalidQueryParameterValue"),
		refused: true,
	},
	{
		kind: "count messages", seen: []string{"python count messages"},
		prepare: oneMessage, call: just(driver.Call{Method: driver.CallLength}),
		answer: answer{status: 200}.with("x-ms-approximate-messages-count", "1"),
		result: driver.Result{Length: 1},
	},
	{
		kind: "ask a queue that is not there", seen: []string{"python absent queue"},
		call: just(driver.Call{Method: driver.CallLength}), absent: true,
		answer: inXML(404, "<Error><Code>QueueNotFound</Code><Message>The specified queue does not exist.\n"+
			"RequestId:0\nTime:2020-06-08T17:03:59.5534106Z</Message></Error>").with("x-ms-error-code", "QueueNotFound"),
		meaning: domain.ErrMissing, blames: -1,
	},
}

// just is a call that does not depend on the scene.
func just(c driver.Call) func(scene) driver.Call { return func(scene) driver.Call { return c } }

func transaction(ops ...driver.Operation) func(scene) driver.Call {
	return just(driver.Call{Method: driver.CallTransact, Partition: "p", Operations: ops})
}

// someRows makes the rows r, s and u of partition p.
func someRows(t testing.TB, b driver.Backend, table, _ string) scene {
	t.Helper()
	rows, text := driver.NewTable(b, table), driver.String("Text", "abc")
	ok(t, rows.Transact(t.Context(), "p", driver.Insert("r", rowProperties...), driver.Insert("s", text), driver.Insert("u", text)))
	r, err := rows.Get(t.Context(), "p", "r")
	ok(t, err)
	return scene{etag: r.ETag}
}

func oneMessage(t testing.TB, b driver.Backend, _, queue string) scene {
	t.Helper()
	ok(t, driver.NewQueue(b, queue).Send(t.Context(), "m"))
	return scene{}
}

func oneLease(t testing.TB, b driver.Backend, table, queue string) scene {
	t.Helper()
	oneMessage(t, b, table, queue)
	messages, err := driver.NewQueue(b, queue).Receive(t.Context(), 1, time.Minute)
	ok(t, err)
	return scene{message: messages[0]}
}

// with adds a header, in the case in which it was recorded.
func (a answer) with(name, value string) answer {
	header := http.Header{name: {value}}
	maps.Copy(header, a.header)
	a.header = header
	return a
}

func quoted(s string) string { return strconv.Quote(s) }

func row(key, members string) string {
	return `"odata.etag":` + quoted(recordedETag) + `,"PartitionKey":"p","RowKey":` + quoted(key) + `,"Timestamp":"2021-04-08T14:31:34.181982Z",` + members
}

func inJSON(status int, body string) answer {
	return answer{status: status, body: body}.with("Content-Type", "application/json;odata=minimalmetadata;streaming=true;charset=utf-8")
}

func page(selected, rows string) answer {
	return inJSON(200, `{"odata.metadata":"https://a.table.core.windows.net/$metadata#t`+selected+`","value":[`+rows+`]}`)
}

func failureJSON(code, message string) string {
	return fmt.Sprintf(`{"odata.error":{"code":%q,"message":{"lang":"en-US","value":%q}}}`, code, message+"\nRequestId:0\nTime:2021-05-24T22:28:24.4583558Z")
}

func refusal(status int, code, message string) answer {
	return inJSON(status, failureJSON(code, message))
}

// inXML begins with a byte order mark, as nearly all answers of queues do.
func inXML(status int, body string) answer {
	return answer{status: status, body: "\uFEFF<?xml version=\"1.0\" encoding=\"utf-8\"?>" + body}.with("Content-Type", "application/xml")
}

func messages(status int, members string) answer {
	return inXML(status, "<QueueMessagesList><QueueMessage>"+members+"</QueueMessage></QueueMessagesList>")
}

// inBatch is the response to one operation.
func inBatch(status, body string, headers ...string) string {
	lines := append([]string{
		"--changesetresponse_453e6e0b", "Content-Type: application/http", "Content-Transfer-Encoding: binary", "",
		"HTTP/1.1 " + status, "X-Content-Type-Options: nosniff", "Cache-Control: no-cache", "DataServiceVersion: 3.0;",
	}, headers...)
	return strings.Join(append(lines, "", body, ""), "\r\n")
}

func failedInBatch(status, code, message string) string {
	return inBatch(status, failureJSON(code, message), "Content-Type: application/json;odata=minimalmetadata;streaming=true;charset=utf-8")
}

func batch(parts ...string) answer {
	return answer{status: 202, body: "--batchresponse_ee977509\r\nContent-Type: multipart/mixed; boundary=changesetresponse_453e6e0b\r\n\r\n" +
		strings.Join(parts, "") + "--changesetresponse_453e6e0b--\r\n--batchresponse_ee977509--\r\n",
	}.with("Content-Type", "multipart/mixed; boundary=batchresponse_ee977509")
}

// azuriteAnswers are the shapes of Azurite's answers that differ from the recorded ones. docs/operating.md
// says what that means.
var azuriteAnswers = map[string]string{
	"create a table that is there":                  "409, code TableAlreadyExists, TableAlreadyExists",
	"read a row that is not there":                  "404, code ResourceNotFound, ResourceNotFound",
	"merge into another version of a row":           "202, [0: 412, UpdateConditionNotSatisfied, index 0]",
	"delete a row that is not there":                "202, [0: 404, ResourceNotFound, index 0]",
	"delete a message by a receipt of another form": "400, code PopReceiptMismatch, Error, Code, Message",
	"list a page that is not the last": "200, x-ms-continuation-NextPartitionKey in another form, x-ms-continuation-NextRowKey in another form, " +
		"1 rows, Flag Number Number@odata.type PartitionKey RowKey Text Timestamp When When@odata.type odata.etag",
}

// shape says what matters of an answer to the driver: no values, but which parts there are, and in what form.
func (a answer) shape() string {
	words := []string{strconv.Itoa(a.status)}
	get := func(name string) string {
		for n, values := range a.header {
			if strings.EqualFold(n, name) {
				return values[0]
			}
		}
		return ""
	}
	for _, h := range []struct{ name, form string }{
		{"ETag", etagForm.String()}, {"x-ms-error-code", `^\w+$`}, {"x-ms-popreceipt", `.`}, {"x-ms-approximate-messages-count", `^\d+$`},
		{"x-ms-continuation-NextPartitionKey", `^1!\d+!`}, {"x-ms-continuation-NextRowKey", `^1!\d+!`},
	} {
		switch value := get(h.name); {
		case value == "":
		case h.name == "x-ms-error-code":
			words = append(words, "code "+value)
		case regexp.MustCompile(h.form).MatchString(value):
			words = append(words, h.name)
		default:
			words = append(words, h.name+" in another form")
		}
	}
	contentType, _, _ := strings.Cut(get("Content-Type"), ";")
	switch {
	case a.body == "":
	case contentType == "multipart/mixed":
		for i, part := range strings.Split(a.body, "HTTP/1.1 ")[1:] {
			words = append(words, fmt.Sprintf("[%d: %s]", i, strings.Join(partShape(part), ", ")))
		}
	case contentType == "application/json":
		words = append(words, membersShape(a.body)...)
	case contentType == "application/xml":
		for _, tag := range regexp.MustCompile(`<(\w+)[ />]`).FindAllStringSubmatch(a.body, -1) {
			words = append(words, tag[1])
		}
	default:
		words = append(words, "content of type "+contentType)
	}
	return strings.Join(words, ", ")
}

var etagForm = regexp.MustCompile(`^W/"datetime'\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\d\.\d{1,7}Z'"$`)

func partShape(part string) []string {
	head, body, _ := strings.Cut(part, "\r\n\r\n")
	status, _, _ := strings.Cut(head, " ")
	words := []string{status}
	if _, etag, there := strings.Cut(head, "\r\nETag: "); there {
		etag, _, _ = strings.Cut(etag, "\r\n")
		words = append(words, "ETag in the form "+strconv.FormatBool(etagForm.MatchString(etag)))
	}
	if body, _, _ = strings.Cut(body, "\r\n--"); strings.TrimSpace(body) != "" {
		words = append(words, membersShape(body)...)
	}
	return words
}

// membersShape names the code and the index of a failure, or the members of a row or a list.
func membersShape(body string) []string {
	var said struct {
		Error struct {
			Code    string
			Message struct{ Value string }
		} `json:"odata.error"`
		Value []map[string]any
	}
	var all map[string]any
	if err := errors.Join(json.Unmarshal([]byte(body), &said), json.Unmarshal([]byte(body), &all)); err != nil {
		return []string{"no JSON"}
	}
	index := regexp.MustCompile(`^(\d+):`).FindString(said.Error.Message.Value)
	switch {
	case said.Error.Code != "" && index != "":
		return []string{said.Error.Code, "index " + strings.TrimSuffix(index, ":")}
	case said.Error.Code != "":
		return []string{said.Error.Code}
	case said.Value != nil:
		words := []string{fmt.Sprintf("%d rows", len(said.Value))}
		for _, row := range said.Value {
			words = append(words, strings.Join(slices.Sorted(maps.Keys(row)), " "))
		}
		return words
	}
	return []string{strings.Join(slices.Sorted(maps.Keys(all)), " ")}
}
