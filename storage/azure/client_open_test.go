package azure_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"microblogging/domain"
	"microblogging/storage/azure"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

// notSent records the URLs of requests and sends none.
func notSent(urls *[]string) fault {
	return func(req *policy.Request) (*http.Response, error) {
		u := req.Raw().URL
		*urls = append(*urls, u.Scheme+"://"+u.Host+u.Path)
		return nil, errors.New("not sent")
	}
}

// authorizes records the Authorization header of requests.
func authorizes(authorizations *[]string) fault {
	return func(req *policy.Request) (*http.Response, error) {
		reply, err := req.Next()
		*authorizations = append(*authorizations, req.Raw().URL.Path+" "+req.Raw().Header.Get("Authorization"))
		return reply, err
	}
}

func TestOpen(t *testing.T) {
	t.Run("takes development storage for Azurite on its usual ports", developmentStorage)
	t.Run("sends a credential to both endpoints", credentialForBoth)
	t.Run("reports a failing credential as a wrong configuration, with its whole reason in one line", failingCredential)
	t.Run("takes a context that ends while a token is fetched for no wrong configuration", endedCredential)
	t.Run("takes a connection string as people paste it", pastedStrings)
	t.Run("refuses a bad configuration without its secrets", badConfiguration)
	t.Run("refuses Cosmos DB by its name", cosmosIsRefused)
}

func developmentStorage(t *testing.T) {
	for _, short := range []string{"UseDevelopmentStorage=true", "UseDevelopmentStorage=true;", " usedevelopmentstorage=TRUE "} {
		var urls []string
		c := open(t, once(azure.Config{ConnectionString: short, PerRetry: []policy.Policy{notSent(&urls)}}))
		unanswered(t, c)
		if got := strings.Join(urls, " "); got != "http://127.0.0.1:10001/devstoreaccount1/name http://127.0.0.1:10002/devstoreaccount1/$batch" {
			t.Errorf("%q asks %s", short, got)
		}
	}
}

func credentialForBoth(t *testing.T) {
	var sent []string
	credential := &token{}
	c := open(t, once(azure.Config{
		TableEndpoint: "https://127.0.0.1:1/tables",
		QueueEndpoint: "https://127.0.0.1:1/queues/",
		Credential:    credential,
		PerRetry:      []policy.Policy{authorizes(&sent)},
	}))
	unanswered(t, c)
	if got := strings.Join(sent, ", "); got != "/queues/name Bearer secret, /tables/$batch Bearer secret" {
		t.Errorf("sent %s", got)
	}
	for _, scope := range credential.scopes {
		if scope != "https://storage.azure.com/.default" {
			t.Errorf("asks for a token of scope %s", scope)
		}
	}
}

type noToken struct{ err error }

func (k noToken) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{}, k.err
}

func failingCredential(t *testing.T) {
	cause := errors.New("no token to be had\nbecause of this\nand that")
	c := open(t, once(azure.Config{
		TableEndpoint: "https://127.0.0.1:1/tables", QueueEndpoint: "https://127.0.0.1:1/queues", Credential: noToken{cause},
	}))
	for _, call := range drivertest.EachCall("name") {
		err := c.Do(t.Context(), &call)
		want(t, err, domain.ErrConfiguration)
		want(t, err, cause)
		wantBrief(t, err)
		if !strings.Contains(err.Error(), "no token to be had because of this and that") {
			t.Errorf("a part of the reason is not in %q", err)
		}
	}
}

func endedCredential(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := open(t, azure.Config{
		TableEndpoint: "https://127.0.0.1:1/tables", QueueEndpoint: "https://127.0.0.1:1/queues", Credential: noToken{context.Canceled},
	})
	_, err := driver.NewQueue(c, "name").Length(ctx)
	want(t, err, context.Canceled)
	if errors.Is(err, domain.ErrConfiguration) {
		t.Error(err)
	}
}

func pastedStrings(t *testing.T) {
	const key, azurite = "c2VjcmV0", "http://127.0.0.1:1/a/name http://127.0.0.1:1/a/$batch"
	const cloud = "https://a.queue.core.windows.net/name https://a.table.core.windows.net/$batch"
	for pasted, asks := range map[string]string{
		unreachable:                                          azurite,
		unreachable + "\n":                                   azurite,
		"\t " + unreachable + " \r\n":                        azurite,
		`"` + unreachable + `"`:                              azurite,
		`'` + unreachable + `' ` + "\n":                      azurite,
		strings.ToLower(unreachable[:41]) + unreachable[41:]: azurite,
		strings.NewReplacer(";", " ; ", "Name=", "Name = ", "Key=", "Key = ", "Endpoint=", "Endpoint = ").Replace(unreachable): azurite,
		strings.ReplaceAll(unreachable, ";", ";;") + ";":                                                                       azurite,
		strings.NewReplacer("Account", "ACCOUNT", "Endpoint=", "endpoint=").Replace(unreachable):                               azurite,
		"AccountName=a;AccountKey=" + key:                                                                                      cloud,
		"accountkey=" + key + ";accountname=a":                                                                                 cloud,
		"AccountName=a;AccountKey=" + key + ";EndpointSuffix=core.chinacloudapi.cn;BlobEndpoint=https://b.example":             strings.ReplaceAll(cloud, "core.windows.net", "core.chinacloudapi.cn"),
		"DefaultEndpointsProtocol=https;AccountName=a;AccountKey=" + key + ";endpointsuffix = core.windows.net \r\n":           cloud,
	} {
		var urls []string
		c := open(t, once(azure.Config{ConnectionString: pasted, PerRetry: []policy.Policy{notSent(&urls)}}))
		unanswered(t, c)
		if got := strings.Join(urls, " "); got != asks {
			t.Errorf("%q asks %s, want %s", pasted, got, asks)
		}
	}
}

