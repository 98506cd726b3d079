package billsoflading

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/damage"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

type oneInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type changeInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

// bolRoutes are the company's operations on bills of lading.
func bolRoutes(r *web.Router, k *book) {
	failures := []*errs.Error{k.bols.NotFound(), errBOL, state.ErrNotAllowed, state.ErrMoved}
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/bols", ID: "create_bols", Access: web.Write, Summary: "Make the bills of lading of a load",
		Description: "One for the vehicles between the same two stops. They are made by themselves when a carrier gets a load; those that there are stay.",
		Errors:      []*errs.Error{loadsapi.ErrNotFound, errNobody},
	}, k.createBOLs)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/bols/{uuid}/issue", ID: "issue_bol", Access: web.Write, Summary: "Issue a bill of lading",
		Description: "It must have what 49 CFR 373.101 asks for.", Errors: append(slices.Clone(failures), errFields),
	}, func(ctx context.Context, in *changeInput) (*web.Resource[bol], error) {
		b, err := k.issue(ctx, in.UUID, in.IfMatch)

		return k.bols.Answer(ctx, b, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/bols/{uuid}/void", ID: "void_bol", Access: web.Write, Summary: "Void a bill of lading",
		Description: "Before it is signed at the delivery. As long as the carrier has the load, another one takes its place.", Errors: append(slices.Clone(failures), errSigned),
	}, func(ctx context.Context, in *voidInput) (*web.Resource[bol], error) {
		b, err := k.replace(ctx, in.UUID, in.IfMatch, strings.TrimSpace(in.Body.Reason))

		return k.bols.Answer(ctx, b, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/bols/{uuid}/amend", ID: "amend_bol", Access: web.Write, Summary: "Add to a bill of lading",
		Description: "What was signed stays; this is printed below it.", Errors: append(slices.Clone(failures), errVoid),
	}, func(ctx context.Context, in *amendInput) (*web.Resource[bol], error) {
		b, err := k.amend(ctx, in.UUID, in.IfMatch, in.Body.Text, in.Body.Reason)

		return k.bols.Answer(ctx, b, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/bols/{uuid}/report", ID: "read_bol_report", Access: web.Read, Summary: "Read the inspections and signatures of a bill of lading",
		Errors: []*errs.Error{k.bols.NotFound()},
	}, func(ctx context.Context, in *oneInput) (*reportOutput, error) {
		b, err := k.bols.Find(ctx, in.UUID)
		if err != nil {
			return nil, err
		}
		s, err := k.show(ctx, b)

		return &reportOutput{s}, err
	})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/bols/{uuid}/compare", ID: "compare_bol", Access: web.Read, Summary: "Compare the vehicles at the pickup and at the delivery",
		Description: "Two notes are of one damage if their AIAG codes have the same area and type, or if side and letters are the same.", Errors: []*errs.Error{k.bols.NotFound()},
	}, func(ctx context.Context, in *oneInput) (*compareOutput, error) {
		b, err := k.bols.Find(ctx, in.UUID)
		if err != nil {
			return nil, err
		}
		c, err := k.compare(ctx, b)

		return &compareOutput{c}, err
	})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/damage_codes", ID: "list_damage_codes", Access: web.Read, Summary: "List the codes of damage",
		Description: "Areas, types and severities of AIAG M-22 in our words, and the letters that carriers use.", Errors: []*errs.Error{errCode},
	}, func(context.Context, *struct{}) (*codesOutput, error) {
		return &codesOutput{codesBody{k.codes.Areas, k.codes.Types, k.codes.Severities, k.codes.Letters}}, nil
	})
	share.Routes(r, k.given, share.Operations{
		Path: "/loads/{uuid}/driver_links", Name: "driver_link", Summary: "by which a driver inspects the vehicles of a load and has the bills of lading signed", Purpose: driving,
		Description: "It is good for 30 days.", Subject: k.driverSubject, Give: k.giveDriver, Errors: []*errs.Error{loadsapi.ErrNotFound, errNobody},
	})
	share.Routes(r, k.given, share.Operations{
		Path: "/trips/{uuid}/driver_links", Name: "trip_driver_link", Summary: "by which a driver inspects and signs for all loads of a trip", Purpose: driving,
		Description: "It shows the loads that are on the trip when it is opened, and is good for 30 days.", Subject: k.tripSubject, Give: k.giveTrip,
		Errors: []*errs.Error{errNoTrip, errNobody, loadsapi.ErrNotFound},
	})
	share.Routes(r, k.given, share.Operations{
		Path: "/bols/{uuid}/sign_links", Name: "bol_sign_link", Summary: "by which somebody signs a bill of lading on their own phone", Purpose: signing,
		Description: "It is good for one signature, within 48 hours.", Subject: k.subject, Give: k.giveSigning, Errors: []*errs.Error{k.bols.NotFound(), errSigned, errVoid},
	})
	share.Routes(r, k.given, share.Operations{
		Path: "/bols/{uuid}/shares", Name: "bol_share", Summary: "by which somebody reads a bill of lading", Purpose: viewing,
		Description: "So it is delivered to the customer.", Subject: k.subject, Give: k.giveViewing, Errors: []*errs.Error{k.bols.NotFound()},
	})
}

