package charging

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/books"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Cards answer the operations on the cards that pay for subscriptions.
type Cards struct {
	tables    *store.Tables
	wallet    *Wallet
	house     *books.House
	cards     cardsapi.Cards
	companies *identity.Service
}

// NewCards returns Cards.
func NewCards(t *store.Tables, w *Wallet, h *books.House, cards cardsapi.Cards, companies *identity.Service) *Cards {
	return &Cards{tables: t, wallet: w, house: h, cards: cards, companies: companies}
}

// CardRoutes are the operations on the cards of a company.
func CardRoutes(r *web.Router, s *Cards) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/cards", ID: "list_cards", Access: web.Read, Summary: "List the cards that pay for the subscription",
		Errors: []*errs.Error{store.ErrNoSeller},
	}, s.getCards)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/cards", ID: "save_card", Access: web.Write, Summary: "Save a card to pay for the subscription",
		Description: "The token is what the card fields of the operator's vendor return; never send a card number. The vendor keeps the card: its state says whether it did.",
		Errors:      []*errs.Error{store.ErrNoSeller, store.ErrNoSellerCard},
	}, s.postCard)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/cards/{uuid}", ID: "remove_card", Access: web.Write, Summary: "Remove a card",
		Errors: []*errs.Error{store.ErrNoSeller, store.ErrCardNotFound, store.ErrCardInUse},
	}, s.deleteCard)
}

// CardBody is a card as answers show it.
type CardBody struct {
	UUID      string     `json:"uuid"`
	State     string     `json:"state" enum:"saving,active,failed,unknown,removed"`
	Brand     string     `json:"brand"`
	Last4     string     `json:"last4"`
	ExpiresOn field.Date `json:"expires_on" doc:"The last day on which it is valid."`
	Reason    string     `json:"reason" doc:"Why it was not saved."`
}

// SchemaName implements web.SchemaNamer.
func (CardBody) SchemaName() string { return "BillingCard" }

func showCard(c cardsapi.Card) CardBody {
	return CardBody{UUID: c.UUID, State: string(c.State), Brand: c.Brand, Last4: c.Last4, ExpiresOn: field.Date(c.ExpiresOn), Reason: string(c.Reason)}
}

type cardsOutput struct {
	Body struct {
		Data []CardBody `json:"data" nullable:"false"`
	}
}

func (s *Cards) getCards(ctx context.Context, _ *struct{}) (*cardsOutput, error) {
	all, err := s.wallet.Shown(ctx)
	if err != nil {
		return nil, err
	}
	out := &cardsOutput{}
	out.Body.Data = all

	return out, nil
}

type saveCardInput struct {
	Body struct {
		Token        string      `json:"token" minLength:"1" maxLength:"500" doc:"What the vendor's card fields return. It is no card number." writeOnly:"true"`
		Verification string      `json:"verification,omitempty" maxLength:"500" doc:"The vendor's proof that the cardholder was asked (3-D Secure)." writeOnly:"true"`
		PostalCode   string      `json:"postal_code,omitempty" maxLength:"20"`
		Email        field.Email `json:"email,omitempty" doc:"For the vendor's record of the customer. The service orders no e-mail by it; the vendor sends receipts if its account says so."`
	}
}

type cardOutput struct{ Body CardBody }

func (s *Cards) postCard(ctx context.Context, in *saveCardInput) (*cardOutput, error) {
	seller, err := s.house.Seller(ctx)
	if err != nil {
		return nil, err
	}
	of := owner(ctx)
	company, err := s.companies.Company(ctx, uuid.MustParse(of.UUID))
	if err != nil {
		return nil, err
	}
	out := &cardOutput{}
	err = s.tables.DB.InTx(ctx, func(ctx context.Context) error {
		card, err := s.cards.Save(seller.AsHouse(ctx), cardsapi.SaveCard{
			Reference: cardPrefix + database.NewID().String(), Owner: of, Name: store.CustomerOf(company).Name, Email: string(in.Body.Email),
			Token: cardsapi.Token{ID: in.Body.Token, Verification: in.Body.Verification}, PostalCode: in.Body.PostalCode,
		})
		out.Body = showCard(card)

		return sellersFailure(err)
	})
	if err != nil {
		return nil, err
	}

	return out, nil
}

// sellersFailure is a failure of the area cards as the customer is told it: the account is the seller's.
func sellersFailure(err error) error {
	if refused, is := errors.AsType[*errs.Error](err); is && (refused.Code == "cards.no_account" || refused.Code == cardsapi.ErrDisabled.Code) {
		return store.ErrNoSellerCard.WithCause(err)
	}

	return err
}

type cardInput struct {
	UUID string `path:"uuid" maxLength:"36"`
}

func (s *Cards) deleteCard(ctx context.Context, in *cardInput) (*struct{}, error) {
	all, err := s.wallet.Cards(ctx)
	if err != nil {
		return nil, err
	}
	known := false
	for _, c := range all {
		known = known || c.UUID == in.UUID
	}
	if !known {
		return nil, store.ErrCardNotFound
	}
	seller, err := s.house.Seller(ctx)
	if err != nil {
		return nil, err
	}

	return nil, s.tables.DB.InTx(ctx, func(ctx context.Context) error {
		used, err := s.tables.Subscriptions.Count(ctx, "ended_at IS NULL AND card = ?", in.UUID)
		if err != nil || used > 0 {
			return cmp.Or[error](err, store.ErrCardInUse)
		}

		return s.cards.Remove(seller.AsHouse(ctx), in.UUID)
	})
}