// unanswered calls both services once.
func unanswered(t *testing.T, c *azure.Client) {
	t.Helper()
	_, err := driver.NewQueue(c, "name").Length(t.Context())
	want(t, err, domain.ErrUnavailable)
	want(t, driver.NewTable(c, "name").Transact(t.Context(), "p", driver.Insert("r")), domain.ErrUnavailable)
}

type token struct{ scopes []string }

func (k *token) GetToken(_ context.Context, o policy.TokenRequestOptions) (azcore.AccessToken, error) {
	k.scopes = append(k.scopes, o.Scopes...)
	return azcore.AccessToken{Token: "secret", ExpiresOn: time.Now().Add(time.Hour)}, nil
}

// once turns retries off.
func once(cfg azure.Config) azure.Config {
	cfg.Retry = &policy.RetryOptions{MaxRetries: -1}
	return cfg
}

func badConfiguration(t *testing.T) {
	const key = "c2VjcmV0"
	tables, queues := "https://a.table.core.windows.net", "https://a.queue.core.windows.net"
	for name, cfg := range map[string]azure.Config{
		"nothing":                   {},
		"no pairs":                  {ConnectionString: "AccountName" + key},
		"no account":                {ConnectionString: "AccountKey=" + key},
		"no key":                    {ConnectionString: "AccountName=a;TableEndpoint=" + tables},
		"a key that is not base64":  {ConnectionString: "AccountName=a;AccountKey=%" + key},
		"a shared access signature": {ConnectionString: "SharedAccessSignature=" + key + ";TableEndpoint=" + tables + ";QueueEndpoint=" + queues},
		"a shared access signature of an account": {ConnectionString: "AccountName=a;sharedaccesssignature=" + key + ";TableEndpoint=" + tables + ";QueueEndpoint=" + queues},
		"a shared access signature besides a key": {ConnectionString: "AccountName=a;AccountKey=" + key + ";SharedAccessSignature=sv=1&sig=" + key},
		"one endpoint of two":                     {ConnectionString: "AccountName=a;AccountKey=" + key + ";TableEndpoint=" + tables},
		"development storage behind a proxy":      {ConnectionString: "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://b.example"},
		"nothing between quotes":                  {ConnectionString: ` "" `},
		"endpoints alone":                         {TableEndpoint: tables, QueueEndpoint: queues},
		"a credential alone":                      {Credential: &token{}},
		"no queue endpoint":                       {TableEndpoint: tables, Credential: &token{}},
		"no table endpoint":                       {QueueEndpoint: queues, Credential: &token{}},
		"tokens without HTTPS":                    {TableEndpoint: "http://127.0.0.1:10002/a", QueueEndpoint: queues, Credential: &token{}},
		"an endpoint that is no URL":              {TableEndpoint: tables, QueueEndpoint: "a.queue.core.windows.net", Credential: &token{}},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := azure.Open(cfg)
			if err == nil {
				c.Close()
				t.Fatal("accepted")
			}
			if strings.Contains(err.Error(), key) {
				t.Errorf("the key is in %q", err)
			}
			if strings.Contains(err.Error(), "SharedAccessSignature") != strings.HasPrefix(name, "a shared access signature") {
				t.Errorf("%q does not name what is wrong", err)
			}
			t.Log(err)
		})
	}
}

func cosmosIsRefused(t *testing.T) {
	const key = "AccountName=a;AccountKey=c2VjcmV0;"
	for _, cfg := range []azure.Config{
		{ConnectionString: "DefaultEndpointsProtocol=https;" + key + "TableEndpoint=https://a.table.cosmos.azure.com:443/;"},
		{ConnectionString: key + "TableEndpoint=https://a.Table.CosmosDB.azure.com;QueueEndpoint=https://a.queue.core.windows.net"},
		{ConnectionString: key + "EndpointSuffix=cosmos.azure.com"},
		{TableEndpoint: "https://a.table.cosmos.azure.com", QueueEndpoint: "https://a.queue.core.windows.net", Credential: &token{}},
	} {
		if c, err := azure.Open(cfg); err == nil || !strings.Contains(err.Error(), "Cosmos DB") {
			t.Errorf("%+v: %v", cfg, err)
			if err == nil {
				c.Close()
			}
		}
	}
	for _, cfg := range []azure.Config{
		{ConnectionString: "AccountName=cosmos;AccountKey=c2VjcmV0"},
		{TableEndpoint: "https://cosmos.table.core.windows.net", QueueEndpoint: "https://a.queue.core.windows.net", Credential: &token{}},
	} {
		open(t, cfg)
	}
}
