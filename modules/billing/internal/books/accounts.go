package books

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/ledger"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Accounts of the seller's ledger.
var (
	IncomeAccount     = ledger.Account{Code: "income:subscriptions", Kind: ledger.Income}
	CardAccount       = ledger.Account{Code: "cash_clearing:cards", Kind: ledger.Asset}
	DisputedAccount   = ledger.Account{Code: "cash_disputed:cards", Kind: ledger.Asset}
	BankAccount       = ledger.Account{Code: "cash:bank", Kind: ledger.Asset}
	ChargebackAccount = ledger.Account{Code: "expense:chargebacks", Kind: ledger.Expense}
	LossAccount       = ledger.Account{Code: "expense:bad_debt", Kind: ledger.Expense}
)

// ReceivableAccount is what the caller's company owes the seller.
func ReceivableAccount(ctx context.Context) ledger.Account {
	company := principal.CompanyOf(ctx)

	return ledger.Account{Code: "receivable:" + company.String(), Kind: ledger.Asset, Subject: item.Ref{Type: store.CustomerItem, UUID: company}}
}

// TaxAccount has what the seller owes of a tax, by its code.
func TaxAccount(code string) ledger.Account {
	return ledger.Account{Code: "tax:" + code, Kind: ledger.Liability}
}

// UnappliedAccount is what the caller's company paid beyond its invoices.
func UnappliedAccount(ctx context.Context) ledger.Account {
	company := principal.CompanyOf(ctx)

	return ledger.Account{Code: "unapplied:" + company.String(), Kind: ledger.Liability, Subject: item.Ref{Type: store.CustomerItem, UUID: company}}
}

// InvoiceSource is an invoice as the source of an entry.
func InvoiceSource(id uuid.UUID) item.Ref { return item.Ref{Type: "billing.invoice", UUID: id} }

// PaymentRef is the reference of something that happened to a payment. It has the version: a payment that is corrected is captured twice.
func PaymentRef(p store.Payment, what string) string {
	return fmt.Sprintf("billing.payment:%s:%s:%d", p.ID, what, p.Version)
}
