package packet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/page"
)

// Categories of files of a packet, besides the step w9.
const (
	certificate      = "certificate"
	agentCertificate = "agent_certificate"
	notice           = "notice_of_assignment"
)

// View is a packet as the link holder sees it.
type View struct {
	Brand     page.Brand `json:"brand"`
	Zone      string     `json:"time_zone" doc:"The company's time zone."`
	Carrier   subject    `json:"carrier"`
	State     State      `json:"state" enum:"sent,started,submitted,approved,rejected"`
	Reason    string     `json:"reason" doc:"Why the packet was rejected."`
	ExpiresAt time.Time  `json:"expires_at"`
	Steps     []StepView `json:"steps" nullable:"false"`
	Complete  bool       `json:"complete" doc:"Whether the packet can be submitted."`

	Profile   Profile    `json:"profile" doc:"Saved profile, or by default that of the regulator's record."`
	Record    Record     `json:"record" doc:"The regulator's record."`
	Equipment Equipment  `json:"equipment"`
	Insurance Insurance  `json:"insurance"`
	RemitTo   *RemitTo   `json:"remit_to"`
	Agreement *agreement `json:"agreement"`
	Identity  identity   `json:"identity"`
	Files     []FileView `json:"files" nullable:"false"`
	Channels  []string   `json:"channels" nullable:"false" doc:"Channels that can send the insurance agent a link."`

	// Step and Problem are those of the query.
	Step    string `json:"step"`
	Problem string `json:"problem"`
}

// SchemaName implements web.SchemaNamer.
func (View) SchemaName() string { return "PacketView" }

type subject struct {
	Name   string `json:"name"`
	USDOT  string `json:"usdot"`
	Docket string `json:"docket"`
}

// StepView is a step of a packet.
type StepView struct {
	Name     string   `json:"name" enum:"profile,equipment,insurance,w9,remit_to,agreement,identity"`
	Title    string   `json:"title"`
	Required bool     `json:"required"`
	Saved    bool     `json:"saved"`
	Done     bool     `json:"done"`
	Problems problems `json:"problems" doc:"Problems by field; the empty key is the step itself."`
}

// SchemaName implements web.SchemaNamer.
func (StepView) SchemaName() string { return "PacketStep" }

type agreement struct {
	Text       string     `json:"text"`
	Version    string     `json:"version" doc:"SHA-256 of the text, in hexadecimal digits."`
	AcceptedBy string     `json:"accepted_by"`
	AcceptedAt *time.Time `json:"accepted_at"`
}

type identity struct {
	VerifiedAt *time.Time `json:"verified_at"`
	Channels   []Channel  `json:"channels" nullable:"false" doc:"Channels for the code, with the masked phone or e-mail of the regulator's record."`
	Pending    *Channel   `json:"pending" doc:"Where the current code was sent."`
}

// FileView is a file as the link holder sees it.
type FileView struct {
	Document string    `json:"document" enum:"certificate,agent_certificate,w9,notice_of_assignment"`
	Name     string    `json:"file_name"`
	Status   string    `json:"status" enum:"received,checking,refused"`
	At       time.Time `json:"at"`
}

// SchemaName implements web.SchemaNamer.
func (FileView) SchemaName() string { return "PacketFile" }

// files are the files of a packet, the oldest first.
type files []attachmentsapi.File

func (d *Desk) files(ctx context.Context, id uuid.UUID) (files, error) {
	all, err := d.near.Files.OfOwner(ctx, Item, id.String())

	return all, err
}

// first returns the newest usable file of the first category that has one, or nil. Files that are being scanned are usable.
func (f files) first(categories ...string) *uuid.UUID {
	for _, category := range categories {
		for _, file := range slices.Backward(f) {
			if file.Category == category && (file.State == "ready" || file.State == "scanning") {
				if id, err := uuid.Parse(file.UUID); err == nil {
					return &id
				}
			}
		}
	}

	return nil
}

func (f files) views() []FileView {
	all := []FileView{}
	for _, file := range f {
		v := FileView{Document: file.Category, Name: file.FileName, Status: "received", At: file.CreatedAt}
		switch file.State {
		case "scanning", "uploading":
			v.Status = "checking"
		case "quarantined":
			v.Status = "refused"
		}
		all = append(all, v)
	}

	return all
}

// versionOf returns the version of an agreement.
func versionOf(text string) string {
	sum := sha256.Sum256([]byte(text))

	return hex.EncodeToString(sum[:])
}

