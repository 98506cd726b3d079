package billing

import (
	"bytes"
	"context"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/money"
	paper "github.com/dispatchd/dispatchd/platform/paper/legacy"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

const mediaPDF = "application/pdf"

// invoiceHandlers answer the operations on invoices.
type invoiceHandlers struct {
	tables  *tables
	cashier *cashier
}

func newInvoiceHandlers(t *tables, c *cashier) *invoiceHandlers {
	return &invoiceHandlers{tables: t, cashier: c}
}

func invoiceRoutes(r *web.Router, s *invoiceHandlers) {
	missing := s.tables.Invoices.NotFound()
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/invoices/{uuid}/pdf", ID: "download_invoice", Access: web.Read, Summary: "Download an invoice as PDF",
		Errors: []*errs.Error{missing}, Produces: []string{mediaPDF},
	}, s.getPDF)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/invoices/{uuid}/pay", ID: "pay_invoice", Access: web.Write, Summary: "Charge an open invoice",
		Description: "Charges the card of the subscription, or another one. The result may come later: see /payments.",
		Errors:      s.tables.moveErrors(missing, errNothingToPay, errPaymentOpen, errNoCard, errCard),
	}, s.postPay)
}

type invoiceInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

func (s *invoiceHandlers) getPDF(ctx context.Context, in *invoiceInput) (*stream.Stream, error) {
	i, err := s.tables.Invoices.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	file, err := paper.Print(i.paper())
	if err != nil {
		return nil, err
	}

	return stream.NewDownload(mediaPDF, bytes.NewReader(file)).Attachment(i.Number + ".pdf").Sized(int64(len(file))), nil
}

// paper is what is printed of an invoice.
func (i *invoice) paper() paper.Document {
	seller, customer := i.Seller.V, i.Customer.V
	d := paper.Document{
		Title: "Invoice", Number: i.Number, Date: string(i.IssuedOn), Created: i.CreatedAt, Currency: string(i.Currency),
		From: paper.Party(seller), To: paper.Party(customer), Net: string(i.Net), Total: string(i.Total),
	}
	for _, l := range i.Lines.V {
		d.Lines = append(d.Lines, paper.Line{Text: l.Description, Period: string(l.From) + " to before " + string(l.Until), Amount: string(l.Amount)})
	}
	for _, t := range i.Taxes.V {
		d.Taxes = append(d.Taxes, paper.Line{Text: t.Name + " " + string(t.Percent) + " %", Amount: string(t.Amount)})
	}

	return d
}

type payInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Card string `json:"card_uuid,omitempty" maxLength:"36" doc:"Another card than that of the subscription."`
	}
}

func (s *invoiceHandlers) postPay(ctx context.Context, in *payInput) (*web.Resource[invoice], error) {
	row, err := s.cashier.payInvoice(ctx, in.UUID, in.Body.Card)

	return s.tables.Invoices.Answer(ctx, row, err)
}

// cardHandlers answer the operations on the cards that pay for subscriptions.
type cardHandlers struct {
	tables    *tables
	charges   *charges
	house     *house
	cards     cardsapi.Cards
	companies *identity.Service
}

func newCardHandlers(t *tables, c *charges, h *house, cards cardsapi.Cards, companies *identity.Service) *cardHandlers {
	return &cardHandlers{tables: t, charges: c, house: h, cards: cards, companies: companies}
}

// accountHandlers say what a company has subscribed to, and owes.
type accountHandlers struct {
	tables  *tables
	charges *charges
	plans   *plans
}

func newAccountHandlers(t *tables, c *charges, p *plans) *accountHandlers {
	return &accountHandlers{tables: t, charges: c, plans: p}
}

func accountRoutes(r *web.Router, s *accountHandlers) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/account", ID: "read_account", Access: web.Read, Summary: "Read what the company has subscribed to, and what it owes",
		Errors: []*errs.Error{errNoSeller},
	}, s.getAccount)
}

func cardRoutes(r *web.Router, s *cardHandlers) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/cards", ID: "list_cards", Access: web.Read, Summary: "List the cards that pay for the subscription",
		Errors: []*errs.Error{errNoSeller},
	}, s.getCards)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/cards", ID: "save_card", Access: web.Write, Summary: "Save a card to pay for the subscription",
		Description: "The token is what the card fields of the operator's vendor return; never send a card number. The vendor keeps the card: its state says whether it did.",
		Errors:      []*errs.Error{errNoSeller, errNoSellerCard},
	}, s.postCard)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/cards/{uuid}", ID: "remove_card", Access: web.Write, Summary: "Remove a card",
		Errors: []*errs.Error{errNoSeller, errCard, errCardInUse},
	}, s.deleteCard)
}

// cardBody is a card as answers show it.
type cardBody struct {
	UUID      string     `json:"uuid"`
	State     string     `json:"state" enum:"saving,active,failed,unknown,removed"`
	Brand     string     `json:"brand"`
	Last4     string     `json:"last4"`
	ExpiresOn field.Date `json:"expires_on" doc:"The last day on which it is valid."`
	Reason    string     `json:"reason" doc:"Why it was not saved."`
}

