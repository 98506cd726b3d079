package onboarding

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Sender sends carriers their packets.
type Sender struct {
	packets  *resource.Resource[packet.Packet]
	stored   *packet.Repository
	settings *packet.CompanySettings
	carriers *Carriers
	courier  *Courier
}

// NewSender returns a Sender.
func NewSender(
	packets *resource.Resource[packet.Packet], stored *packet.Repository, s *packet.CompanySettings, carriers *Carriers, c *Courier,
) *Sender {
	return &Sender{packets, stored, s, carriers, c}
}

// send creates a packet and sends its link. The text of the link is returned for the channel link alone.
func (s *Sender) send(ctx context.Context, carrier uuid.UUID, to, channel string, wanted []string) (row packet.Packet, text string, err error) {
	if to, err = s.courier.Recipient(channel, to); err != nil {
		return row, "", err
	}
	err = s.stored.InTx(ctx, func(ctx context.Context) error {
		known, err := s.carriers.Known(ctx, carrier)
		if err != nil {
			return err
		}
		settings, err := s.settings.Read(ctx)
		if err != nil {
			return err
		}
		documents, err := settings.Request(wanted)
		if err != nil {
			return err
		}
		row = packet.Packet{Carrier: carrier, To: to, Channel: channel, Documents: resource.JSON[[]string]{V: documents}}
		row.LinkExpires = s.settings.Expiry(settings)
		if row, err = s.packets.Create(ctx, row); err != nil {
			return err
		}
		text, err = s.courier.deliver(ctx, row, known)

		return err
	})

	return row, text, err
}

// resend sends a new link and revokes the previous ones.
func (s *Sender) resend(ctx context.Context, id uuid.UUID, match web.IfMatch) (row packet.Packet, text string, err error) {
	err = s.stored.InTx(ctx, func(ctx context.Context) error {
		settings, err := s.settings.Read(ctx)
		if err != nil {
			return err
		}
		row, err = s.packets.Change(ctx, id, match, packet.Resend, func(ctx context.Context, p *packet.Packet) error {
			switch p.State {
			case packet.Expired:
				if err := s.packets.Step(ctx, p, state.Move{Verb: string(packet.Resend)}); err != nil {
					return err
				}
			case packet.Sent, packet.Started, packet.Rejected:
			case packet.Submitted, packet.Approved, packet.Revoked, packet.None:
				return packet.ErrClosed
			}
			p.LinkExpires = s.settings.Expiry(settings)

			return nil
		})
		if err != nil {
			return err
		}
		known, err := s.carriers.Known(ctx, row.Carrier)
		if err != nil {
			return err
		}
		text, err = s.courier.redeliver(ctx, row, known)

		return err
	})

	return row, text, err
}

// SendRoutes registers the operations that send packets.
func SendRoutes(r *web.Router, s *Sender) {
	sending := []*errs.Error{packet.ErrInvalid, packet.ErrNoAddress, notify.ErrNoChannel, notify.ErrRefused, link.ErrInvalid, link.ErrPortalOff}
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carriers/{uuid}/packet", ID: "send_packet", Access: web.Write, Secret: true,
		Summary: "Send a carrier its onboarding packet",
		Description: "The carrier fills in the packet by the link, without an account. With the channel `link`, the response has the link, which cannot be read " +
			"again; with `sms` and `email`, it is sent to `to`.",
		Errors: append(slices.Clone(sending), s.carriers.missing(), packet.ErrNoAgreement),
	}, s.postPacket)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/packets/{uuid}/resend", ID: "resend_packet", Access: web.Write, Secret: true,
		Summary: "Send a packet again", Description: "The new link replaces the previous one.",
		Errors: append(slices.Clone(sending), s.packets.NotFound(), packet.ErrClosed, state.ErrNotAllowed, state.ErrMoved),
	}, func(ctx context.Context, in *packetInput) (*sentOutput, error) {
		row, text, err := s.resend(ctx, in.UUID, in.IfMatch)

		return s.sent(row, text, err)
	})
}

type postPacketInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		To        string   `json:"to,omitempty" maxLength:"320" doc:"Phone or e-mail to send the link to; required for sms and email." example:"dispatch@example.com"`
		Channel   string   `json:"channel" enum:"sms,email,link" doc:"How the link is sent; with link, you pass it on."`
		Documents []string `json:"documents,omitempty" maxItems:"10" enum:"insurance,w9,remit_to,agreement,identity" doc:"Requested steps besides the profile; by default those of the company's settings."`
	}
}

type sentOutput struct{ Body sentBody }

type sentBody struct {
	UUID        uuid.UUID    `json:"uuid"`
	CarrierUUID uuid.UUID    `json:"carrier_uuid"`
	To          string       `json:"to"`
	Channel     string       `json:"channel" enum:"sms,email,link"`
	Documents   []string     `json:"documents" nullable:"false"`
	State       packet.State `json:"state" enum:"sent,started,rejected"`
	Link        string       `json:"link,omitempty" doc:"Text of the link, with the channel link; no other response has it."`
	URL         string       `json:"url,omitempty" doc:"Address of the page, with the channel link. Without a host where web.base_url is not set."`
	ExpiresAt   string       `json:"link_expires_at" format:"date-time"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (sentBody) SchemaName() string { return "SentPacket" }

func (s *Sender) sent(row packet.Packet, text string, err error) (*sentOutput, error) {
	if err != nil {
		return nil, err
	}
	out := &sentOutput{sentBody{
		UUID: row.ID, CarrierUUID: row.Carrier, To: row.To, Channel: row.Channel, Documents: row.Documents.V, State: row.State, Link: text,
		ExpiresAt: row.LinkExpires.UTC().Format(time.RFC3339),
	}}
	if text != "" {
		out.Body.URL = s.courier.address(text)
	}

	return out, nil
}

func (s *Sender) postPacket(ctx context.Context, in *postPacketInput) (*sentOutput, error) {
	row, text, err := s.send(ctx, in.UUID, in.Body.To, in.Body.Channel, in.Body.Documents)

	return s.sent(row, text, err)
}
