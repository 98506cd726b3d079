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

// customers has the handlers of the operations on customers.
type customers struct{ opener *opener }

func newCustomers(o *opener) *customers { return &customers{o} }

func customerRoutes(r *web.Router, s *customers) {
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
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/customers", ID: "list_customers", Access: web.Read, Summary: "List customers at Square", Timeout: requestTimeout,
		Description: "As Square has them, the oldest first.", Errors: failures,
	}, s.getCustomers)
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/customers/{id}", ID: "update_customer", Access: web.Write, Summary: "Change a customer at Square", Timeout: requestTimeout,
		Description: "What the body leaves out stays; an empty text clears a field.", Errors: append(slices.Clone(failures), errInvalid),
	}, s.putCustomer)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/customers/{id}", ID: "delete_customer", Access: web.Write, Summary: "Delete a customer at Square", Timeout: requestTimeout,
		Description: "Square disables the cards of the customer, and tells us so by notification. Payments stay.", Errors: failures,
	}, s.deleteCustomer)
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

	return &customerOutput{Body: customerEnvelope{customerOf(c)}}, nil
}

func customerOf(c gateway.Customer) customer {
	return customer{
		ID: c.ID, GivenName: web.Optional(c.GivenName), FamilyName: web.Optional(c.FamilyName), CompanyName: web.Optional(c.CompanyName),
		Email: web.Optional(c.Email), Phone: web.Optional(c.Phone), ReferenceID: web.Optional(c.ReferenceID), Note: web.Optional(c.Note),
		CreatedAt: web.Optional(c.CreatedAt), UpdatedAt: web.Optional(c.UpdatedAt),
	}
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

func (s *customers) postCustomer(ctx context.Context, in *createCustomerInput) (*customerOutput, error) {
	b := in.Body
	if database.InTransaction(ctx) {
		return nil, errHeader // nobody is called in a transaction
	}
	if b.GivenName+b.FamilyName+b.CompanyName+b.Email+b.Phone == "" {
		return nil, errInvalid.WithField("given_name", "Square wants a name, an email_address or a phone_number.")
	}
	opened, err := s.opener.open(ctx, b.AccountUUID)
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

func (s *customers) getCustomer(ctx context.Context, in *customerInput) (*customerOutput, error) {
	opened, err := s.opener.open(ctx, in.Account)
	if err != nil {
		return nil, err
	}
	calling, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()

	return showCustomer(opened.Customer(calling, in.ID))
}

type customersInput struct {
	Account uuid.UUID `query:"account_uuid" format:"uuid" doc:"By default the only enabled account at Square."`
	Cursor  string    `query:"cursor" maxLength:"2000" doc:"The cursor of the page before; none for the first page."`
	Limit   int       `query:"limit" minimum:"1" maximum:"100" default:"50"`
}

type customersOutput struct {
	Body struct {
		Customers []customer `json:"customers" nullable:"false"`
		Cursor    *string    `json:"cursor" doc:"For the next page; null on the last one."`
	}
}

func (s *customers) getCustomers(ctx context.Context, in *customersInput) (*customersOutput, error) {
	opened, err := s.opener.open(ctx, in.Account)
	if err != nil {
		return nil, err
	}
	calling, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	rows, next, err := opened.Customers(calling, in.Cursor, in.Limit)
	if err != nil {
		return nil, callerError(err)
	}
	out := &customersOutput{}
	out.Body.Customers, out.Body.Cursor = make([]customer, len(rows)), web.Optional(next)
	for i, row := range rows {
		out.Body.Customers[i] = customerOf(row)
	}

	return out, nil
}

// updateCustomerRequest is what is changed of a customer.
type updateCustomerRequest struct {
	AccountUUID uuid.UUID `json:"account_uuid,omitzero" doc:"By default the only enabled account at Square."`
	GivenName   *string   `json:"given_name,omitempty" maxLength:"300"`
	FamilyName  *string   `json:"family_name,omitempty" maxLength:"300"`
	CompanyName *string   `json:"company_name,omitempty" maxLength:"500"`
	Email       *string   `json:"email_address,omitempty" maxLength:"254"`
	Phone       *string   `json:"phone_number,omitempty" maxLength:"20"`
	ReferenceID *string   `json:"reference_id,omitempty" maxLength:"100"`
	Note        *string   `json:"note,omitempty" maxLength:"500"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (updateCustomerRequest) SchemaName() string { return "UpdateCustomerRequest" }

type updateCustomerInput struct {
	ID   string `path:"id" minLength:"1" maxLength:"200" doc:"Square's id of the customer."`
	Body updateCustomerRequest
}

func (s *customers) putCustomer(ctx context.Context, in *updateCustomerInput) (*customerOutput, error) {
	b, fields := in.Body, map[string]*string{}
	for name, value := range map[string]*string{
		"given_name": b.GivenName, "family_name": b.FamilyName, "company_name": b.CompanyName, "email_address": b.Email, "phone_number": b.Phone,
		"reference_id": b.ReferenceID, "note": b.Note,
	} {
		if value == nil {
			continue
		}
		if fields[name] = value; *value == "" {
			fields[name] = nil
		}
	}
	opened, err := s.opener.open(ctx, b.AccountUUID)
	if err != nil {
		return nil, err
	}
	calling, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()

	return showCustomer(opened.UpdateCustomer(calling, in.ID, fields))
}

func (s *customers) deleteCustomer(ctx context.Context, in *customerInput) (*struct{}, error) {
	opened, err := s.opener.open(ctx, in.Account)
	if err != nil {
		return nil, err
	}
	calling, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()

	return nil, callerError(opened.DeleteCustomer(calling, in.ID))
}
