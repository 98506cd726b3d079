package square

import (
	"context"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/square/internal/gateway"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/web"
)

func customerRoutes(r *web.Router, s *service) {
	failures := append(slices.Clone(which), errCustomer, errRefused, errDown)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/customers", ID: "create_customer", Access: web.Write, Summary: "Create a customer at Square", Timeout: requestTimeout,
		Description: "Square is called while the request waits. The same idempotency_key again returns the first customer. Saving a card creates a customer as well, if it names none.",
		Errors:      append(failures, errInvalid, errHeader),
	}, s.postCustomer)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/customers/{id}", ID: "read_customer", Access: web.Read, Summary: "Read a customer at Square", Timeout: requestTimeout,
		Errors: failures,
	}, s.getCustomer)
}

// customer is a customer at Square.
type customer struct {
	ID          string  `json:"id"`
	GivenName   *string `json:"given_name"`
	FamilyName  *string `json:"family_name"`
	CompanyName *string `json:"company_name"`
	Email       *string `json:"email_address"`
	Phone       *string `json:"phone_number"`
	ReferenceID *string `json:"reference_id"`
	Note        *string `json:"note"`
	CreatedAt   *string `json:"created_at" doc:"As Square says it (RFC 3339)."`
	UpdatedAt   *string `json:"updated_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (customer) SchemaName() string { return "SquareCustomer" }

// customerEnvelope is a customer as Square's API returns it.
type customerEnvelope struct {
	Customer customer `json:"customer"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (customerEnvelope) SchemaName() string { return "CustomerEnvelope" }

type customerOutput struct{ Body customerEnvelope }

func showCustomer(c gateway.Customer, err error) (*customerOutput, error) {
	if err != nil {
		return nil, callerError(err)
	}

	return &customerOutput{Body: customerEnvelope{Customer: customer{
		ID: c.ID, GivenName: web.Optional(c.GivenName), FamilyName: web.Optional(c.FamilyName), CompanyName: web.Optional(c.CompanyName),
		Email: web.Optional(c.Email), Phone: web.Optional(c.Phone), ReferenceID: web.Optional(c.ReferenceID), Note: web.Optional(c.Note),
		CreatedAt: web.Optional(c.CreatedAt), UpdatedAt: web.Optional(c.UpdatedAt),
	}}}, nil
}

// createCustomerRequest is a customer to create.
type createCustomerRequest struct {
	AccountUUID    uuid.UUID `json:"account_uuid,omitzero" doc:"By default the only enabled account at Square."`
	IdempotencyKey string    `json:"idempotency_key,omitempty" maxLength:"45" doc:"Square returns the first customer to a repeat with the same key; made up if it is left out."`
	GivenName      string    `json:"given_name,omitempty" maxLength:"300"`
	FamilyName     string    `json:"family_name,omitempty" maxLength:"300"`
	CompanyName    string    `json:"company_name,omitempty" maxLength:"500"`
	Email          string    `json:"email_address,omitempty" maxLength:"254"`
	Phone          string    `json:"phone_number,omitempty" maxLength:"20"`
	ReferenceID    string    `json:"reference_id,omitempty" maxLength:"100"`
	Note           string    `json:"note,omitempty" maxLength:"500"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (createCustomerRequest) SchemaName() string { return "CreateCustomerRequest" }

type createCustomerInput struct{ Body createCustomerRequest }

func (s *service) postCustomer(ctx context.Context, in *createCustomerInput) (*customerOutput, error) {
	b := in.Body
	if database.InTransaction(ctx) {
		return nil, errHeader // nobody is called in a transaction
	}
	if b.GivenName+b.FamilyName+b.CompanyName+b.Email+b.Phone == "" {
		return nil, errInvalid.WithField("given_name", "Square wants a name, an email_address or a phone_number.")
	}
	opened, err := s.open(ctx, b.AccountUUID)
	if err != nil {
		return nil, err
	}
	if b.IdempotencyKey == "" {
		b.IdempotencyKey = database.NewID().String()
	}
	calling, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()

	return showCustomer(opened.CreateCustomer(calling, b.IdempotencyKey, gateway.Customer{
		GivenName: b.GivenName, FamilyName: b.FamilyName, CompanyName: b.CompanyName, Email: b.Email, Phone: b.Phone, ReferenceID: b.ReferenceID, Note: b.Note,
	}))
}

type customerInput struct {
	Account uuid.UUID `query:"account_uuid" format:"uuid" doc:"By default the only enabled account at Square."`
	ID      string    `path:"id" minLength:"1" maxLength:"200" doc:"Square's id of the customer."`
}

func (s *service) getCustomer(ctx context.Context, in *customerInput) (*customerOutput, error) {
	opened, err := s.open(ctx, in.Account)
	if err != nil {
		return nil, err
	}
	calling, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()

	return showCustomer(opened.Customer(calling, in.ID))
}
