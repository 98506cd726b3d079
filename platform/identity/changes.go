package identity

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/broadcast"
)

// What every replica is told of, so that it reads the facts about tokens again.
const (
	// tokenChanged has the id of a token.
	tokenChanged broadcast.Topic[uuid.UUID] = "identity.token"
	// companyChanged has the id of a company, of which the company itself or a user has changed.
	companyChanged broadcast.Topic[uuid.UUID] = "identity.company"
)

// listen drops from the cache what has changed.
func (s *Service) listen() {
	err := broadcast.Listen(s.bus, tokenChanged, s.cache.forget, s.cache.forgetAll)
	if err == nil {
		err = broadcast.Listen(s.bus, companyChanged, func(uuid.UUID) { s.cache.forgetAll() }, s.cache.forgetAll)
	}
	if err != nil {
		panic(err) // somebody else uses these names for keys of another type
	}
}

// change makes a change in a transaction and tells every replica when it is committed.
func (s *Service) change(ctx context.Context, t broadcast.Topic[uuid.UUID], key uuid.UUID, do func(context.Context) error) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		if err := do(ctx); err != nil {
			return err
		}

		return broadcast.Publish(ctx, s.bus, t, key)
	})
}
