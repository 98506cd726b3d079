package onboarding

import (
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
)

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
func differences(k packet.Known, p *packet.Proposal) []Difference {
	all := []Difference{}
	if of := p.Profile; of != nil {
		phone, _ := packet.ParsePhone(of.Phone)
		email, _ := packet.ParseEmail(of.Email)
		for _, c := range []struct{ field, from, to, record string }{
			{"legal_name", k.LegalName, of.LegalName, k.Record.LegalName},
			{"dba", k.DBA, of.DBA, k.Record.DBA},
			{"phone", k.Phone, string(phone), k.Record.Phone},
			{"email", k.Email, string(email), k.Record.Email},
			{"dispatch", "", personText(of.DispatchName, of.DispatchPhone, of.DispatchEmail), ""},
			{"billing", "", personText(of.BillingName, of.BillingPhone, of.BillingEmail), ""},
		} {
			if c.to != "" && c.to != c.from {
				all = append(all, Difference{c.field, c.from, c.to, c.record, c.record != "" && !packet.SameText(c.record, c.to)})
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

// personText returns a person as one line.
func personText(name, phone, email string) string {
	return strings.Join(slices.DeleteFunc([]string{name, phone, email}, func(s string) bool { return s == "" }), ", ")
}
