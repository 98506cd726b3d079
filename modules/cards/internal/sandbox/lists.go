package sandbox

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
)

// List implements cardsapi.VendorStatements. The cursor is a kind and how many of it were returned.
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
	rows, err := a.store.made(ctx, a.id, kind, w.From, w.To, skip, pageSize)
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
	refunds, err := a.store.children(ctx, kindRefund, ids...)
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

// Payouts implements cardsapi.VendorStatements: the payments of each day that is over are paid out on the next one, in UTC, and arrive at once.
func (a account) Payouts(ctx context.Context, w cardsapi.Window) (page []cardsapi.VendorPayout, next string, err error) {
	if err := a.enter(); err != nil {
		return nil, "", err
	}
	from, to := day(w.From).AddDate(0, 0, -1), day(w.To)
	if today := day(a.clock.Now()); to.After(today) {
		to = today
	}
	at := map[string]int{}
	err = a.completed(ctx, from, to, func(row thing) {
		on := day(row.CreatedAt).AddDate(0, 0, 1).Format(time.DateOnly)
		id := payoutID + on + row.Currency
		if _, there := at[id]; !there {
			at[id] = len(page)
			page = append(page, cardsapi.VendorPayout{
				ID: id, State: cardsapi.PayoutPaid, Raw: string(cardsapi.PayoutPaid), On: on, Net: cardsapi.Money{Currency: row.Currency}, Settled: true,
			})
		}
		page[at[id]].Net.Units += row.Units - row.Fee
	})

	return page, "", err
}

// payoutID begins the ids of payouts, which go on with their day and currency.
const payoutID = "po_"

// PayoutContent implements cardsapi.VendorStatements.
func (a account) PayoutContent(ctx context.Context, p cardsapi.VendorPayout) (content cardsapi.PayoutContent, err error) {
	if err := a.enter(); err != nil {
		return content, err
	}
	on, err := time.Parse(time.DateOnly, p.On)
	if err != nil {
		return content, refused(cardsapi.NotFound, "NOT_FOUND", "There is no such payout.")
	}
	err = a.completed(ctx, on.AddDate(0, 0, -1), on, func(row thing) {
		if payoutID+p.On+row.Currency == p.ID {
			content.Gross, content.Fees, content.Payments = content.Gross+row.Units, content.Fees+row.Fee, append(content.Payments, row.ID.String())
		}
	})

	return content, err
}

// completed calls do for each completed payment that was made in a period.
func (a account) completed(ctx context.Context, from, to time.Time, do func(row thing)) error {
	for skip := 0; ; skip += pageSize {
		rows, err := a.store.made(ctx, a.id, kindPayment, from, to, skip, pageSize)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if row.Status == statusCompleted {
				do(row)
			}
		}
		if len(rows) < pageSize {
			return nil
		}
	}
}

func day(at time.Time) time.Time { return at.UTC().Truncate(24 * time.Hour) }
