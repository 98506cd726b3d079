package bills

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/report"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Desk is what the company does with bills of lading.
type Desk struct {
	follower *Follower
	keeper   *Keeper
	bols     *resource.Resource[store.Bol]
	reports  *report.Reader
}

// NewDesk returns a Desk.
func NewDesk(f *Follower, k *Keeper, bols *resource.Resource[store.Bol], reports *report.Reader) *Desk {
	return &Desk{f, k, bols, reports}
}

type oneInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type issueInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type voidInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Reason string `json:"reason" minLength:"1" maxLength:"500" pattern:"\\S" patternDescription:"text that can be seen"`
	}
}

type amendInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Text   string `json:"text" minLength:"1" maxLength:"2000" pattern:"\\S" patternDescription:"text that can be seen" doc:"What is right." example:"The odometer was 41,200 mi."`
		Reason string `json:"reason" minLength:"1" maxLength:"500" pattern:"\\S" patternDescription:"text that can be seen"`
	}
}

type (
	reportOutput  struct{ Body report.Report }
	compareOutput struct{ Body report.Comparison }
)

type createInput struct {
	Body struct {
		Load uuid.UUID `json:"load_uuid"`
	}
}

type createOutput struct {
	Body struct {
		BOLs []report.Report `json:"bols" nullable:"false"`
	}
}

// BillRoutes are the company's operations on bills of lading.
func BillRoutes(r *web.Router, d *Desk) {
	failures := []*errs.Error{d.bols.NotFound(), state.ErrNotAllowed, state.ErrMoved}
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/bols", ID: "create_bols", Access: web.Write, Summary: "Make the bills of lading of a load",
		Description: "One for the vehicles between the same two stops. They are made by themselves when a carrier gets a load; those that there are stay.",
		Errors:      []*errs.Error{loadsapi.ErrNotFound, store.ErrNoCarrier},
	}, d.create)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/bols/{uuid}/issue", ID: "issue_bol", Access: web.Write, Summary: "Issue a bill of lading",
		Description: "It must have what 49 CFR 373.101 requires.", Errors: append(slices.Clone(failures), store.ErrMissingFields),
	}, func(ctx context.Context, in *issueInput) (*web.Resource[store.Bol], error) {
		b, err := d.keeper.issue(ctx, in.UUID, in.IfMatch)

		return d.bols.Answer(ctx, b, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/bols/{uuid}/void", ID: "void_bol", Access: web.Write, Summary: "Void a bill of lading",
		Description: "Before it is signed at the delivery. As long as the carrier has the load, another one takes its place.", Errors: append(slices.Clone(failures), store.ErrSigned),
	}, func(ctx context.Context, in *voidInput) (*web.Resource[store.Bol], error) {
		b, err := d.follower.replace(ctx, in.UUID, in.IfMatch, strings.TrimSpace(in.Body.Reason))

		return d.bols.Answer(ctx, b, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/bols/{uuid}/amend", ID: "amend_bol", Access: web.Write, Summary: "Add to a bill of lading",
		Description: "What was signed stays; this is printed below it.", Errors: append(slices.Clone(failures), store.ErrVoid),
	}, func(ctx context.Context, in *amendInput) (*web.Resource[store.Bol], error) {
		b, err := d.keeper.amend(ctx, in.UUID, in.IfMatch, in.Body.Text, in.Body.Reason)

		return d.bols.Answer(ctx, b, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/bols/{uuid}/report", ID: "read_bol_report", Access: web.Read, Summary: "Read the inspections and signatures of a bill of lading",
		Errors: []*errs.Error{d.bols.NotFound()},
	}, d.report)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/bols/{uuid}/compare", ID: "compare_bol", Access: web.Read, Summary: "Compare the vehicles at the pickup and at the delivery",
		Description: "Two notes are of one damage if their AIAG codes have the same area and type, or if side and letters are the same.", Errors: []*errs.Error{d.bols.NotFound()},
	}, d.compare)
}

func (d *Desk) create(ctx context.Context, in *createInput) (*createOutput, error) {
	all, err := d.follower.create(ctx, in.Body.Load)
	if err != nil {
		return nil, err
	}
	out := &createOutput{}
	out.Body.BOLs = make([]report.Report, len(all))
	for i, b := range all {
		if out.Body.BOLs[i], err = d.reports.Read(ctx, b); err != nil {
			return nil, err
		}
	}

	return out, nil
}

func (d *Desk) report(ctx context.Context, in *oneInput) (*reportOutput, error) {
	b, err := d.bols.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	s, err := d.reports.Read(ctx, b)

	return &reportOutput{s}, err
}

func (d *Desk) compare(ctx context.Context, in *oneInput) (*compareOutput, error) {
	b, err := d.bols.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	c, err := d.reports.Compare(ctx, b)

	return &compareOutput{c}, err
}
