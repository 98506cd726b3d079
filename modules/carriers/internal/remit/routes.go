package remit

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/proof"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Desk answers requests about how carriers are paid.
type Desk struct {
	changes  *resource.Resource[Change]
	payables *Payables
	proposer *Proposer
	verifier *Verifier
	roster   *store.Roster
}

// NewDesk returns a Desk.
func NewDesk(changes *resource.Resource[Change], p *Payables, r *Proposer, v *Verifier, of *store.Roster) *Desk {
	return &Desk{changes, p, r, v, of}
}

// Routes registers the operations on how carriers are paid.
func Routes(r *web.Router, s *Desk) {
	missing := s.roster.Missing()
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/carriers/{uuid}/remit_to", ID: "read_remit_to", Access: web.Read, Summary: "Read how a carrier is paid",
		Description: "The change that is effective, and the one that is pending. `/remit_to_changes` lists all.", Errors: []*errs.Error{missing},
	}, s.read)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carriers/{uuid}/remit_to", ID: "propose_remit_to", Access: web.Write, Summary: "Propose another way to pay a carrier",
		Description: "The change is held for `modules.carriers.remit_hold` and must be verified before it becomes effective; until then the carrier is paid as " +
			"before. It replaces a change that is pending.",
		Errors: append([]*errs.Error{missing, store.ErrMerged}, s.changes.WriteErrors()...),
	}, s.post)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/remit_to_changes/{uuid}/verify", ID: "verify_remit_to_change", Access: web.Scope(Access),
		Summary: "Keep that a change of a remit-to was verified",
		Description: "Thieves send new bank details from look-alike or hijacked mailboxes. Call the phone of the regulator's record, and keep here who " +
			"confirmed the change. It becomes effective when its hold is over.",
		Errors: append([]*errs.Error{s.changes.NotFound(), proof.ErrNotOnRecord, errSameChannel, errSecondPerson, errNotPending}, s.changes.WriteErrors()...),
	}, func(ctx context.Context, in *verifyRemitInput) (*web.Resource[Change], error) {
		row, err := s.verifier.verify(ctx, in.UUID, in.IfMatch, in.Body)

		return s.changes.Answer(ctx, row, err)
	})
}

type carrierInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type remitToOutput struct{ Body remitToBody }

type remitToBody struct {
	Effective *Change `json:"effective" doc:"Null if the carrier has no remit-to."`
	Pending   *Change `json:"pending" doc:"The change on hold, or null."`
}

// SchemaName implements web.SchemaNamer.
func (remitToBody) SchemaName() string { return "RemitTo" }

type proposeRemitInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body Proposal
}

type verifyRemitInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body verification
}

func (r *Desk) read(ctx context.Context, in *carrierInput) (*remitToOutput, error) {
	if _, err := r.roster.Find(ctx, in.UUID); err != nil {
		return nil, err
	}
	all, err := r.payables.Of(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	of := all[in.UUID]
	for _, row := range []*Change{of.Effective, of.Pending} {
		if row == nil {
			continue
		}
		if err := r.changes.Show(ctx, nil, row); err != nil {
			return nil, err
		}
	}

	return &remitToOutput{remitToBody(of)}, nil
}

func (r *Desk) post(ctx context.Context, in *proposeRemitInput) (*web.Resource[Change], error) {
	row, err := r.proposer.Propose(ctx, in.UUID, in.Body)

	return r.changes.Answer(ctx, row, err)
}
