package numbers

import (
	"context"
	"sync"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
)

// expandAccount has the account embedded in numbers.
const expandAccount = "account"

// listNumbers lists numbers, with their accounts where expand= names them.
func (s *Handlers) listNumbers(ctx context.Context, in *list.Input) (*list.Output[NumberBody], error) {
	q, err := in.Parse(ctx, numberSchema())
	if err != nil {
		return nil, err
	}
	rows, err := s.store.Numbers(ctx, q)
	if err != nil {
		return nil, err
	}
	page := list.Convert(rows, NewNumberBody)
	if q.Expands(expandAccount) {
		err = store.Embed(ctx, s.store, page.Data, func(b *NumberBody) *uuid.UUID { return &b.AccountUUID }, accountKey,
			func(b *NumberBody, row store.Account) { b.Account = new(accounts.NewAccountBody(s.vendors, row)) })
	}
	if err != nil {
		return nil, err
	}

	return list.Answer(q, page), nil
}

func accountKey(row store.Account) uuid.UUID { return row.ID }

var numberSchema = sync.OnceValue(func() list.Schema {
	return list.ShownAs[NumberBody](list.Schema{
		Fields: []list.Field{
			{Name: "number", Expr: "number", Kind: kind.Text, Sortable: true, Filterable: true},
			{Name: "label", Expr: "label", Kind: kind.Text, Sortable: true, Filterable: true},
			{Name: "state", Expr: "state", Kind: kind.Text, Filterable: true},
			{Name: "kind", Expr: "kind", Kind: kind.Text, Filterable: true},
			{Name: "registration", Expr: "registration", Kind: kind.Text, Filterable: true},
			{Name: "account_uuid", Expr: "account_id", Kind: kind.UUID, Filterable: true},
			{Name: "user_uuid", Expr: "user_id", Kind: kind.UUID, Nullable: true, Filterable: true, NamesUser: true},
			{Name: "created_at", Expr: "created_at", Kind: kind.Time, Sortable: true, Filterable: true},
		},
		ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true}, DefaultSort: []string{"-created_at"},
		Search: []string{"number", "label"}, Expand: []string{expandAccount},
	})
})
