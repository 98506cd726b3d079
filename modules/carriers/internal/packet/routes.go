package packet

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

const base = "/carriers/api/v1"

// Routes registers the operations of the company.
func Routes(r *web.Router, d *Desk) {
	missing, invalid := d.packets.NotFound(), errDocuments
	sending := []*errs.Error{invalid, errNoAddress, notify.ErrNoChannel, notify.ErrRefused, link.ErrInvalid, link.ErrPortalOff}
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/carriers/{uuid}/packet", ID: "send_packet", Access: web.Write, Secret: true,
		Summary: "Send a carrier its onboarding packet",
		Description: "The carrier fills in the packet by the link, without an account. With the channel `link`, the response has the link, which cannot be read " +
			"again; with `sms` and `email`, it is sent to `to`.",
		Errors: append(slices.Clone(sending), d.near.Missing, errAgreement),
	}, d.postPacket)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/packets/{uuid}", ID: "read_packet", Access: web.Read, Summary: "Read a packet",
		Description: "The response lists the changes that an approval makes, and which of them differ from the regulator's record.", Errors: []*errs.Error{missing},
	}, d.getPacket)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/packets/{uuid}/resend", ID: "resend_packet", Access: web.Write, Secret: true,
		Summary: "Send a packet again", Description: "The new link replaces the previous one.",
		Errors: append(slices.Clone(sending), missing, errClosed, state.ErrNotAllowed, state.ErrMoved),
	}, func(ctx context.Context, in *packetInput) (*sentOutput, error) {
		row, text, err := d.resend(ctx, in.UUID, in.IfMatch)

		return d.sent(row, text, err)
	})
	life := []*errs.Error{missing, state.ErrNotAllowed, state.ErrMoved}
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/packets/{uuid}/revoke", ID: "revoke_packet", Access: web.Write,
		Summary: "Revoke a packet", Description: "Its link and its upload links stop working.", Errors: life,
	}, func(ctx context.Context, in *packetInput) (*web.Resource[Packet], error) {
		row, err := d.revoke(ctx, in.UUID, in.IfMatch)

		return d.packets.Answer(ctx, row, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/packets/{uuid}/approve", ID: "approve_packet", Access: web.Write,
		Summary: "Approve a packet",
		Description: "Applies the proposal to the carrier, in one transaction. Certificates of insurance are added unverified, and a new remit-to becomes a " +
			"change with a hold. Takes If-Match with the ETag of the packet, so that what you read is approved.",
		Errors: append(append(slices.Clone(life), errDocuments), d.near.Refusals...),
	}, func(ctx context.Context, in *packetInput) (*web.Resource[Packet], error) {
		row, err := d.approve(ctx, in.UUID, in.IfMatch)

		return d.packets.Answer(ctx, row, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/packets/{uuid}/reject", ID: "reject_packet", Access: web.Write,
		Summary: "Reject a packet", Description: "The carrier sees the reason. Reopen the packet to let the carrier correct it.", Errors: life,
	}, func(ctx context.Context, in *rejectInput) (*web.Resource[Packet], error) {
		row, err := d.reject(ctx, in.UUID, in.IfMatch, in.Body.Reason)

		return d.packets.Answer(ctx, row, err)
	})
	d.settings.routes(r, invalid)
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
	UUID        uuid.UUID `json:"uuid"`
	CarrierUUID uuid.UUID `json:"carrier_uuid"`
	To          string    `json:"to"`
	Channel     string    `json:"channel" enum:"sms,email,link"`
	Documents   []string  `json:"documents" nullable:"false"`
	State       State     `json:"state" enum:"sent,started,rejected"`
	Link        string    `json:"link,omitempty" doc:"Text of the link, with the channel link; no other response has it."`
	URL         string    `json:"url,omitempty" doc:"Address of the page, with the channel link. Without a host where web.base_url is not set."`
	ExpiresAt   string    `json:"link_expires_at" format:"date-time"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (sentBody) SchemaName() string { return "SentPacket" }

func (d *Desk) sent(row Packet, text string, err error) (*sentOutput, error) {
	if err != nil {
		return nil, err
	}
	out := &sentOutput{sentBody{
		UUID: row.ID, CarrierUUID: row.Carrier, To: row.To, Channel: row.Channel, Documents: row.Documents.V, State: row.State, Link: text,
		ExpiresAt: row.LinkExpires.UTC().Format(time.RFC3339),
	}}
	if text != "" {
		out.Body.URL = d.address(text)
	}

	return out, nil
}

func (d *Desk) postPacket(ctx context.Context, in *postPacketInput) (*sentOutput, error) {
	row, text, err := d.send(ctx, in.UUID, in.Body.To, in.Body.Channel, in.Body.Documents)

	return d.sent(row, text, err)
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

// read is a packet with the changes that an approval makes.
type read struct {
	Packet

	Changes []Difference `json:"changes" nullable:"false" doc:"Changes of the carrier that an approval makes."`
	Steps   []StepView   `json:"steps" nullable:"false"`
	Files   []fileRef    `json:"files" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (read) SchemaName() string { return "CarrierPacketDetails" }

type fileRef struct {
	FileView

	Attachment uuid.UUID `json:"attachment_uuid"`
	SHA256     string    `json:"sha256"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (fileRef) SchemaName() string { return "CarrierPacketFile" }

func (d *Desk) getPacket(ctx context.Context, in *struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
},
) (*web.Resource[read], error) {
	row, err := d.packets.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	if err := d.packets.Show(ctx, nil, &row); err != nil {
		return nil, err
	}
	known, err := d.near.Carriers.Known(ctx, row.Carrier)
	if err != nil {
		return nil, err
	}
	f, err := d.files(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	today, err := d.packets.Today(ctx)
	if err != nil {
		return nil, err
	}
	out := read{Packet: row, Changes: differences(known, row.Proposal.V.seenBy(ctx)), Steps: row.steps(f, today), Files: []fileRef{}}
	for i, v := range f.views() {
		id, err := uuid.Parse(f[i].UUID)
		if err != nil {
			return nil, err
		}
		out.Files = append(out.Files, fileRef{v, id, f[i].SHA256})
	}

	return web.NewResource(out, row.Version, base+"/packets/"+row.ID.String()), nil
}

// Difference is a change of the carrier that an approval makes.
type Difference struct {
	Field  string `json:"field" example:"email"`
	From   any    `json:"from" doc:"Value of the carrier."`
	To     any    `json:"to" doc:"Value of the proposal."`
	Record string `json:"regulator" doc:"Value of the regulator's record."`
	Flag   bool   `json:"differs_from_regulator"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Difference) SchemaName() string { return "PacketDifference" }

// differences returns the changes that a proposal makes.
func differences(k Known, p *Proposal) []Difference {
	all := []Difference{}
	if of := p.Profile; of != nil {
		phone, _ := ParsePhone(of.Phone)
		email, _ := ParseEmail(of.Email)
		for _, c := range []struct{ field, from, to, record string }{
			{"legal_name", k.LegalName, of.LegalName, k.Record.LegalName},
			{"dba", k.DBA, of.DBA, k.Record.DBA},
			{"phone", k.Phone, string(phone), k.Record.Phone},
			{"email", k.Email, string(email), k.Record.Email},
			{"dispatch", "", personText(of.DispatchName, of.DispatchPhone, of.DispatchEmail), ""},
			{"billing", "", personText(of.BillingName, of.BillingPhone, of.BillingEmail), ""},
		} {
			if c.to != "" && c.to != c.from {
				all = append(all, Difference{c.field, c.from, c.to, c.record, c.record != "" && !equalFold(c.record, c.to)})
			}
		}
	}
	if of := p.Equipment; of != nil {
		all = append(all, Difference{Field: "equipment", From: k.Units, To: of.Units}, Difference{Field: "lanes", From: k.Lanes, To: of.Lanes})
	}
	if of := p.Insurance; of != nil {
		all = append(all, Difference{Field: "insurance.cargo", To: of.Cargo}, Difference{Field: "insurance.auto_liability", To: of.Liability})
	}
	if p.RemitTo != nil {
		all = append(all, Difference{Field: "remit_to", To: p.RemitTo})
	}
	if a := p.Agreement; a != nil {
		all = append(all, Difference{Field: "agreement", To: map[string]any{"name": a.Name, "title": a.Title, "version": a.Version, "at": a.At}})
	}

	return all
}