// SchemaName implements web.SchemaNamer.
func (cardBody) SchemaName() string { return "BillingCard" }

func showCard(c cardsapi.Card) cardBody {
	return cardBody{UUID: c.UUID, State: string(c.State), Brand: c.Brand, Last4: c.Last4, ExpiresOn: field.Date(c.ExpiresOn), Reason: string(c.Reason)}
}

// shownCards are the cards of the caller's company, as answers show them.
func (c *charges) shownCards(ctx context.Context) ([]cardBody, error) {
	all, err := c.cardsOf(ctx)
	shown := make([]cardBody, len(all))
	for i, one := range all {
		shown[i] = showCard(one)
	}

	return shown, err
}

type cardsOutput struct {
	Body struct {
		Data []cardBody `json:"data" nullable:"false"`
	}
}

func (s *cardHandlers) getCards(ctx context.Context, _ *struct{}) (*cardsOutput, error) {
	all, err := s.charges.shownCards(ctx)
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

type cardOutput struct{ Body cardBody }

func (s *cardHandlers) postCard(ctx context.Context, in *saveCardInput) (*cardOutput, error) {
	seller, err := s.house.seller(ctx)
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
		card, err := s.cards.Save(seller.house(ctx), cardsapi.SaveCard{
			Reference: cardPrefix + database.NewID().String(), Owner: of, Name: customerOf(company).Name, Email: string(in.Body.Email),
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
		return errNoSellerCard.WithCause(err)
	}

	return err
}

type cardInput struct {
	UUID string `path:"uuid" maxLength:"36"`
}

func (s *cardHandlers) deleteCard(ctx context.Context, in *cardInput) (*struct{}, error) {
	all, err := s.charges.cardsOf(ctx)
	if err != nil {
		return nil, err
	}
	known := false
	for _, c := range all {
		known = known || c.UUID == in.UUID
	}
	if !known {
		return nil, errCard
	}
	seller, err := s.house.seller(ctx)
	if err != nil {
		return nil, err
	}

	return nil, s.tables.DB.InTx(ctx, func(ctx context.Context) error {
		used, err := s.tables.Subscriptions.Count(ctx, "ended_at IS NULL AND card = ?", in.UUID)
		if err != nil || used > 0 {
			return orError(err, errCardInUse)
		}

		return s.cards.Remove(seller.house(ctx), in.UUID)
	})
}

// accountBody is what a company has subscribed to, and owes.
type accountBody struct {
	Subscription *subscription    `json:"subscription" doc:"Null without one."`
	Plan         *plan            `json:"plan" doc:"Null without a subscription."`
	Flags        map[string]bool  `json:"flags" nullable:"false" doc:"Features of the plan, by name."`
	Limits       map[string]int64 `json:"limits" nullable:"false" doc:"Limits of the plan, by name; what is absent is not limited."`
	Due          []money.Money    `json:"due" nullable:"false" doc:"What is left to pay of open invoices."`
	Cards        []cardBody       `json:"cards" nullable:"false"`
}

// SchemaName implements web.SchemaNamer.
func (accountBody) SchemaName() string { return "BillingAccount" }

type accountOutput struct{ Body accountBody }

func (s *accountHandlers) getAccount(ctx context.Context, _ *struct{}) (*accountOutput, error) {
	cards, err := s.charges.shownCards(ctx)
	if err != nil {
		return nil, err
	}
	out := &accountOutput{accountBody{Flags: map[string]bool{}, Limits: map[string]int64{}, Due: []money.Money{}, Cards: cards}}
	if out.Body.Due, err = s.due(ctx); err != nil {
		return nil, err
	}
	sub, err := s.tables.current(ctx)
	if errs.KindOf(err) == errs.NotFound {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	p, err := s.plans.find(ctx, sub.Plan)
	if err != nil {
		return nil, err
	}
	if full, _ := granted(sub.State); full && p.Features.V.Flags != nil {
		out.Body.Flags = p.Features.V.Flags
	}
	if p.Limits.V != nil {
		out.Body.Limits = p.Limits.V
	}
	out.Body.Subscription, out.Body.Plan = &sub, &p

	return out, s.tables.Subscriptions.Show(ctx, nil, &sub)
}

// due adds up what is left to pay, by currency.
func (s *accountHandlers) due(ctx context.Context) ([]money.Money, error) {
	open, err := s.tables.Invoices.Where(ctx, "state = ?", invoiceOpen)
	if err != nil {
		return nil, err
	}
	all := []money.Money{}
	for _, i := range open {
		added := false
		for n := range all {
			if all[n].Currency == i.Currency {
				added = true
				if all[n], err = all[n].Add(i.money(i.Balance)); err != nil {
					return nil, err
				}
			}
		}
		if !added {
			all = append(all, i.money(i.Balance))
		}
	}

	return all, nil
}
