package sandbox

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
)

// List implements cardsapi.Account. The cursor is a kind and how many of it were returned.
func (a account) List(ctx context.Context, w cardsapi.Window) (found cardsapi.VendorFound, next string, err error) {
	if err := a.enter(); err != nil {
		return found, "", err
	}
	kind, skip := kindPayment, 0
	if w.Cursor != "" {
		var rest string
		if _, err := fmt.Sscanf(w.Cursor, "%s %s", &kind, &rest); err != nil {
			return found, "", refused(cardsapi.UnknownReason, "INVALID_CURSOR", "The cursor is not one of the sandbox.")
		}
		skip, _ = strconv.Atoi(rest) //nolint:errcheck // 0 is a place as well
	}
	rows, err := a.box.store.made(ctx, a.id, kind, w.From, w.To, skip, pageSize)
	if err != nil {
		return found, "", err
	}
	if kind == kindRefund {
		for _, row := range rows {
			found.Refunds = append(found.Refunds, wireRefundOf(row).vendor())
		}
	} else if found.Payments, err = a.payments(ctx, rows); err != nil {
		return found, "", err
	}
	switch {
	case len(rows) == pageSize:
		next = fmt.Sprintf("%s %d", kind, skip+pageSize)
	case kind == kindPayment:
		next = kindRefund + " 0"
	}

	return found, next, nil
}

// payments are rows as the sandbox reports them, with their refunds.
func (a account) payments(ctx context.Context, rows []thing) ([]cardsapi.VendorPayment, error) {
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	refunds, err := a.box.store.children(ctx, kindRefund, ids...)
	if err != nil {
		return nil, err
	}
	of := map[uuid.UUID][]thing{}
	for _, r := range refunds {
		of[*r.ParentID] = append(of[*r.ParentID], r)
	}
	all := make([]cardsapi.VendorPayment, len(rows))
	for i, row := range rows {
		all[i] = a.box.wire(row, of[row.ID]).vendor()
	}

	return all, nil
}

// Payouts implements cardsapi.Account: the payments of each day that is over are paid out on the next one, in UTC.
func (a account) Payouts(ctx context.Context, w cardsapi.Window) (page []cardsapi.VendorPayout, next string, err error) {
	if err := a.enter(); err != nil {
		return nil, "", err
	}
	from, to := day(w.From).AddDate(0, 0, -1), day(w.To)
	if today := day(a.box.clock.Now()); to.After(today) {
		to = today
	}
	byDay := map[string]*cardsapi.VendorPayout{}
	var order []string
	for skip := 0; ; skip += pageSize {
		rows, err := a.box.store.made(ctx, a.id, kindPayment, from, to, skip, pageSize)
		if err != nil {
			return nil, "", err
		}
		for _, row := range rows {
			if row.Status != statusCompleted {
				continue
			}
			on := day(row.CreatedAt).AddDate(0, 0, 1).Format(time.DateOnly)
			key := on + row.Currency
			p := byDay[key]
			if p == nil {
				p = &cardsapi.VendorPayout{ID: "po_" + key, On: on, Gross: cardsapi.Money{Currency: row.Currency}}
				byDay[key], order = p, append(order, key)
			}
			p.Gross.Units, p.Fees, p.Payments = p.Gross.Units+row.Units, p.Fees+row.Fee, append(p.Payments, row.ID.String())
		}
		if len(rows) < pageSize {
			break
		}
	}
	for _, key := range order {
		page = append(page, *byDay[key])
	}

	return page, "", nil
}

func day(at time.Time) time.Time { return at.UTC().Truncate(24 * time.Hour) }
