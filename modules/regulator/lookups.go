package regulator

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/dispatchd/dispatchd/modules/regulator/internal/registry"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/fmcsa"
	"github.com/dispatchd/dispatchd/platform/ratelimit"
	"github.com/dispatchd/dispatchd/platform/web"
)

// publicQuota is how often an address may look up a carrier without a token in a minute.
const publicQuota = 10

var (
	errPublicOff = errs.New(errs.NotFound, "carriers.public_lookup_off", "There is no public lookup here.")
	errTooOften  = errs.New(errs.TooMany, "carriers.too_many_lookups", "Too many lookups.")
)

// lookups serves the regulator's data.
type lookups struct {
	settings settings
	registry *registry.Registry
	limiter  *ratelimit.Limiter
}

func newLookups(s settings, all *registry.Registry, clk clock.Clock) *lookups {
	return &lookups{
		settings: s, registry: all,
		limiter: ratelimit.New(ratelimit.Policy{Name: "public_lookup", Quota: publicQuota, Window: time.Minute}, clk),
	}
}

func lookupRoutes(r *web.Router, l *lookups) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/lookup", ID: "lookup_carriers", Access: web.Read,
		Summary:     "Find carriers of the regulator while somebody types",
		Description: "Finds names from the beginning of any of their first words, USDOT numbers and dockets. Two characters are the least.",
		Errors:      []*errs.Error{database.ErrUnavailable},
	}, l.lookup)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/regulator/{number}", ID: "read_regulator", Access: web.Read,
		Summary: "Read all that the regulator says about a carrier",
		Description: "The number is a USDOT number, or a docket such as MC-123456. The answer never waits for the regulator: each group of facts says " +
			"which source it is from and of when, and an old one is refreshed in the background.",
		Errors: []*errs.Error{regulatorapi.ErrInvalidNumber, regulatorapi.ErrNotInRegistry},
	}, l.read)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/regulator/{number}/snapshots", ID: "list_regulator_snapshots", Access: web.Read,
		Summary:     "List what the regulator said about a carrier before",
		Description: "The newest first. There is a new snapshot only when a fact changed; `changes` has those since the one before.",
		Errors:      []*errs.Error{regulatorapi.ErrInvalidNumber, regulatorapi.ErrNotInRegistry},
	}, l.snapshots)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/public/lookup", ID: "lookup_public", Access: web.Public,
		Summary:     "Look up a carrier without a token",
		Description: "Off unless `modules.carriers.public_lookup` is on.",
		Errors:      []*errs.Error{errPublicOff, errTooOften, regulatorapi.ErrInvalidNumber, regulatorapi.ErrNotInRegistry},
	}, l.public)
}

type lookupInput struct {
	Q     string `query:"q" required:"true" maxLength:"100" doc:"The beginning of a word of the name, of a USDOT number or of a docket." example:"sample au"`
	State string `query:"state" maxLength:"2" doc:"State or province of the carrier." example:"TX"`
	Limit int    `query:"limit" minimum:"1" maximum:"50" default:"20"`
}

type lookupOutput struct {
	Body struct {
		Data []registry.Match `json:"data" nullable:"false"`
	}
}

func (l *lookups) lookup(ctx context.Context, in *lookupInput) (*lookupOutput, error) {
	matches, err := l.registry.Lookup(ctx, in.Q, in.State, in.Limit)
	if err != nil {
		return nil, err
	}
	out := &lookupOutput{}
	out.Body.Data = matches

	return out, nil
}

type readInput struct {
	Number string `path:"number" maxLength:"64" doc:"A USDOT number, or a docket." example:"9900001"`
}

type readOutput struct{ Body registry.Record }

func (l *lookups) read(ctx context.Context, in *readInput) (*readOutput, error) {
	facts, err := l.find(ctx, in.Number)
	if err != nil {
		return nil, err
	}
	record, err := l.registry.Record(ctx, facts)

	return &readOutput{record}, err
}

// find returns the facts of a number in any form. Digits alone are a USDOT number here.
func (l *lookups) find(ctx context.Context, text string) (regulatorapi.Facts, error) {
	number, err := fmcsa.ParseNumber(text)
	if errors.Is(err, fmcsa.ErrAmbiguous) {
		number.USDOT, err = fmcsa.ParseUSDOT(text)
	}
	if err != nil {
		return regulatorapi.Facts{}, refusal("number", err)
	}
	if number.Kind == fmcsa.KindDocket {
		return l.registry.FindDocket(ctx, number.Docket.String())
	}

	return l.registry.Find(ctx, number.USDOT.Number)
}

// refusal returns what is said to a text that is not a number.
func refusal(field string, err error) error {
	return fmcsa.Refusal(err, field, regulatorapi.ErrInvalidNumber)
}

type snapshotsInput struct {
	Number string `path:"number" maxLength:"64" doc:"A USDOT number, or a docket." example:"9900001"`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"20"`
}

type snapshotsOutput struct {
	Body struct {
		Data []registry.Snapshot `json:"data" nullable:"false"`
	}
}

func (l *lookups) snapshots(ctx context.Context, in *snapshotsInput) (*snapshotsOutput, error) {
	facts, err := l.find(ctx, in.Number)
	if err != nil {
		return nil, err
	}
	out := &snapshotsOutput{}
	out.Body.Data, err = l.registry.Snapshots(ctx, facts.USDOT, in.Limit)

	return out, err
}

type publicInput struct {
	USDOT string `query:"usdot" required:"true" maxLength:"64" example:"9900001"`
}

type publicOutput struct{ Body publicCarrier }

// publicCarrier is a carrier as the public lookup shows it.
type publicCarrier struct {
	USDOT           string `json:"usdot"`
	Name            string `json:"name"`
	City            string `json:"city"`
	State           string `json:"state"`
	AuthorityActive *bool  `json:"authority_active" doc:"Null if it is unknown."`
}

func (l *lookups) public(ctx context.Context, in *publicInput) (*publicOutput, error) {
	if !l.settings.PublicLookup {
		return nil, errPublicOff
	}
	if taken := l.limiter.Take(ctx, web.ClientNetwork(ctx)); !taken.Allowed {
		return nil, errTooOften.WithRetryAfter(taken.RetryAfter)
	}
	usdot, err := fmcsa.ParseUSDOT(in.USDOT)
	if err != nil {
		return nil, refusal("usdot", err)
	}
	facts, err := l.registry.Peek(ctx, usdot.Number)
	if err != nil {
		return nil, err
	}
	active := facts.Authority.Property
	if facts.Authority.Broker != nil && *facts.Authority.Broker {
		active = facts.Authority.Broker
	}

	return &publicOutput{Body: publicCarrier{
		USDOT: usdot.String(), Name: facts.Identity.LegalName, City: facts.Identity.Physical.City, State: facts.Identity.Physical.State, AuthorityActive: active,
	}}, nil
}
