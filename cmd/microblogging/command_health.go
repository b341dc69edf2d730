package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

type healthCommand struct {
	URL     string        `arg:"" optional:"" default:"http://127.0.0.1:8080/readyz" help:"The address of the probe: /healthz or /readyz where the role answers them."`
	Timeout time.Duration `default:"5s" help:"How long to wait for the answer."`
}

// Validate is called by kong.
func (c healthCommand) Validate() error {
	probe, err := url.Parse(c.URL)
	switch {
	case err != nil:
		return err
	case probe.Scheme != "http" && probe.Scheme != "https" || probe.Host == "":
		return fmt.Errorf("%s is not an address that begins with http:// or https://", c.URL)
	case c.Timeout <= 0:
		return fmt.Errorf("--timeout must be more than 0s, not %s", c.Timeout)
	}
	return nil
}

// Run asks a probe once. It fails if the answer is not 200.
func (c healthCommand) Run(ctx context.Context, console *console) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.Timeout, fmt.Errorf("no answer within %s", c.Timeout))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL, nil)
	if err != nil {
		return cannotRunError{err}
	}
	// Not through a proxy: the environment's is for the store. A redirect is no answer of
	// a probe.
	transport := &http.Transport{DisableKeepAlives: true}
	client := &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = fmt.Errorf("%s: %w", c.URL, cause)
		}
		return err
	}
	answer, err := bufio.NewReader(io.LimitReader(response.Body, 200)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		answer = err.Error()
	}
	answer = strings.TrimSpace(answer)
	if err := response.Body.Close(); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %d %q", c.URL, response.StatusCode, answer)
	}
	_, err = fmt.Fprintln(console.stdout, answer)
	return err
}
