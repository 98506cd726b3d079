package onboarding

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/remit"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Approver applies packets to the records of their carriers.
type Approver struct {
	packets   *resource.Resource[packet.Packet]
	stored    *packet.Repository
	decisions *Decisions
	carriers  *Carriers
	closer    *Closer
}

// NewApprover returns an Approver.
func NewApprover(
	packets *resource.Resource[packet.Packet], stored *packet.Repository, d *Decisions, carriers *Carriers, c *Closer,
) *Approver {
	return &Approver{packets, stored, d, carriers, c}
}

// approve applies the proposal to the carrier, of the version that was read: after a packet was reopened, the carrier may have proposed something else.
func (a *Approver) approve(ctx context.Context, id uuid.UUID, match web.IfMatch) (row packet.Packet, err error) {
	err = a.stored.InTx(ctx, func(ctx context.Context) error {
		d, err := a.decisions.begin(ctx, id)
		if err != nil {
			return err
		}
		row, err = a.packets.Change(ctx, id, match, packet.Approve, func(ctx context.Context, p *packet.Packet) error {
			if err := a.packets.Step(ctx, p, state.Move{Verb: string(packet.Approve)}); err != nil {
				return err
			}
			if match.IfMatch == "" || match.IfMatch == "*" {
				return packet.ErrUnread
			}
			p.DecidedAt, p.Reason, p.ReviewDue = &d.at, "", reviewDue(d.today)

			return nil
		})
		if err != nil {
			return err
		}
		if err := a.carriers.apply(ctx, row.Carrier, d.of(row.Proposal.V)); err != nil {
			return err
		}

		return a.closer.close(ctx, &row)
	})

	return row, err
}

// ApproveRoutes registers the operation that approves a packet.
func ApproveRoutes(r *web.Router, a *Approver) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/packets/{uuid}/approve", ID: "approve_packet", Access: web.Write,
		Summary: "Approve a packet",
		Description: "Applies the proposal to the carrier, in one transaction. Certificates of insurance are added unverified, and a new remit-to becomes a " +
			"change with a hold. Takes If-Match with the ETag of the packet, so that what you read is approved.",
		Errors: []*errs.Error{a.packets.NotFound(), state.ErrNotAllowed, state.ErrMoved, packet.ErrInvalid, store.ErrCarrier, remit.ErrInvalid},
	}, func(ctx context.Context, in *packetInput) (*web.Resource[packet.Packet], error) {
		row, err := a.approve(ctx, in.UUID, in.IfMatch)

		return a.packets.Answer(ctx, row, err)
	})
}
