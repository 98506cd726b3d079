package record

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/loads/internal/margins"
	paper "github.com/dispatchd/dispatchd/platform/paper/legacy"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

const mediaPDF = "application/pdf"

func (s *Recorder) download(ctx context.Context, in *readInput) (*stream.Stream, error) {
	l, err := s.loads.ToRecord(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	const subject = "The transaction record as PDF"
	if err := web.RequireScope(ctx, readContacts, subject); err != nil {
		return nil, err
	}
	if err := margins.Require(ctx, subject); err != nil {
		return nil, err
	}
	t, err := s.transaction(ctx, l)
	if err != nil {
		return nil, err
	}
	file, err := paper.Print(t.paper(l))
	if err != nil {
		return nil, err
	}

	return stream.NewDownload(mediaPDF, bytes.NewReader(file)).Attachment("transaction-record-" + t.Number + ".pdf").Sized(int64(len(file))), nil
}

// paper is what is printed of a record, in the order of 49 CFR 371.3(a).
func (t transaction) paper(l Load) paper.Document {
	const unknown = "not known yet"
	who := "no carrier yet"
	if t.Carrier != nil {
		who = t.Carrier.text()
	}
	paidOn := unknown
	if t.PaidAt != nil {
		paidOn = t.PaidAt.Format("2006-01-02")
	}
	sum := func(of amount) string {
		if of.Amount == "" {
			return unknown
		}
		text := of.Amount.In(of.Currency) + " " + string(of.Currency)
		payers := make([]string, len(of.Payers))
		for i, p := range of.Payers {
			payers[i] = "the " + p + " (" + cmp.Or(of.Names[i], "name not known yet") + ")"
		}
		if len(payers) > 0 {
			text += ", paid by " + strings.Join(payers, " and ")
		}

		return text
	}
	facts := []paper.Fact{
		{Name: "Consignor", Text: cmp.Or(t.Consignor.Name, unknown) + "\n" + t.Consignor.Address},
		{Name: "Originating carrier", Text: who},
		{Name: "Bill of lading", Text: cmp.Or(strings.Join(t.Bills, ", "), unknown)},
		{Name: "Broker's compensation", Text: sum(t.Broker)},
		{Name: "Freight charges", Text: sum(t.Freight)},
		{Name: "Collected by the broker", Text: t.Collected.In(t.Broker.Currency) + " " + string(t.Broker.Currency)},
		{Name: "Payment to the carrier", Text: paidOn},
	}
	for i, c := range t.Further {
		facts = slices.Insert(facts, 2+i, paper.Fact{Name: "Further carrier", Text: c.text()}) //nolint:mnd // after the first one
	}
	all := slices.Clone(t.Further)
	if t.Carrier != nil {
		all = append([]carrier{*t.Carrier}, all...)
	}
	for _, c := range all {
		if c.EndPay == "" {
			continue
		}
		paid := "not paid yet"
		if c.EndPaidAt != nil {
			paid = "paid on " + c.EndPaidAt.Format("2006-01-02")
		}
		facts = append(facts, paper.Fact{Name: "Pay of a carrier before", Text: c.Name + "\n" + string(c.EndPay) + " " + string(t.Broker.Currency) + ", " + paid})
	}
	for _, service := range t.Services {
		facts = append(facts, paper.Fact{Name: "Service beside brokerage", Text: service.Description + "\n" + service.Amount.In(t.Broker.Currency) + " " + string(t.Broker.Currency) +
			", paid by the " + service.Payer + " (" + cmp.Or(service.Name, "name not known yet") + ")"})
	}
	if len(t.Missing) > 0 {
		facts = append(facts, paper.Fact{Name: "Not known yet", Text: strings.ReplaceAll(strings.Join(t.Missing, ", "), "_", " ")})
	}

	return paper.Document{Title: "Record of transaction", Number: t.Number, Date: l.CreatedAt.Format("2006-01-02"), Created: l.CreatedAt, Facts: facts}
}

// text is a carrier as people read it.
func (c carrier) text() string {
	return strings.Join([]string{
		cmp.Or(c.Name, "name not known yet"), cmp.Or(c.Address, "address not known yet"), strings.TrimSpace("USDOT " + cmp.Or(c.USDOT, "unknown") + " " + c.Docket),
	}, "\n")
}
