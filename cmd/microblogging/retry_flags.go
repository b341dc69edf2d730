package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/alecthomas/kong"

	"microblogging/storage/azure"
)

// retryFlags say how a request to Azure is sent again. Every command that opens Azure has
// them.
type retryFlags struct {
	Retries  int           `group:"retries" default:"${retries}" help:"How often a request is sent again, 0 to 20."`
	RetryMin time.Duration `group:"retries" default:"${retryMin}" help:"The pause before it is sent again for the first time, 1ms to 1m, varied from 0.8 to 1.3 of it. The next pauses are 3, 7, 15 times as long, and so on."`
	RetryMax time.Duration `group:"retries" default:"${retryMax}" help:"The longest pause, --retry-min to 1m. If the service asks for a longer one with Retry-After, the request fails at once."`
}

const (
	mostRetries = 20
	// longestPause is the largest --retry-max. It also keeps the SDK's sums in range.
	longestPause = time.Minute
)

// options returns the retries for azure.Config, or what is wrong with the flags.
func (f retryFlags) options() (*policy.RetryOptions, error) {
	switch {
	case f.Retries < 0 || f.Retries > mostRetries:
		return nil, fmt.Errorf("--retries must be 0 to %d, not %d", mostRetries, f.Retries)
	case f.RetryMin < time.Millisecond || f.RetryMin > longestPause:
		return nil, fmt.Errorf("--retry-min must be 1ms to 1m, not %s", f.RetryMin)
	case f.RetryMax < f.RetryMin || f.RetryMax > longestPause:
		return nil, fmt.Errorf("--retry-max must be --retry-min (%s) to 1m, not %s", f.RetryMin, f.RetryMax)
	}
	o := azure.Retry(f.Retries, f.RetryMin, f.RetryMax)
	return &o, nil
}

// retryVars are the defaults of retryFlags, and what --help says above them.
func retryVars() kong.Option {
	return kong.Vars{
		"retries":  fmt.Sprint(azure.DefaultRetries),
		"retryMin": azure.DefaultRetryMin.String(),
		"retryMax": azure.DefaultRetryMax.String(),
	}
}

// retryGroup has the table of what is sent again.
func retryGroup() kong.Option {
	var table strings.Builder
	for _, rule := range azure.RetryRules() {
		again := "no"
		if rule.Again {
			again = "yes"
		}
		fmt.Fprintf(&table, "\t%-40s  %-5s  %s\n", rule.Answer, again, rule.Why)
	}
	return kong.ExplicitGroups([]kong.Group{{
		Key:         "retries",
		Title:       "Retries, with --storage azure:",
		Description: "What is sent again:\n\n" + table.String(),
	}})
}
