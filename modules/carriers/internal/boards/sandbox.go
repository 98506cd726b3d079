package boards

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/number"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/registry"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/clock"
)

// Sandbox is a load board that knows the invented carriers of the regulator's sandbox, and nobody else.
type Sandbox struct {
	registry *registry.Registry
	clock    clock.Clock
}

// NewSandbox returns the sandbox.
func NewSandbox(registry *registry.Registry, c clock.Clock) *Sandbox {
	return &Sandbox{registry: registry, clock: c}
}

// What the sandbox answers to numbers that end with these two digits, in place of a profile.
const (
	magicUnknown = 91 // the board does not know the carrier
	magicTooMany = 92
	magicRefused = 93
	magicSilent  = 94 // it does not answer in time
	magicNone    = 95 // nobody has rated the carrier, and no document is on file
	magicOf      = 100
)

var (
	errBoardTooMany = errors.New("too many requests: the board asks to wait")
	errBoardRefused = errors.New("the board refuses the account")
)

// Connected implements carriersapi.Board.
func (b *Sandbox) Connected(ctx context.Context) (bool, error) {
	used, err := b.registry.Used(ctx)

	return err == nil && used.Sandbox(), err
}

// LookUp implements carriersapi.Board.
func (b *Sandbox) LookUp(ctx context.Context, usdot string) (*carriersapi.BoardProfile, error) {
	asked, err := number.USDOT("", usdot)
	if err != nil {
		return nil, err
	}
	switch asked.Number % magicOf {
	case magicUnknown:
		return nil, nil //nolint:nilnil // as the port says
	case magicTooMany:
		return nil, errBoardTooMany
	case magicRefused:
		return nil, errBoardRefused
	case magicSilent:
		return nil, context.DeadlineExceeded
	}
	facts, err := b.registry.Find(ctx, asked.Number)
	switch {
	case errors.Is(err, regulatorapi.ErrNotInRegistry):
		return nil, nil //nolint:nilnil // as the port says
	case err != nil:
		return nil, err
	}
	i := facts.Identity
	profile := &carriersapi.BoardProfile{
		Name: i.LegalName, Phone: i.Phone, Email: i.Email, MemberSince: string(facts.Authority.EarliestGrant), Documents: []carriersapi.BoardDocument{},
	}
	if asked.Number%magicOf == magicNone {
		return profile, nil
	}
	n := int(asked.Number % magicOf)
	profile.Rating = &carriersapi.BoardRating{Positive: 10 + n, Neutral: n % 7, Negative: n % 5} //nolint:mnd // any
	expires := b.clock.Now().UTC().AddDate(0, n%12+1, 0).Format(time.DateOnly)                   //nolint:mnd // within a year
	profile.Documents = []carriersapi.BoardDocument{
		{Kind: "cargo_insurance", Name: fmt.Sprintf("Certificate SBX-%d", asked.Number), Expires: expires}, {Kind: "w9", Name: "W-9"},
	}

	return profile, nil
}

func usdotText(number int64) string { return strconv.FormatInt(number, 10) }
