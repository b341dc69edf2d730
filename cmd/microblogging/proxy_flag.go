package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// A proxyFlag says whose X-Forwarded-For and X-Forwarded-Proto are believed. Without a
// value it is the peer of every connection. A value is a list of networks, or a boolean:
// an environment variable has no other way to set the flag without a value.
type proxyFlag struct {
	any      bool
	networks []netip.Prefix
}

// IsBool tells kong that the flag needs no value.
func (f *proxyFlag) IsBool() bool { return true }

// Decode is called by kong.
func (f *proxyFlag) Decode(ctx *kong.DecodeContext) error {
	*f = proxyFlag{any: true}
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	value := ctx.Scan.Pop().String()
	switch strings.ToLower(value) {
	case "true", "1", "yes":
		return nil
	case "false", "0", "no":
		*f = proxyFlag{}
		return nil
	}
	networks, err := parseNetworks(value)
	*f = proxyFlag{networks: networks}
	return err
}

// trusts tells whether a request comes from a proxy that is believed.
func (f proxyFlag) trusts(r *http.Request) bool {
	if f.any {
		return true
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && slices.ContainsFunc(f.networks, func(network netip.Prefix) bool {
		return network.Contains(peer.Addr().Unmap())
	})
}

func parseNetworks(list string) ([]netip.Prefix, error) {
	var networks []netip.Prefix
	var wrong []error
	for text := range strings.SplitSeq(list, ",") {
		network, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%q is no network such as 10.0.0.0/8 or fd00::/8", text))
		}
		networks = append(networks, network.Masked())
	}
	return networks, errors.Join(wrong...)
}
