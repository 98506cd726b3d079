package store

import (
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
)

// Policy is a certificate of insurance.
type Policy struct {
	Kind       string       `json:"kind" enum:"auto_liability,cargo,general,workers_comp,umbrella"`
	Insurer    string       `json:"insurer" minLength:"1" maxLength:"200"`
	Number     string       `json:"policy" maxLength:"100"`
	Cover      money.Amount `json:"each_occurrence" doc:"Cover of each occurrence, in US dollars."`
	Deductible money.Amount `json:"deductible,omitempty"`
	Effective  field.Date   `json:"effective,omitempty" doc:"First day. Before it, the certificate does not count."`
	Expires    field.Date   `json:"expires" doc:"Last day."`
	Exclusions string       `json:"exclusions,omitempty" maxLength:"2000"`
	File       *uuid.UUID   `json:"attachment_uuid,omitempty" doc:"The certificate, as an attachment."`
	Verified   field.Date   `json:"verified,omitempty" doc:"When it was confirmed with the insurance agent. Unverified certificates do not count."`
	How        string       `json:"verified_how,omitempty" maxLength:"500"`
}

// check refuses a certificate, which is named by at, that is none.
func (p Policy) check(at string, wrong *errs.Error) *errs.Error {
	switch {
	case p.Expires == "":
		wrong = wrong.WithField(at+".expires", "`expires` is required.")
	case p.Expires < p.Effective:
		wrong = wrong.WithField(at+".expires", "`expires` must not be before `effective`.")
	}
	if p.Cover.Negative() {
		wrong = wrong.WithField(at+".each_occurrence", "The each occurrence must not be negative.")
	}
	if p.Deductible.Negative() {
		wrong = wrong.WithField(at+".deductible", "The deductible must not be negative.")
	}

	return wrong
}

// Cargo returns, of the verified cargo certificates that have begun by a day, the one with the greatest cover, and of equal ones the one that expires last.
// One that has run out by then counts only without another. With no day, all count.
func (c *Carrier) Cargo(by field.Date) verdict.Certificate {
	var best verdict.Certificate
	for _, p := range c.Insurance.V {
		if p.Kind != "cargo" || p.Verified == "" || p.Cover == "" || by != "" && p.Effective > by {
			continue
		}
		of := verdict.Certificate{Cover: p.Cover, Expires: p.Expires, Source: "certificate " + string(p.Verified)}
		if over, other := of.Expires < by, best.Expires < by; best.Cover == "" || other && !over || over == other && of.Better(best) {
			best = of
		}
	}

	return best
}
