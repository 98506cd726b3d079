package carriers

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/remit"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// remitDesk answers requests about how carriers are paid.
type remitDesk struct {
	changes  *resource.Resource[remit.Change]
	payables *remit.Payables
	remits   *remits
	verifier *verifier
	roster   *roster
}

func newRemitDesk(changes *resource.Resource[remit.Change], p *remit.Payables, r *remits, v *verifier, of *roster) *remitDesk {
	return &remitDesk{changes, p, r, v, of}
}

func remitRoutes(r *web.Router, s *remitDesk) {
	missing := s.roster.missing()
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/carriers/{uuid}/remit_to", ID: "read_remit_to", Access: web.Read, Summary: "Read how a carrier is paid",
		Description: "The change that is effective, and the one that is pending. `/remit_to_changes` lists all.", Errors: []*errs.Error{missing},
	}, s.read)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carriers/{uuid}/remit_to", ID: "propose_remit_to", Access: web.Write, Summary: "Propose another way to pay a carrier",
		Description: "The change is held for `modules.carriers.remit_hold` and must be verified before it becomes effective; until then the carrier is paid as " +
			"before. It replaces a change that is pending.",
		Errors: append([]*errs.Error{missing, errMerged}, s.changes.WriteErrors()...),
	}, s.post)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/remit_to_changes/{uuid}/verify", ID: "verify_remit_to_change", Access: web.Scope(remit.Access),
		Summary: "Keep that a change of a remit-to was verified",
		Description: "Thieves send new bank details from look-alike or hijacked mailboxes. Call the phone of the regulator's record, and keep here who " +
			"confirmed the change. It becomes effective when its hold is over.",
		Errors: append([]*errs.Error{s.changes.NotFound(), errNotOnRecord, errSameChannel, errSecondPerson, errNotPending}, s.changes.WriteErrors()...),
	}, func(ctx context.Context, in *verifyRemitInput) (*web.Resource[remit.Change], error) {
		row, err := s.verifier.verify(ctx, in.UUID, in.IfMatch, in.Body)

		return s.changes.Answer(ctx, row, err)
	})
}

type carrierInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type remitToOutput struct{ Body remitToBody }

type remitToBody struct {
	Effective *remit.Change `json:"effective" doc:"Null if the carrier has no remit-to."`
	Pending   *remit.Change `json:"pending" doc:"The change on hold, or null."`
}

// SchemaName implements web.SchemaNamer.
func (remitToBody) SchemaName() string { return "RemitTo" }

type proposeRemitInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body remit.Proposal
}

type verifyRemitInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body verification
}

func (r *remitDesk) read(ctx context.Context, in *carrierInput) (*remitToOutput, error) {
	if _, err := r.roster.find(ctx, in.UUID); err != nil {
		return nil, err
	}
	all, err := r.payables.Of(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	of := all[in.UUID]
	for _, row := range []*remit.Change{of.Effective, of.Pending} {
		if row == nil {
			continue
		}
		if err := r.changes.Show(ctx, nil, row); err != nil {
			return nil, err
		}
	}

	return &remitToOutput{remitToBody{of.Effective, of.Pending}}, nil
}

func (r *remitDesk) post(ctx context.Context, in *proposeRemitInput) (*web.Resource[remit.Change], error) {
	row, err := r.remits.propose(ctx, in.UUID, in.Body)

	return r.changes.Answer(ctx, row, err)
}

// payees implements carriersapi.Payees.
type payees struct {
	roster   *roster
	payables *remit.Payables
	accounts *accounts.Accounts
	audit    *audit.Log
}

func newPayees(r *roster, p *remit.Payables, a *accounts.Accounts, log *audit.Log) carriersapi.Payees {
	return payees{r, p, a, log}
}

// RemitTo implements carriersapi.Payees.
func (p payees) RemitTo(ctx context.Context, carriers ...string) (map[string]carriersapi.RemitTo, error) {
	rows, err := p.roster.standingOnes(ctx, parsed(carriers)...)
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
				Change: e.ID.String(), Payee: e.Payee, Factored: e.Kind == remit.Factor, Method: e.Method, Routing: e.Routing, Last4: e.Last4,
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