// entryRoutes are the company's operations on what is entered at a hand-over, such as for a driver on the phone.
func entryRoutes(r *web.Router, e *recorder) {
	k := e.book
	failures := append([]*errs.Error{k.bols.NotFound()}, entryErrors()...)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/bols/{uuid}/inspections", ID: "record_inspection", Access: web.Write, Summary: "Record how a vehicle was found",
		Description: "There is one inspection of a vehicle at a stage; what the body leaves out stays.", Errors: failures,
	}, func(ctx context.Context, in *bolEntry[inspectionEntry]) (*web.Resource[inspection], error) {
		row, err := e.record(ctx, in.UUID, in.Body)

		return k.inspections.Answer(ctx, row, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/bols/{uuid}/damages", ID: "record_damage", Access: web.Write, Summary: "Record a damage", Errors: failures,
	}, func(ctx context.Context, in *bolEntry[damageEntry]) (*web.Resource[damaged], error) {
		row, err := e.note(ctx, in.UUID, in.Body)

		return k.damages.Answer(ctx, row, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/bols/{uuid}/submissions", ID: "submit_inspection", Access: web.Write, Summary: "Say that an inspection is complete",
		Description: "It must have what its type asks for.", Errors: failures,
	}, func(ctx context.Context, in *bolEntry[submitEntry]) (*web.Resource[inspection], error) {
		row, err := e.submit(ctx, in.UUID, in.Body)

		return k.inspections.Answer(ctx, row, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/bols/{uuid}/signatures", ID: "sign_bol", Access: web.Write, Summary: "Sign a bill of lading",
		Description: "Such as from paper. When the driver and the other side have signed, the vehicles have changed hands; the load follows.",
		Errors:      append(slices.Clone(failures), state.ErrNotAllowed, state.ErrMoved),
	}, func(ctx context.Context, in *bolEntry[signatureEntry]) (*web.Resource[signature], error) {
		in.Body.BOL = in.UUID
		row, err := k.sign(ctx, in.Body, false)

		return k.signatures.Answer(ctx, row, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/damages/{uuid}", ID: "delete_damage", Access: web.Write, Summary: "Take a damage off an inspection",
		Description: "Before it is signed.", Errors: append(slices.Clone(failures), k.damages.NotFound()),
	}, func(ctx context.Context, in *changeInput) (*struct{}, error) {
		return nil, e.erase(ctx, in.UUID, in.IfMatch)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/inspections/{uuid}/accept_vin", ID: "accept_inspection_vin", Access: web.Scope("override"),
		Summary: "Accept a vehicle with another VIN than the load's", Description: "A load without the VIN of the vehicle has it then.",
		Errors: []*errs.Error{k.inspections.NotFound(), errSameVIN},
	}, func(ctx context.Context, in *acceptInput) (*web.Resource[inspection], error) {
		row, err := e.acceptVIN(ctx, in.UUID, in.IfMatch, strings.TrimSpace(in.Body.Reason))

		return k.inspections.Answer(ctx, row, err)
	})
}

// bolEntry is an entry for a bill of lading.
type bolEntry[E any] struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body E
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

type acceptInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Reason string `json:"reason" minLength:"1" maxLength:"500" pattern:"\\S" patternDescription:"text that can be seen"`
	}
}