// steps returns the steps of a packet with their problems.
func (p *Packet) steps(f files, today field.Date) []StepView {
	of := &p.Proposal.V
	made := func(name string, required, saved bool, wrong problems) StepView {
		return StepView{Name: name, Title: titles[name], Required: required, Saved: saved, Done: len(wrong) == 0 && (saved || !required), Problems: wrong}
	}
	all := []StepView{
		made(stepProfile, true, of.Profile != nil, of.Profile.check()),
		made(stepEquipment, false, of.Equipment != nil, of.Equipment.check()),
	}
	for _, name := range p.Documents.V {
		switch name {
		case stepInsurance:
			all = append(all, made(name, true, of.Insurance != nil, of.Insurance.check(today, f.first(certificate, agentCertificate) != nil)))
		case stepW9:
			wrong, there := problems{}, f.first(stepW9) != nil
			if !there {
				wrong.add("", "Upload your W-9.")
			}
			all = append(all, made(name, true, there, wrong))
		case stepRemitTo:
			all = append(all, made(name, true, of.RemitTo != nil, of.RemitTo.check(f.first(notice) != nil)))
		case stepAgreement:
			wrong := problems{}
			if of.Agreement == nil {
				wrong.add("", "Accept the agreement.")
			}
			all = append(all, made(name, true, of.Agreement != nil, wrong))
		case stepIdentity:
			wrong := problems{}
			if of.VerifiedAt == nil {
				wrong.add("", "Confirm your identity with a code.")
			}
			all = append(all, made(name, true, of.VerifiedAt != nil, wrong))
		}
	}

	return all
}

func complete(steps []StepView) bool {
	return !slices.ContainsFunc(steps, func(s StepView) bool { return !s.Done })
}

// view returns a packet as the link holder sees it.
func (d *Desk) view(ctx context.Context, row Packet) (v View, err error) {
	known, err := d.near.Carriers.Known(ctx, row.Carrier)
	if err != nil {
		return v, err
	}
	f, err := d.files(ctx, row.ID)
	if err != nil {
		return v, err
	}
	today, err := d.packets.Today(ctx)
	if err != nil {
		return v, err
	}
	brand, err := d.near.Brands.Brand(ctx)
	if err != nil {
		return v, err
	}
	company, err := d.near.Brands.Identity(ctx)
	if err != nil {
		return v, err
	}
	of := row.Proposal.V
	v = View{
		Brand: page.Brand{Name: brand.Name, Color: brand.PrimaryColor}, Zone: company.TimeZone, Carrier: subject{known.LegalName, known.USDOT, known.Docket},
		State: row.State, Reason: row.Reason, ExpiresAt: row.LinkExpires, Steps: row.steps(f, today), Record: known.Record, RemitTo: of.RemitTo,
		Profile: prefilled(known), Equipment: Equipment{Units: []Unit{}, Lanes: []Lane{}}, Files: f.views(), Identity: identity{VerifiedAt: of.VerifiedAt, Channels: []Channel{}},
	}
	v.Complete = complete(v.Steps)
	if of.Profile != nil {
		v.Profile = *of.Profile
	}
	if of.Equipment != nil {
		v.Equipment = *of.Equipment
	}
	if of.Insurance != nil {
		v.Insurance = *of.Insurance
	}
	v.Channels = []string{}
	if d.outside.BaseURL != "" { // a message needs the whole address of the link
		if v.Channels, err = d.outside.Channels.Channels(ctx); err != nil {
			return v, err
		}
	}

	return v, d.viewAsked(ctx, row, &v)
}

// viewAsked adds the agreement and the identity if the packet requests them.
func (d *Desk) viewAsked(ctx context.Context, row Packet, v *View) (err error) {
	if row.asks(stepAgreement) {
		if v.Agreement, err = d.agreementOf(ctx, row); err != nil {
			return err
		}
	}
	if row.asks(stepIdentity) && v.Identity.VerifiedAt == nil {
		if v.Identity.Channels, err = d.near.Identities.Channels(ctx, row.Carrier); err != nil {
			return err
		}
		v.Identity.Pending, err = d.near.Identities.Pending(ctx, row.Carrier)
	}

	return err
}

// agreementOf returns the accepted agreement of a packet, or the company's.
func (d *Desk) agreementOf(ctx context.Context, row Packet) (*agreement, error) {
	if a := row.Proposal.V.Agreement; a != nil {
		return &agreement{Text: a.Text, Version: a.Version, AcceptedBy: a.Name, AcceptedAt: &a.At}, nil
	}
	settings, err := d.settings.read(ctx)

	return &agreement{Text: settings.Agreement, Version: versionOf(settings.Agreement)}, err
}

// prefilled returns the profile of the regulator's record, for a packet without a saved one.
func prefilled(k Known) Profile {
	p := Profile{LegalName: k.Record.LegalName, DBA: k.Record.DBA, Phone: k.Record.Phone, Email: k.Record.Email}
	if p.LegalName == "" {
		p.LegalName = k.LegalName
	}

	return p
}

// SchemaName implements web.SchemaNamer.
func (subject) SchemaName() string { return "PacketCarrier" }

// SchemaName implements web.SchemaNamer.
func (agreement) SchemaName() string { return "PacketAgreement" }

// SchemaName implements web.SchemaNamer.
func (identity) SchemaName() string { return "PacketIdentity" }

// SchemaName implements web.SchemaNamer.
func (Record) SchemaName() string { return "PacketRecord" }

// SchemaName implements web.SchemaNamer.
func (Channel) SchemaName() string { return "PacketChannel" }
