package packetlink

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/platform/page"
)

// View is a packet as the link holder sees it.
type View struct {
	Brand     page.Brand        `json:"brand"`
	Zone      string            `json:"time_zone" doc:"The company's time zone."`
	Carrier   subject           `json:"carrier"`
	State     packet.State      `json:"state" enum:"sent,started,submitted,approved,rejected"`
	Reason    string            `json:"reason" doc:"Why the packet was rejected."`
	ExpiresAt time.Time         `json:"expires_at"`
	Steps     []packet.StepView `json:"steps" nullable:"false"`
	Complete  bool              `json:"complete" doc:"Whether the packet can be submitted."`

	Profile   packet.Profile    `json:"profile" doc:"Saved profile, or by default that of the regulator's record."`
	Record    packet.Record     `json:"record" doc:"The regulator's record."`
	Equipment packet.Equipment  `json:"equipment"`
	Insurance packet.Insurance  `json:"insurance"`
	RemitTo   *packet.RemitTo   `json:"remit_to"`
	Agreement *agreement        `json:"agreement"`
	Identity  identity          `json:"identity"`
	Files     []packet.FileView `json:"files" nullable:"false"`
	Channels  []string          `json:"channels" nullable:"false" doc:"Channels that can send the insurance agent a link."`

	// Step and Problem are those of the query.
	Step    string `json:"step"`
	Problem string `json:"problem"`
}

// SchemaName implements web.SchemaNamer.
func (View) SchemaName() string { return "PacketView" }

// subject is the carrier of a packet.
type subject struct {
	Name   string `json:"name"`
	USDOT  string `json:"usdot"`
	Docket string `json:"docket"`
}

// SchemaName implements web.SchemaNamer.
func (subject) SchemaName() string { return "PacketCarrier" }

// agreement is the agreement of a packet.
type agreement struct {
	Text       string     `json:"text"`
	Version    string     `json:"version" doc:"SHA-256 of the text, in hexadecimal digits."`
	AcceptedBy string     `json:"accepted_by"`
	AcceptedAt *time.Time `json:"accepted_at"`
}

// identity is how far the proof of the carrier's identity is.
type identity struct {
	VerifiedAt *time.Time `json:"verified_at"`
	Channels   []channel  `json:"channels" nullable:"false" doc:"Channels for the code, with the masked phone or e-mail of the regulator's record."`
	Pending    *channel   `json:"pending" doc:"Where the current code was sent."`
}

// SchemaName implements web.SchemaNamer.
func (agreement) SchemaName() string { return "PacketAgreement" }

// SchemaName implements web.SchemaNamer.
func (identity) SchemaName() string { return "PacketIdentity" }

// channel is a way to reach a carrier by the regulator's record, with the masked address.
type channel struct {
	Name string `json:"channel"`
	To   string `json:"to" doc:"The phone or e-mail of the regulator's record, masked."`
}

// SchemaName implements web.SchemaNamer.
func (channel) SchemaName() string { return "PacketChannel" }

// viewOf is what a packet and the record of its carrier show.
func viewOf(row packet.Packet, k packet.Known) View {
	of := row.Proposal.V
	v := View{
		Carrier: subject{k.LegalName, k.USDOT, k.Docket}, State: row.State, Reason: row.Reason, ExpiresAt: row.LinkExpires, Record: k.Record,
		Profile: prefilled(k), Equipment: packet.Equipment{Units: []packet.Unit{}, Lanes: []packet.Lane{}}, RemitTo: of.RemitTo,
		Identity: identity{VerifiedAt: of.VerifiedAt, Channels: []channel{}},
	}
	if of.Profile != nil {
		v.Profile = *of.Profile
	}
	if of.Equipment != nil {
		v.Equipment = *of.Equipment
	}
	if of.Insurance != nil {
		v.Insurance = *of.Insurance
	}

	return v
}

// versionOf returns the version of an agreement.
func versionOf(text string) string {
	sum := sha256.Sum256([]byte(text))

	return hex.EncodeToString(sum[:])
}

// prefilled returns the profile of the regulator's record, for a packet without a saved one.
func prefilled(k packet.Known) packet.Profile {
	p := packet.Profile{LegalName: k.Record.LegalName, DBA: k.Record.DBA, Phone: k.Record.Phone, Email: k.Record.Email}
	if p.LegalName == "" {
		p.LegalName = k.LegalName
	}

	return p
}
