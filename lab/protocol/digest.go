package protocol

import (
	"context"
	"slices"

	"microblogging/lab"
	"microblogging/storage/schema"
)

// The address of a user's digest. A client that knows the address may read the digest.

const (
	// factAddressRevoked: the user has no address of a personal feed.
	factAddressRevoked lab.Kind = "address revoked"
	// factAddressing: the actor makes an address of a personal feed.
	factAddressing lab.Kind = "(making an address)"
)

func newAddress(ctx context.Context, c *lab.Client) {
	c.Tell(lab.Fact{Kind: factAddressing, User: visitor})
	_, _ = c.Store.Accounts.NewDigestAddress(ctx, visitor) // what counts is that it does not come back
}

func revokeAddress(ctx context.Context, c *lab.Client) {
	if err := c.Store.Accounts.RevokeDigestAddress(ctx, visitor); err == nil {
		c.Tell(lab.Fact{Kind: factAddressRevoked, User: visitor})
	}
}

func addressIsGone(v lab.View, k lab.Known, violation violating) {
	row, err := v.DB.Get(schema.TableUsers, string(k.User), "")
	later := slices.ContainsFunc(v.Told[k.Actor][k.At:], func(f lab.Fact) bool { return f.Kind == factAddressing })
	violation.when(err == nil && row.Properties.String("DigestSecret") != "" && !later, "I10", "an address of a personal feed works whose end was acknowledged")
}

// digests can be read by every client that knows their address, until it is revoked.
func digests() subject {
	return subject{
		scenarios: []lab.Scenario{
			{Name: "digest-address", About: "the address of a personal feed is made and revoked twice, and delayed duplicates of the requests arrive",
				Faults: 2, DelayedCalls: anything, Setup: account,
				Actors: []lab.Actor{
					{Name: "vera", Run: lab.InTurn(newAddress, revokeAddress, newAddress, revokeAddress)}, {Name: "vera2", Run: endSessions},
				}},
		},
		ablations: []ablation{
			ablate("address", "digest-address", "The version of the account", "(Pause).Change: driver.Match(now.ETag)",
				"The address of a personal feed is changed in the version of the account that was read, so a late request does not bring back an old address.",
				always(withoutMatch(schema.TableUsers, ""))),
		},
		told: map[lab.Kind]invariant{factAddressRevoked: addressIsGone},
	}
}
