package onboarding

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Closer ends what a packet that is decided no longer needs.
type Closer struct {
	links   *link.Service
	uploads attachmentsapi.Uploads
	stored  *packet.Repository
}

// NewCloser returns a Closer.
func NewCloser(links *link.Service, uploads attachmentsapi.Uploads, stored *packet.Repository) *Closer {
	return &Closer{links, uploads, stored}
}

// close revokes the links of a packet and deletes its account number.
func (c *Closer) close(ctx context.Context, row *packet.Packet) error {
	if _, err := c.links.RevokeAll(ctx, packet.Purpose, packet.Subject(row.ID)); err != nil {
		return err
	}
	for _, id := range row.Proposal.V.UploadLinks {
		if err := c.uploads.Revoke(ctx, id); err != nil && errs.KindOf(err) != errs.NotFound {
			return err
		}
	}

	return c.stored.KeepAccount(ctx, row.ID, secret.Text{})
}

// Decider rejects and revokes packets.
type Decider struct {
	packets *resource.Resource[packet.Packet]
	stored  *packet.Repository
	closer  *Closer
	clock   clock.Clock
}

// NewDecider returns a Decider.
func NewDecider(packets *resource.Resource[packet.Packet], stored *packet.Repository, closer *Closer, c clock.Clock) *Decider {
	return &Decider{packets, stored, closer, c}
}

// revoke ends a packet and its links.
func (d *Decider) revoke(ctx context.Context, id uuid.UUID, match web.IfMatch) (row packet.Packet, err error) {
	err = d.stored.InTx(ctx, func(ctx context.Context) error {
		row, err = d.packets.Change(ctx, id, match, packet.Revoke, func(ctx context.Context, p *packet.Packet) error {
			return d.packets.Step(ctx, p, state.Move{Verb: string(packet.Revoke)})
		})
		if err != nil {
			return err
		}

		return d.closer.close(ctx, &row)
	})

	return row, err
}

// reject rejects a packet; the carrier sees the reason.
func (d *Decider) reject(ctx context.Context, id uuid.UUID, match web.IfMatch, reason string) (packet.Packet, error) {
	return d.packets.Change(ctx, id, match, packet.Reject, func(ctx context.Context, p *packet.Packet) error {
		p.DecidedAt, p.Reason = new(d.clock.Now()), reason

		return d.packets.Step(ctx, p, state.Move{Verb: string(packet.Reject), Reason: reason})
	})
}

// DecideRoutes registers the operations that reject and revoke packets.
func DecideRoutes(r *web.Router, d *Decider) {
	life := []*errs.Error{d.packets.NotFound(), state.ErrNotAllowed, state.ErrMoved}
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/packets/{uuid}/revoke", ID: "revoke_packet", Access: web.Write,
		Summary: "Revoke a packet", Description: "Its link and its upload links stop working.", Errors: life,
	}, func(ctx context.Context, in *packetInput) (*web.Resource[packet.Packet], error) {
		row, err := d.revoke(ctx, in.UUID, in.IfMatch)

		return d.packets.Answer(ctx, row, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/packets/{uuid}/reject", ID: "reject_packet", Access: web.Write,
		Summary: "Reject a packet", Description: "The carrier sees the reason. Reopen the packet to let the carrier correct it.", Errors: life,
	}, func(ctx context.Context, in *rejectInput) (*web.Resource[packet.Packet], error) {
		row, err := d.reject(ctx, in.UUID, in.IfMatch, in.Body.Reason)

		return d.packets.Answer(ctx, row, err)
	})
}

type packetInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type rejectInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Reason string `json:"reason" minLength:"1" maxLength:"1000" example:"The certificate names another company."`
	}
}
