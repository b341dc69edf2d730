package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

type healthCommand struct {
	URL     string        `arg:"" optional:"" default:"http://127.0.0.1:8080/readyz" help:"The address of the probe, with /healthz or /readyz; without a path, it is /readyz. Without it, ${default}."`
	Timeout time.Duration `default:"5s" within:"1ms 24h" help:"How long to wait for the answer."`
}

// Run asks a probe once. It fails if the answer is not 200.
func (c healthCommand) Run(ctx context.Context, console *console) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.Timeout, fmt.Errorf("%s: no answer within %s", c.URL, c.Timeout))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL, nil)
	if err != nil || request.URL.Host == "" {
		return cannotRunError{fmt.Errorf("%q must be an address that begins with http:// or https://", c.URL)}
	}
	if strings.Trim(request.URL.Path, "/") == "" {
		request.URL.Path = "/readyz"
	}
	// Not through a proxy: the environment's is for the store. A transport follows no redirect,
	// which is no answer of a probe.
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	defer response.Body.Close() // what matters of it was read
	if !strings.HasPrefix(response.Header.Get("Content-Type"), "text/plain") {
		return fmt.Errorf("%s answers %d and not as a probe does; give the address of /healthz or /readyz", request.URL, response.StatusCode)
	}
	answer, _ := io.ReadAll(io.LimitReader(response.Body, 200)) // the status says enough
	line, _, _ := strings.Cut(strings.TrimSpace(string(answer)), "\n")
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %d %q", request.URL, response.StatusCode, line)
	}
	_, err = fmt.Fprintln(console.stdout, line)
	return err
}
