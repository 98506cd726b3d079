package square

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/square/internal/gateway"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// savedCards has the handlers of the operations on cards.
type savedCards struct {
	opener  *opener
	cards   cardsapi.Cards
	records cardsapi.CardRecords
}

func newSavedCards(o *opener, c cardsapi.Cards, r cardsapi.CardRecords) *savedCards {
	return &savedCards{o, c, r}
}

func cardRoutes(r *web.Router, s *savedCards) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/cards", ID: "create_card", Access: web.Write, Summary: "Save a card at Square",
		Description: "Square is called after the response: read the card until its state is active. The same idempotency_key again returns the first card.",
		Errors:      append(slices.Clone(which), cardsapi.ErrInvalid, cardsapi.ErrReference),
	}, s.postCard)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/cards", ID: "list_cards", Access: web.Read, Summary: "List cards at Square",
		Description: "The newest first, without those that were removed.", Errors: []*errs.Error{cardsapi.ErrCard},
	}, s.getCards)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/cards/{id}", ID: "read_card", Access: web.Read, Summary: "Read a card at Square",
		Errors: []*errs.Error{cardsapi.ErrCard},
	}, s.getCard)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/cards/{id}/disable", ID: "disable_card", Access: web.Write, Summary: "Disable a card at Square",
		Description: "The card cannot be charged from now on. Square is called after the response.", Errors: []*errs.Error{cardsapi.ErrCard, state.ErrNotAllowed},
	}, s.disableCard)
}

