package azure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue/v2"

	"microblogging/storage/driver"
)

// developmentStorage is what "UseDevelopmentStorage=true" stands for: Azurite on its
// usual ports, with its published account and key ("Use the Azurite emulator for
// local Azure Storage development"). The SDK does not know the short form.
const developmentStorage = "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;" +
	"AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;" +
	"BlobEndpoint=http://127.0.0.1:10000/devstoreaccount1;" +
	"QueueEndpoint=http://127.0.0.1:10001/devstoreaccount1;" +
	"TableEndpoint=http://127.0.0.1:10002/devstoreaccount1;"

// Config names a storage account, by a connection string or else by two endpoints and a
// credential.
type Config struct {
	// ConnectionString is the account's, from the portal, or
	// "UseDevelopmentStorage=true" for Azurite on its usual ports.
	ConnectionString string
	// TableEndpoint and QueueEndpoint are base URLs such as
	// https://ACCOUNT.table.core.windows.net. They must be HTTPS, because each
	// request carries a token of Credential.
	TableEndpoint, QueueEndpoint string
	Credential                   azcore.TokenCredential

	// Retry replaces DefaultRetry; see the function of that name. For a single call, use
	// policy.WithRetryOptions.
	Retry *policy.RetryOptions
	// PerRetry runs at every try of every request. Tests inject faults with it: an
	// error before Next is a request that was never sent, and an error after Next
	// is a reply that was lost.
	PerRetry []policy.Policy
	// Tried is told of each try of each request, with the context of the call. It must not
	// wait. Nil tells nobody.
	Tried func(context.Context, Try)

	// Log gets the stack of a panic in a library. Nil means slog.Default().
	Log *slog.Logger
}

// A Client is a storage account. It is safe for concurrent use.
type Client struct {
	tables    *aztables.ServiceClient
	queues    *azqueue.ServiceClient
	transport *http.Transport
	log       *slog.Logger
}

// Traits implements driver.Backend.
func (c *Client) Traits() driver.Traits { return driver.Traits{ReadsAtOnce: true} }

// Open checks the configuration and returns a client. It sends nothing: if the
// account cannot be reached, the first call fails. The caller closes the client.
func Open(cfg Config) (*Client, error) {
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("azure: %w", err)
	}
	c := &Client{transport: newTransport(), log: cmp.Or(cfg.Log, slog.Default())}
	var err error
	if c.tables, err = cfg.tables(cfg.options(c.transport)); err != nil {
		return nil, fmt.Errorf("azure: tables: %w", err)
	}
	if c.queues, err = cfg.queues(cfg.options(c.transport)); err != nil {
		return nil, fmt.Errorf("azure: queues: %w", err)
	}
	return c, nil
}

// Close closes the idle connections. It does not disturb calls under way.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Do implements driver.Backend. If the table or the queue is missing, it is created, and the call
// is made once more, unless it only looks at a queue. Only an Azurite that was emptied loses one,
// and this program need not be restarted for it.
func (c *Client) Do(ctx context.Context, call *driver.Call) error {
	err := c.try(ctx, call)
	looks := call.Method == driver.CallPeek || call.Method == driver.CallLength
	if looks || !hasCode(err, "TableNotFound", "QueueNotFound") {
		return err
	}
	creation := &driver.Call{Method: driver.CallCreateTable, Target: call.Target}
	if call.OfQueue() {
		creation.Method = driver.CallCreateQueue
	}
	if err := c.try(ctx, creation); err != nil {
		return err
	}
	return c.try(ctx, call)
}

// try makes a call once. New clients of a table or a queue share the connections.
func (c *Client) try(ctx context.Context, call *driver.Call) error {
	ctx = withRequest(ctx, len(call.Operations))
	table, queue := c.tables.NewClient(call.Target), c.queues.NewQueueClient(call.Target)
	err := c.guarded(ctx, call.Method, call.Target, func() (err error) {
		switch call.Method {
		case driver.CallCreateTable:
			_, err = table.CreateTable(ctx, nil)
		case driver.CallGet:
			call.Entity, err = getRow(ctx, table, call)
		case driver.CallRange, driver.CallScan:
			call.Page, err = getPage(ctx, table, call)
		case driver.CallTransact:
			err = transact(ctx, table, call)
		case driver.CallCreateQueue:
			_, err = queue.Create(ctx, nil)
		case driver.CallSend:
			err = send(ctx, queue, call)
		case driver.CallReceive:
			call.Messages, err = receive(ctx, queue, call)
		case driver.CallUpdate:
			call.Receipt, err = update(ctx, queue, call)
		case driver.CallDelete:
			_, err = queue.DeleteMessage(ctx, call.Message.ID, call.Message.Receipt, nil)
		case driver.CallPeek:
			call.Messages, err = peek(ctx, queue, call)
		case driver.CallLength:
			call.Length, err = length(ctx, queue)
		}
		return err
	})
	return accepted(err, "TableAlreadyExists", "QueueAlreadyExists")
}

func (cfg Config) check() error {
	switch {
	case cfg.ConnectionString != "":
		return nil
	case cfg.Credential == nil:
		return errors.New("neither a connection string nor a credential is given")
	}
	for _, endpoint := range []string{cfg.TableEndpoint, cfg.QueueEndpoint} {
		u, err := url.Parse(endpoint)
		if err != nil || u.Scheme != "https" || u.Host == "" {
			return fmt.Errorf("the endpoint %q is not an https URL", endpoint)
		}
	}
	return nil
}

func (cfg Config) tables(o azcore.ClientOptions) (*aztables.ServiceClient, error) {
	options := &aztables.ClientOptions{ClientOptions: o}
	if cfg.ConnectionString != "" {
		return aztables.NewServiceClientFromConnectionString(expand(cfg.ConnectionString), options)
	}
	return aztables.NewServiceClient(cfg.TableEndpoint, cfg.Credential, options)
}

func (cfg Config) queues(o azcore.ClientOptions) (*azqueue.ServiceClient, error) {
	options := &azqueue.ClientOptions{ClientOptions: o}
	if cfg.ConnectionString != "" {
		return azqueue.NewServiceClientFromConnectionString(expand(cfg.ConnectionString), options)
	}
	return azqueue.NewServiceClient(cfg.QueueEndpoint, cfg.Credential, options)
}

func expand(connectionString string) string {
	short := strings.TrimSuffix(strings.TrimSpace(connectionString), ";")
	if strings.EqualFold(short, "UseDevelopmentStorage=true") {
		return developmentStorage
	}
	return connectionString
}

// options makes new options for each client, because azqueue appends to the policies
// that it is given.
func (cfg Config) options(transport *http.Transport) azcore.ClientOptions {
	retry := DefaultRetry()
	options := azcore.ClientOptions{
		Retry:            *cmp.Or(cfg.Retry, &retry),
		PerRetryPolicies: []policy.Policy{batchPolicy{}},
		Transport:        &http.Client{Transport: transport},
	}
	if cfg.Tried != nil {
		options.PerRetryPolicies = append(options.PerRetryPolicies, tryTeller(cfg.Tried))
	}
	options.PerRetryPolicies = append(options.PerRetryPolicies, cfg.PerRetry...)
	return options
}

func newTransport() *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		// The system sends a lost first packet again after 1 s.
		DialContext:         (&net.Dialer{Timeout: 1500 * time.Millisecond}).DialContext,
		TLSHandshakeTimeout: 3 * time.Second,
		ForceAttemptHTTP2:   true,
		IdleConnTimeout:     90 * time.Second,
		// The SDK keeps 10. Then 32 writers would connect again and again.
		MaxIdleConnsPerHost: 64,
	}
}
