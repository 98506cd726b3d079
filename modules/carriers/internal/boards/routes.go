package boards

import (
	"context"
	"net/http"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/number"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/registry"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Routes registers the operation on load boards.
func Routes(r *web.Router, l *Lookups) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/board_lookup", ID: "lookup_board", Access: web.Write,
		Summary: "Read what load boards know of a carrier",
		Description: "Answers at once with the last answers of the boards at which the company has an account: profile, ratings and documents on file. A board " +
			"whose answer is old is asked in the background (`refreshing`).",
		Errors: []*errs.Error{regulatorapi.ErrInvalidNumber, number.ErrOne, regulatorapi.ErrNotInRegistry},
	}, l.lookUp)
}

// Lookups find the number that boards are asked about.
type Lookups struct {
	boards   *Boards
	registry *registry.Registry
}

// NewLookups returns the lookups.
func NewLookups(b *Boards, registry *registry.Registry) *Lookups {
	return &Lookups{boards: b, registry: registry}
}

type boardLookupInput struct {
	Body struct {
		USDOT string `json:"usdot,omitempty" maxLength:"64" example:"9900001"`
		MC    string `json:"mc,omitempty" maxLength:"64" doc:"A docket." example:"MC-990001"`
	}
}

type boardLookupOutput struct {
	Body struct {
		USDOT string          `json:"usdot"`
		Data  []boardAnswered `json:"data" nullable:"false" doc:"Each board at which the company has an account."`
	}
}

func (l *Lookups) lookUp(ctx context.Context, in *boardLookupInput) (*boardLookupOutput, error) {
	asked, err := l.number(ctx, in.Body.USDOT, in.Body.MC)
	if err != nil {
		return nil, err
	}
	out := &boardLookupOutput{}
	out.Body.USDOT = usdotText(asked)
	out.Body.Data, err = l.boards.lookUp(ctx, asked)

	return out, err
}

func (l *Lookups) number(ctx context.Context, usdot, mc string) (int64, error) {
	switch {
	case (usdot == "") == (mc == ""):
		return 0, number.OnFields("Exactly one of usdot and mc is required.", "usdot", "mc")
	case usdot != "":
		asked, err := number.USDOT("usdot", usdot)

		return asked.Number, err
	}
	docket, err := number.Docket("mc", mc)
	if err != nil {
		return 0, err
	}
	facts, err := l.registry.FindDocket(ctx, docket.String())
	if err == nil && facts.USDOT == 0 { // the sets that have dockets were not imported
		err = number.ErrOne.WithField("mc", "The mc cannot be looked up, since the regulator's data were not imported. Send the usdot.")
	}

	return facts.USDOT, err
}
