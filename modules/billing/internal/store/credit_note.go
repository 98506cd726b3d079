package store

import (
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// CreditItem is the type of credit notes.
const CreditItem = "billing.credit_note"

// CreditNote is a row of billing_credit_notes: what the seller takes off an invoice.
type CreditNote struct {
	resource.Row

	Number       string                     `json:"number" field:"readonly,sort,search,title"`
	Invoice      uuid.UUID                  `json:"invoice_uuid" gorm:"column:invoice_id" field:"readonly"`
	IssuedOn     field.Date                 `json:"issued_on" field:"readonly,sort"`
	Reason       string                     `json:"reason" field:"readonly"`
	Taxes        resource.JSON[[]terms.Tax] `json:"taxes" field:"readonly"`
	Net          money.Amount               `json:"net" field:"readonly"`
	Tax          money.Amount               `json:"tax" field:"readonly"`
	Total        money.Amount               `json:"total" field:"readonly,sort"`
	Currency     money.Currency             `json:"currency" field:"readonly"`
	Refund       money.Amount               `json:"refund" field:"readonly" doc:"What of it was paid, and is given back."`
	RefundState  string                     `json:"refund_state" field:"readonly,sort" enum:"none,pending,completed,failed"`
	RefundReason string                     `json:"refund_reason" field:"readonly" doc:"Why the refund failed."`
	Reference    string                     `json:"refund_reference" gorm:"column:refund_reference" field:"readonly" doc:"Reference of a refund by bank transfer."`
}

// TableName implements GORM's naming.
func (CreditNote) TableName() string { return "billing_credit_notes" }

// SchemaName implements web.SchemaNamer.
func (CreditNote) SchemaName() string { return "BillingCreditNote" }

// States of refunds.
const (
	RefundNone      = "none"
	RefundPending   = "pending"
	RefundCompleted = "completed"
	RefundFailed    = "failed"
)

// CreditNoteRules are the rules of credit notes.
func CreditNoteRules() resource.Rules[CreditNote] {
	return resource.Rules[CreditNote]{
		Item: CreditItem, Sort: []string{"-created_at"}, KeepDeleted: true,
		About: "What the operator takes off an invoice.",
		Own:   []resource.Verb{resource.Create, resource.Update, resource.Delete, resource.Restore},
	}
}
