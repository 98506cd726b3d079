package numbers

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/sms/internal/company"
	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Purchases finds numbers that can be bought, and buys them.
type Purchases struct {
	store       *store.Repository
	vendors     *vendors.Service
	company     *company.Profile
	provisioner *Provisioner
	timeout     time.Duration
}

// NewPurchases returns Purchases.
func NewPurchases(r *store.Repository, v *vendors.Service, c *company.Profile, p *Provisioner, s *settings.Settings) *Purchases {
	return &Purchases{store: r, vendors: v, company: c, provisioner: p, timeout: s.SendTimeout}
}

// search asks the provider for numbers that can be bought.
func (s *Purchases) search(ctx context.Context, account uuid.UUID, q provider.NumberQuery) ([]provider.Available, error) {
	if q.Country == "" {
		p, err := s.store.Preferences(ctx)
		if err != nil {
			return nil, err
		}
		q.Country = p.Region
	}
	row, err := s.vendors.Accounts.Ready(ctx, account)
	if err != nil {
		return nil, err
	}
	open, err := s.vendors.Open(ctx, row)
	if err != nil {
		return nil, err
	}
	calling, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	found, err := open.Search(calling, q)
	if err != nil {
		return nil, vendors.CallerError(err)
	}
	found = slices.DeleteFunc(found, func(a provider.Available) bool {
		return q.SMS && !a.Features.SMS || q.MMS && !a.Features.MMS
	})

	return found[:min(len(found), q.Limit)], nil
}

// Buy stores a number that is being bought. A job buys it, unless nothing outside has to be asked.
func (s *Purchases) Buy(ctx context.Context, account uuid.UUID, text, label string) (store.Number, error) {
	e164, err := s.company.ParseNumber(ctx, text, "number")
	if err != nil {
		return store.Number{}, err
	}
	row := s.provisioner.pending(e164, label)
	err = s.store.DB.InTx(ctx, func(ctx context.Context) error {
		from, err := s.vendors.Accounts.Ready(ctx, account)
		if err != nil {
			return err
		}
		row.AccountID = from.ID
		if err := database.DuplicateAs(s.store.Insert(ctx, &row), store.ErrNumberTaken); err != nil {
			return err
		}

		if at, err := s.provisioner.buy(ctx, from, row.ID); err != nil || at != atOnce {
			return err
		}
		row, err = s.store.Number(ctx, row.ID)

		return err
	})

	return row, err
}

// PurchaseRoutes are the operations by which numbers are found and bought.
func PurchaseRoutes(r *web.Router, s *Purchases) {
	manage := web.Scope(accounts.Scope)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/numbers/available", ID: "numbers_available", Access: web.Read, Timeout: 60 * time.Second,
		Summary: "Search numbers that can be bought", Description: "Numbers Available of the documented interface. Queries the provider.",
		Errors: []*errs.Error{store.ErrAccount, store.ErrNoAccount, store.ErrDisabled, store.ErrInvalid, store.ErrProvider, store.ErrRefused},
	}, s.getAvailable)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/numbers", ID: "buy_number", Access: manage, Summary: "Buy a number",
		Description: "The number is pending until the provider has sold it; then it is active, or failed, with the problem.",
		Errors:      []*errs.Error{store.ErrAccount, store.ErrNoAccount, store.ErrDisabled, store.ErrNumberTaken, phone.ErrNotANumber, phone.ErrShortCode},
	}, s.postOne)
}

type availableInput struct {
	AccountUUID uuid.UUID `query:"account_uuid" format:"uuid" doc:"The provider account to search; by default the default one."`
	Country     string    `query:"country" pattern:"^[A-Z]{2}$" patternDescription:"two capital letters, such as US" doc:"ISO 3166-1 alpha-2; by default the company's region."`
	AreaCode    string    `query:"area_code" pattern:"^[2-9][0-9]{2}$" patternDescription:"three digits, the first of which is 2 to 9"`
	Contains    string    `query:"contains" pattern:"^[0-9]{1,10}$" patternDescription:"1 to 10 digits" doc:"Consecutive digits that the number contains."`
	Kind        string    `query:"kind" enum:"local,toll_free,mobile"`
	SMS         bool      `query:"sms" doc:"Only numbers that can send text messages."`
	MMS         bool      `query:"mms" doc:"Only numbers that can send media."`
	Limit       int       `query:"limit" minimum:"1" maximum:"100" default:"20"`
}

type availableOutput struct {
	Body struct {
		Data []availableBody `json:"data" nullable:"false"`
	}
}

type availableBody struct {
	Number       string        `json:"number"`
	Kind         provider.Kind `json:"kind"`
	Locality     string        `json:"locality"`
	Region       string        `json:"region"`
	Capabilities capabilities  `json:"capabilities"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (availableBody) SchemaName() string { return "SmsAvailableNumber" }

func (s *Purchases) getAvailable(ctx context.Context, in *availableInput) (*availableOutput, error) {
	if in.Country != "" && !phone.IsRegion(in.Country) {
		return nil, store.ErrInvalid.WithField("country", "There is no such country.")
	}
	found, err := s.search(ctx, in.AccountUUID, provider.NumberQuery{
		Country: in.Country, AreaCode: in.AreaCode, Contains: in.Contains, Kind: provider.Kind(in.Kind), SMS: in.SMS, MMS: in.MMS, Limit: in.Limit,
	})
	if err != nil {
		return nil, err
	}
	out := &availableOutput{}
	out.Body.Data = make([]availableBody, 0, len(found))
	for _, a := range found {
		out.Body.Data = append(out.Body.Data, availableBody{
			Number: a.Number, Kind: a.Kind, Locality: a.Locality, Region: a.Region,
			Capabilities: capabilities{SMS: a.Features.SMS, MMS: a.Features.MMS, Voice: a.Features.Voice},
		})
	}

	return out, nil
}

type postNumberInput struct {
	Body struct {
		Number      string    `json:"number" maxLength:"40" doc:"The number, as returned by Numbers Available."`
		AccountUUID uuid.UUID `json:"account_uuid,omitzero" doc:"The provider account; by default the default one."`
		Label       string    `json:"label,omitempty" maxLength:"100"`
	}
}

func (s *Purchases) postOne(ctx context.Context, in *postNumberInput) (*web.Resource[NumberBody], error) {
	return numberResource(s.Buy(ctx, in.Body.AccountUUID, in.Body.Number, in.Body.Label))
}
