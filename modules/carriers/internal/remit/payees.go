package remit

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/platform/audit"
)

// payees implements carriersapi.Payees.
type payees struct {
	roster   *store.Roster
	payables *Payables
	accounts *accounts.Accounts
	audit    *audit.Log
}

// NewPayees returns how carriers are paid, for other areas.
func NewPayees(r *store.Roster, p *Payables, a *accounts.Accounts, log *audit.Log) carriersapi.Payees {
	return payees{r, p, a, log}
}

// RemitTo implements carriersapi.Payees.
func (p payees) RemitTo(ctx context.Context, carriers ...string) (map[string]carriersapi.RemitTo, error) {
	rows, err := p.roster.AllStanding(ctx, carriers...)
	if err != nil {
		return nil, err
	}
	var ids []uuid.UUID
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	all, err := p.payables.Of(ctx, ids...)
	found := make(map[string]carriersapi.RemitTo, len(all))
	for id, row := range rows {
		of := all[row.ID]
		if e := of.Effective; e != nil {
			found[id.String()] = carriersapi.RemitTo{
				Change: e.ID.String(), Payee: e.Payee, Factored: e.Kind == Factor, Method: e.Method, Routing: e.Routing, Last4: e.Last4,
				Pending: of.Pending != nil,
			}
		}
	}

	return found, err
}

// Account implements carriersapi.Payees.
func (p payees) Account(ctx context.Context, change string) (carriersapi.BankAccount, error) {
	missing := p.payables.Missing()
	id, err := uuid.Parse(change)
	if err != nil {
		return carriersapi.BankAccount{}, missing
	}
	number, err := p.accounts.Read(ctx, id, missing)
	if err != nil {
		return carriersapi.BankAccount{}, err
	}
	err = p.audit.Record(ctx, audit.Entry{Action: "carriers.remit_to_change.account_read", Item: audit.Item{Type: "carriers.remit_to_change", UUID: id}})

	return carriersapi.NewBankAccount(number.Reveal()), err
}