// card is a card as the API shows it.
type card struct {
	UUID           uuid.UUID `json:"uuid"`
	ID             *string   `json:"id" doc:"Square's id of the card; null until Square has saved it."`
	AccountUUID    uuid.UUID `json:"account_uuid"`
	State          string    `json:"state" enum:"saving,active,failed,unknown,removed"`
	Enabled        bool      `json:"enabled"`
	Brand          *string   `json:"card_brand"`
	Last4          *string   `json:"last_4"`
	ExpMonth       *int      `json:"exp_month"`
	ExpYear        *int      `json:"exp_year"`
	CustomerID     *string   `json:"customer_id"`
	CardholderName *string   `json:"cardholder_name"`
	Reference      string    `json:"reference" doc:"square: and the idempotency_key, or the name that another area gave the card."`
	Reason         *string   `json:"reason" doc:"Why it could not be saved; null if it was."`
	Code           *string   `json:"code" doc:"Square's own code."`
	Explanation    *string   `json:"explanation" doc:"What the reason means, and what to do."`
	CreatedAt      time.Time `json:"created_at"`
	UpdatedAt      time.Time `json:"updated_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (card) SchemaName() string { return "SquareCard" }

func showCard(c cardsapi.CardRecord) card {
	shown := card{
		UUID: parsed(c.UUID), ID: web.Optional(c.VendorID), AccountUUID: parsed(c.Account), State: string(c.State), Enabled: c.State == cardsapi.CardActive,
		Brand: web.Optional(c.Brand), Last4: web.Optional(c.Last4), CustomerID: web.Optional(c.Customer), CardholderName: web.Optional(c.Name),
		Reference: c.Reference, Reason: web.Optional(string(c.Reason)), Code: web.Optional(c.Code), Explanation: web.Optional(c.Explanation),
		CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
	}
	if at, err := time.Parse(time.DateOnly, c.ExpiresOn); err == nil {
		year, month, _ := at.Date()
		number := int(month)
		shown.ExpYear, shown.ExpMonth = &year, &number
	}

	return shown
}

// cardEnvelope is a card as Square's API returns it.
type cardEnvelope struct {
	Card card `json:"card"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (cardEnvelope) SchemaName() string { return "CardEnvelope" }

func (s *savedCards) answerCard(ctx context.Context, id string) (*web.Resource[cardEnvelope], error) {
	row, err := s.records.Card(ctx, gateway.Name, id)
	if err != nil {
		return nil, err
	}

	return web.NewResource(cardEnvelope{showCard(row)}, row.Version, base+"/cards/"+row.UUID), nil
}

// createCardRequest is a card to save.
type createCardRequest struct {
	AccountUUID       uuid.UUID      `json:"account_uuid,omitzero" doc:"By default the only enabled account at Square."`
	IdempotencyKey    string         `json:"idempotency_key,omitempty" maxLength:"180" doc:"Your name of the card, unique in the company; made up if it is left out."`
	SourceID          string         `json:"source_id" minLength:"1" maxLength:"500" doc:"The token that Square's card fields return. It is no card number." example:"cnon:card-nonce-ok"`
	VerificationToken string         `json:"verification_token,omitempty" maxLength:"500" doc:"What verifyBuyer of the card fields returns (3-D Secure)."`
	Owner             cardsapi.Owner `json:"owner,omitzero" doc:"The item that the card belongs to. Its cards have one customer at Square."`
	Card              struct {
		CustomerID     string `json:"customer_id,omitempty" maxLength:"200" doc:"The customer at Square; created if it is left out."`
		CardholderName string `json:"cardholder_name,omitempty" maxLength:"96"`
		BillingAddress struct {
			PostalCode string `json:"postal_code,omitempty" maxLength:"20" doc:"Required by Square in the United States, Canada and the United Kingdom."`
		} `json:"billing_address,omitzero"`
	} `json:"card,omitzero"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (createCardRequest) SchemaName() string { return "CreateCardRequest" }

type createCardInput struct{ Body createCardRequest }

func (s *savedCards) postCard(ctx context.Context, in *createCardInput) (*web.Resource[cardEnvelope], error) {
	b := in.Body
	chosen, err := s.opener.account(ctx, b.AccountUUID)
	if err != nil {
		return nil, err
	}
	saved, err := s.cards.Save(ctx, cardsapi.SaveCard{
		Reference: referenceOf(b.IdempotencyKey), Account: chosen.UUID, Owner: b.Owner, Customer: b.Card.CustomerID, Name: b.Card.CardholderName,
		Token: cardsapi.Token{ID: b.SourceID, Verification: b.VerificationToken}, PostalCode: b.Card.BillingAddress.PostalCode,
	})
	if err != nil {
		return nil, err
	}

	return s.answerCard(ctx, saved.UUID)
}

// pageInput is what lists take.
type pageInput struct {
	Cursor uuid.UUID `query:"cursor" format:"uuid" doc:"The cursor of the page before; none for the first page."`
	Limit  int       `query:"limit" minimum:"1" maximum:"100" default:"50"`
}

// after is the id that a page begins after, "" for the first page.
func (p pageInput) after() string {
	if p.Cursor == uuid.Nil {
		return ""
	}

	return p.Cursor.String()
}

// cut is a page of rows with one more that was read, and the id of its last one if there are more.
func cut[R any](rows []R, limit int, id func(R) string) (page []R, cursor *string) {
	if len(rows) <= limit {
		return rows, nil
	}
	last := id(rows[limit-1])

	return rows[:limit], &last
}

type cardsOutput struct {
	Body struct {
		Cards  []card  `json:"cards" nullable:"false"`
		Cursor *string `json:"cursor" doc:"For the next page; null on the last one."`
	}
}

func (s *savedCards) getCards(ctx context.Context, in *pageInput) (*cardsOutput, error) {
	rows, err := s.records.Cards(ctx, gateway.Name, in.after(), in.Limit+1)
	if err != nil {
		return nil, err
	}
	out := &cardsOutput{}
	rows, out.Body.Cursor = cut(rows, in.Limit, func(r cardsapi.CardRecord) string { return r.UUID })
	out.Body.Cards = make([]card, len(rows))
	for i, row := range rows {
		out.Body.Cards[i] = showCard(row)
	}

	return out, nil
}

type idInput struct {
	ID string `path:"id" minLength:"1" maxLength:"200" doc:"Our UUID, or Square's id."`
}

func (s *savedCards) getCard(ctx context.Context, in *idInput) (*web.Resource[cardEnvelope], error) {
	return s.answerCard(ctx, in.ID)
}

func (s *savedCards) disableCard(ctx context.Context, in *idInput) (*web.Resource[cardEnvelope], error) {
	row, err := s.records.Card(ctx, gateway.Name, in.ID)
	if err != nil {
		return nil, err
	}
	if err := s.cards.Remove(ctx, row.UUID); err != nil {
		return nil, err
	}

	return s.answerCard(ctx, row.UUID)
}