type (
	reportOutput  struct{ Body bolShown }
	compareOutput struct{ Body comparison }
	codesOutput   struct{ Body codesBody }
	codesBody     struct {
		Areas      []damage.Code `json:"areas" nullable:"false"`
		Types      []damage.Code `json:"types" nullable:"false"`
		Severities []damage.Code `json:"severities" nullable:"false"`
		Letters    []damage.Code `json:"letters" nullable:"false"`
	}
)

// SchemaName is the name of the body in the OpenAPI document.
func (codesBody) SchemaName() string { return "DamageCodes" }

type createInput struct {
	Body struct {
		Load uuid.UUID `json:"load_uuid"`
	}
}

type createOutput struct {
	Body struct {
		BOLs []bolShown `json:"bols" nullable:"false"`
	}
}

func (k *book) createBOLs(ctx context.Context, in *createInput) (*createOutput, error) {
	if err := k.db.InTx(ctx, func(ctx context.Context) error {
		of, err := k.standings.Held(ctx, in.Body.Load.String())
		if err == nil && of.Carrier == "" {
			err = errNobody
		}
		if err != nil {
			return err
		}

		return k.reconcile(ctx, of)
	}); err != nil {
		return nil, err
	}
	all, err := k.rows.live(ctx, in.Body.Load)
	if err != nil {
		return nil, err
	}
	out := &createOutput{}
	out.Body.BOLs = make([]bolShown, len(all))
	for i, b := range all {
		if out.Body.BOLs[i], err = k.show(ctx, b); err != nil {
			return nil, err
		}
	}

	return out, nil
}

func (k *book) subject(ctx context.Context, id uuid.UUID) (link.Subject, error) {
	_, err := k.bols.Find(ctx, id)

	return link.Subject{Type: billsofladingapi.BOL, ID: id}, err
}

// giveSigning is a link by which the other side signs a bill of lading.
func (k *book) giveSigning(ctx context.Context, id uuid.UUID) (share.Given, error) {
	b, err := k.bols.Find(ctx, id)
	switch {
	case err != nil:
		return share.Given{}, err
	case b.State == voided:
		return share.Given{}, errVoid
	case b.due() == "":
		return share.Given{}, errSigned
	}

	return k.givenOf(ctx, b, signing, "/sign/", "sign")
}

func (k *book) giveViewing(ctx context.Context, id uuid.UUID) (share.Given, error) {
	b, err := k.bols.Find(ctx, id)
	if err != nil {
		return share.Given{}, err
	}

	return k.givenOf(ctx, b, viewing, "/shared/", "read")
}

func (k *book) givenOf(ctx context.Context, b bol, p link.Purpose, path, what string) (share.Given, error) {
	of, err := k.standings.Standing(ctx, b.Load.String())
	if err != nil {
		return share.Given{}, err
	}
	brand, err := k.brands.Brand(ctx)

	return share.Given{
		Purpose: p, Subject: link.Subject{Type: billsofladingapi.BOL, ID: b.ID}, Page: base + path, Title: brand.Name + ": load " + of.Number,
		Text: brand.Name + ": " + what + " the bill of lading of load " + of.Number + " here.",
	}, err
}
