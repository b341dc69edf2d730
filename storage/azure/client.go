package azure

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue/v2"

	"microblogging/storage/driver"
)

// developmentStorage is what "UseDevelopmentStorage=true" stands for: Azurite on
// its usual ports, with the account and the key that the whole world knows
// ("Use the Azurite emulator for local Azure Storage development"). The SDK does
// not understand the short form.
const developmentStorage = "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;" +
	"AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;" +
	"BlobEndpoint=http://127.0.0.1:10000/devstoreaccount1;" +
	"QueueEndpoint=http://127.0.0.1:10001/devstoreaccount1;" +
	"TableEndpoint=http://127.0.0.1:10002/devstoreaccount1;"

// Config says which storage account to use: either by a connection string, or by
// two endpoints and a credential.
type Config struct {
	// ConnectionString is the account's, from the portal, or
	// "UseDevelopmentStorage=true" for Azurite on its usual ports.
	ConnectionString string
	// TableEndpoint and QueueEndpoint are base URLs such as
	// https://ACCOUNT.table.core.windows.net; HTTPS, for Credential sends tokens.
	TableEndpoint, QueueEndpoint string
	Credential                   azcore.TokenCredential

	// Retry replaces DefaultRetry. A single call can have its own by
	// policy.WithRetryOptions.
	Retry *policy.RetryOptions
	// PerRetry sees every try of every request. Tests inject faults with it: an
	// error before Next is a request that was never sent, one after it is a reply
	// that was lost.
	PerRetry []policy.Policy
}

// DefaultRetry is short, because people wait: when nothing listens, a call fails
// after about two seconds, and after eight when packets are dropped. A service
// that takes requests and says nothing can hold a call for 22 s; who has less
// patience gives the context a deadline. The delays are about 150, 450 and
// 1050 ms, with jitter. Sent again are requests without an answer and those that
// were answered by 408, 429, 500, 502, 503 or 504, which is the SDK's own list.
func DefaultRetry() policy.RetryOptions {
	return policy.RetryOptions{
		MaxRetries:    3,
		RetryDelay:    150 * time.Millisecond,
		MaxRetryDelay: 2 * time.Second,
		TryTimeout:    5 * time.Second,
	}
}

// A Client is a storage account. It is safe for concurrent use.
type Client struct {
	tables    *aztables.ServiceClient
	queues    *azqueue.ServiceClient
	transport *http.Transport
}

var (
	_ driver.Tables = (*Client)(nil)
	_ driver.Queues = (*Client)(nil)
)

// Open checks the configuration and sends nothing: an account that cannot be
// reached shows with the first call. Close the client when it is done with.
func Open(cfg Config) (*Client, error) {
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("azure: %w", err)
	}
	c := &Client{transport: newTransport()}
	var err error
	if c.tables, err = cfg.tables(cfg.options(c.transport)); err != nil {
		return nil, fmt.Errorf("azure: tables: %w", err)
	}
	if c.queues, err = cfg.queues(cfg.options(c.transport)); err != nil {
		return nil, fmt.Errorf("azure: queues: %w", err)
	}
	return c, nil
}

// Close gives the idle connections back. Calls under way are not disturbed.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

func (cfg Config) check() error {
	byEndpoint := cfg.TableEndpoint != "" || cfg.QueueEndpoint != "" || cfg.Credential != nil
	switch {
	case cfg.ConnectionString != "" && byEndpoint:
		return errors.New("a connection string and endpoints exclude each other")
	case cfg.ConnectionString != "":
		return nil
	case !byEndpoint:
		return errors.New("neither a connection string nor endpoints are given")
	case cfg.Credential == nil:
		return errors.New("endpoints need a credential")
	}
	if err := checkEndpoint("table", cfg.TableEndpoint); err != nil {
		return err
	}
	return checkEndpoint("queue", cfg.QueueEndpoint)
}

func checkEndpoint(service, endpoint string) error {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("the %s endpoint %q is not an https URL", service, endpoint)
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

// options are made afresh for each client: azqueue appends to the policies that
// it is given.
func (cfg Config) options(transport *http.Transport) azcore.ClientOptions {
	retry := DefaultRetry()
	if cfg.Retry != nil {
		retry = *cfg.Retry
	}
	return azcore.ClientOptions{
		Retry:            retry,
		PerRetryPolicies: slices.Clone(cfg.PerRetry),
		Transport:        &http.Client{Transport: transport},
	}
}

func newTransport() *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		// A connection's first packet that is lost is sent again after 1 s.
		DialContext:         (&net.Dialer{Timeout: 1500 * time.Millisecond}).DialContext,
		TLSHandshakeTimeout: 3 * time.Second,
		ForceAttemptHTTP2:   true,
		IdleConnTimeout:     90 * time.Second,
		// The SDK keeps 10, so that 32 writers would spend their time connecting.
		MaxIdleConnsPerHost: 64,
	}
}
