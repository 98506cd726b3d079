package signing

import (
	"bytes"
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/margins"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/page"
	paper "github.com/dispatchd/dispatchd/platform/paper/legacy"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

const mediaPDF = "application/pdf"

var errNoSignature = errs.New(errs.NotFound, "loads.signature_not_found", "The load has no such signature.")

type printInput struct {
	UUID      uuid.UUID `path:"uuid" format:"uuid"`
	Signature uuid.UUID `path:"signature" format:"uuid"`
}

// print is what was signed, as PDF.
func (d *Desk) print(ctx context.Context, in *printInput) (*stream.Stream, error) {
	number, _, err := d.loads.Known(ctx, in.UUID)
	if err == nil {
		err = margins.Require(ctx, "What the customer has signed, as PDF,")
	}
	if err != nil {
		return nil, err
	}

	return d.Print(ctx, in.UUID, in.Signature, number)
}

// Signed returns the newest signatures of a load.
func (d *Desk) Signed(ctx context.Context, load uuid.UUID) ([]Row, error) {
	return d.rows.Of(ctx, load)
}

// Print is a signature of the load with a number, as PDF.
func (d *Desk) Print(ctx context.Context, load, signature uuid.UUID, number string) (*stream.Stream, error) {
	row, err := d.rows.find(ctx, load, signature)
	if err != nil {
		return nil, err
	}
	_, zone, err := d.loads.Known(ctx, load)
	if err != nil {
		return nil, err
	}
	file, err := paper.Print(row.paper(number, page.Zone(zone)))
	if err != nil {
		return nil, err
	}

	return stream.NewDownload(mediaPDF, bytes.NewReader(file)).Attachment("signature-" + number + ".pdf").Sized(int64(len(file))), nil
}

// paper is what is printed of a signature: what was agreed to, what had changed, and who has signed how.
func (r Row) paper(number string, in *time.Location) paper.Document {
	doc := paper.Document{Title: "Signed order", Number: number, Date: r.At.In(in).Format("January 2, 2006"), Created: r.At}
	for _, t := range r.Terms.V {
		doc.Facts = append(doc.Facts, paper.Fact{Name: t.Label, Text: t.Text})
	}
	for _, c := range r.Changes.V {
		doc.Columns = append(doc.Columns, paper.Columns{Name: "Changed: " + c.Label, Left: "Before: " + cmp.Or(c.Before, "nothing"), Right: "Now: " + cmp.Or(c.After, "nothing")})
	}
	text := "by " + r.Method + ", " + page.Moment(r.At, in)
	if r.Method == Link {
		text += ", from " + r.Address
	}
	doc.Signatures = []paper.Signature{{Name: "Signed by " + r.Name, Text: text}}

	return doc
}
