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

// developmentStorage is what "UseDevelopmentStorage=true" means: Azurite on its
// usual ports, with its published account and key ("Use the Azurite emulator for
// local Azure Storage development"). The SDK does not know the short form.
const developmentStorage = "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;" +
	"AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;" +
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
	// Tried is told of each try of each request. It must not wait. It may be nil.
	Tried func(Try)

	// Log gets the stack of a panic in a library. Nil means slog.Default().
	Log *slog.Logger
}

// A Client is a storage account. It is safe for concurrent use.
type Client struct {
	tables    *aztables.ServiceClient
	queues    *azqueue.ServiceClient
	transport *http.Transport
	clock     clock
	log       *slog.Logger
}

// URL returns the address of the account's queues. It holds no secret.
func (c *Client) URL() string { return c.queues.URL() }

// Capabilities implements driver.Backend.
func (c *Client) Capabilities() driver.Capabilities {
	return driver.Capabilities{ConcurrentReads: true, Clock: c.clock.last}
}

// Open checks the configuration and returns a client. It sends nothing: if the
// account cannot be reached, the first call fails. The caller closes the client.
func Open(cfg Config) (*Client, error) {
	err := cfg.check()
	if cfg.ConnectionString != "" {
		cfg.ConnectionString, err = normal(cfg.ConnectionString)
	}
	if err != nil {
		return nil, fmt.Errorf("azure: %w", err)
	}
	c := &Client{transport: newTransport(), log: cmp.Or(cfg.Log, slog.Default())}
	if c.tables, err = cfg.tables(cfg.options(c)); err != nil {
		return nil, fmt.Errorf("azure: tables: %w", err)
	}
	if c.queues, err = cfg.queues(cfg.options(c)); err != nil {
		return nil, fmt.Errorf("azure: queues: %w", err)
	}
	return c, nil
}

// Close closes the idle connections. It does not disturb calls under way.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Do implements driver.Backend. New clients of a table or a queue share the connections.
func (c *Client) Do(ctx context.Context, call *driver.Call) error {
	ctx = context.WithValue(ctx, requestKey{}, &request{method: call.Method, operations: len(call.Operations)})
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
	switch call.Method {
	case driver.CallCreateTable:
		return accepted(err, "TableAlreadyExists")
	case driver.CallCreateQueue:
		return accepted(err, "QueueAlreadyExists")
	}
	return err
}

func (cfg Config) check() error {
	if cfg.Credential == nil {
		return errors.New("neither a connection string nor a credential is given")
	}
	for _, endpoint := range []string{cfg.TableEndpoint, cfg.QueueEndpoint} {
		u, err := url.Parse(endpoint)
		if err != nil || u.Scheme != "https" || u.Host == "" {
			return fmt.Errorf("the endpoint %q is not an https URL", endpoint)
		}
	}
	if ofCosmos(cfg.TableEndpoint) {
		return errCosmos
	}
	return nil
}

// errCosmos says that the tables are those of Cosmos DB. Its pages are not sorted by row key, and it answers a
// condition that fails otherwise than Table Storage does (answers_test.go).
var errCosmos = errors.New("the tables are those of Azure Cosmos DB, which does not sort rows by their keys; give a storage account")

// ofCosmos knows Cosmos DB by the names of its hosts, as the SDK does.
func ofCosmos(tableEndpoint string) bool {
	return strings.Contains(strings.ToLower(tableEndpoint), ".table.cosmos")
}

func (cfg Config) tables(o azcore.ClientOptions) (*aztables.ServiceClient, error) {
	options := &aztables.ClientOptions{ClientOptions: o}
	if cfg.ConnectionString != "" {
		return aztables.NewServiceClientFromConnectionString(cfg.ConnectionString, options)
	}
	return aztables.NewServiceClient(cfg.TableEndpoint, credential{cfg.Credential}, options)
}

func (cfg Config) queues(o azcore.ClientOptions) (*azqueue.ServiceClient, error) {
	options := &azqueue.ClientOptions{ClientOptions: o}
	if cfg.ConnectionString != "" {
		return azqueue.NewServiceClientFromConnectionString(cfg.ConnectionString, options)
	}
	return azqueue.NewServiceClient(cfg.QueueEndpoint, credential{cfg.Credential}, options)
}

// normal returns a connection string as the SDK reads it. Quotes around it, spaces, line ends and the
// case of names do not matter. What would make the SDK ask another host than the one that is meant is
// refused. No value is in an error.
func normal(connectionString string) (string, error) {
	given := map[string]string{}
	for part := range strings.SplitSeq(strings.Trim(connectionString, "\"'; \t\r\n"), ";") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok && name != "" {
			return "", errors.New("a part of the connection string is not NAME=VALUE")
		}
		given[strings.ToLower(strings.TrimSpace(name))] = strings.TrimSpace(value)
	}
	delete(given, "") // of empty parts
	switch {
	case strings.EqualFold(given["usedevelopmentstorage"], "true") && len(given) == 1:
		return developmentStorage, nil
	case given["sharedaccesssignature"] != "":
		return "", errors.New("a connection string with SharedAccessSignature is not supported; give one with AccountKey, or the two endpoints and a credential")
	case given["accountname"] == "" || given["accountkey"] == "":
		return "", errors.New("the connection string has no AccountName or no AccountKey")
	case ofCosmos(given["tableendpoint"]), ofCosmos(".table." + given["endpointsuffix"]):
		return "", errCosmos
	case (given["tableendpoint"] == "") != (given["queueendpoint"] == ""):
		return "", errors.New("the connection string has one of TableEndpoint and QueueEndpoint; give both or none")
	}
	var normal []string
	for _, name := range []string{"DefaultEndpointsProtocol", "AccountName", "AccountKey", "EndpointSuffix", "TableEndpoint", "QueueEndpoint"} {
		if value := given[strings.ToLower(name)]; value != "" {
			normal = append(normal, name+"="+value)
		}
	}
	return strings.Join(normal, ";"), nil
}

// errNoToken is in the chain of an error of a credential.
var errNoToken = errors.New("no token")

// A credential marks its errors, but for those of a context that has ended.
type credential struct{ azcore.TokenCredential }

func (c credential) GetToken(ctx context.Context, o policy.TokenRequestOptions) (azcore.AccessToken, error) {
	token, err := c.TokenCredential.GetToken(ctx, o)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: %w", errNoToken, err)
	}
	return token, err
}

// options makes new options for each client, because azqueue appends to the policies
// that it is given.
func (cfg Config) options(c *Client) azcore.ClientOptions {
	retry := DefaultRetry()
	return azcore.ClientOptions{
		Retry:            *cmp.Or(cfg.Retry, &retry),
		PerRetryPolicies: append([]policy.Policy{tryPolicy{&c.clock, cfg.Tried}}, cfg.PerRetry...),
		Transport:        &http.Client{Transport: c.transport},
	}
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
