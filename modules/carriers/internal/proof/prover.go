package proof

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/platform/item"
)

// prover implements carriersapi.Identities.
type prover struct{ identities *Identities }

// NewProver returns the proofs of identities that other areas ask for.
func NewProver(i *Identities) carriersapi.Identities { return prover{i} }

// Confirmed implements carriersapi.Identities.
func (p prover) Confirmed(ctx context.Context, id string) (bool, error) {
	return p.identities.confirmed(ctx, item.ID(id))
}

// Channels implements carriersapi.Identities.
func (p prover) Channels(ctx context.Context, id string) ([]carriersapi.Channel, error) {
	return p.identities.Channels(ctx, item.ID(id))
}

// Issue implements carriersapi.Identities.
func (p prover) Issue(ctx context.Context, id, channel string) error {
	return p.identities.Issue(ctx, item.ID(id), channel)
}

// Redeem implements carriersapi.Identities.
func (p prover) Redeem(ctx context.Context, id, code string) error {
	return p.identities.Redeem(ctx, item.ID(id), code)
}
