package carriers

import (
	"context"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// policy is a certificate of insurance.
type policy struct {
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
func (p policy) check(at string, wrong *errs.Error) *errs.Error {
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

// cargo returns, of the verified cargo certificates that have begun by a day, the one with the greatest cover, and of equal ones the one that expires last.
// One that has run out by then counts only without another. With no day, all count.
func (c *carrier) cargo(by field.Date) verdict.Certificate {
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

// certificates checks what of certificates cannot be seen of the carrier alone.
type certificates struct {
	carriers *resource.Resource[carrier]
	items    *item.Registry
}

func newCertificates(carriers *resource.Resource[carrier], items *item.Registry) *certificates {
	return &certificates{carriers, items}
}

// fresh is a certificate that a carrier did not have before, and where it is.
type fresh struct {
	policy

	at string
}

// decide refuses new certificates that were verified in the future, or whose files do not exist, of all carriers at once.
func (s *certificates) decide(ctx context.Context, all []*resource.Change[carrier]) error {
	made, files := make([][]fresh, len(all)), []item.Ref{}
	for i, c := range all {
		if c.Verb != resource.Create && c.Verb != resource.Update {
			continue
		}
		made[i] = freshOf(c)
		for _, p := range made[i] {
			if p.File != nil {
				files = append(files, item.Ref{Type: attachmentsapi.Item, UUID: *p.File})
			}
		}
	}
	if !slices.ContainsFunc(made, func(of []fresh) bool { return len(of) > 0 }) {
		return nil
	}
	today, err := s.carriers.Today(ctx)
	if err != nil {
		return err
	}
	var missing []item.Ref
	if len(files) > 0 {
		if missing, err = s.items.Exists(ctx, files...); err != nil {
			return err
		}
	}
	for i, c := range all {
		wrong := errCarrier
		for _, p := range made[i] {
			if p.Verified > today {
				wrong = wrong.WithField(p.at+".verified", "`verified` must not be in the future.")
			}
			if p.File != nil && slices.Contains(missing, item.Ref{Type: attachmentsapi.Item, UUID: *p.File}) {
				wrong = wrong.WithField(p.at+".attachment_uuid", "There is no such file.")
			}
		}
		if len(wrong.Fields) > 0 {
			c.Refuse(wrong)
		}
	}

	return nil
}

func freshOf(c *resource.Change[carrier]) (made []fresh) {
	var before []policy
	if c.Before != nil {
		before = c.Before.Insurance.V
	}
	for i, p := range c.After.Insurance.V {
		if !slices.ContainsFunc(before, func(b policy) bool { return whole(&b) == whole(&p) }) {
			made = append(made, fresh{p, "insurance." + strconv.Itoa(i)})
		}
	}

	return made
}

// dayOf is the day by which the papers of a carrier must be good: that of the delivery of a load, or today.
func dayOf(load *verdict.Load, today field.Date) field.Date {
	if load == nil {
		return today
	}

	return max(load.Delivery, today)
}
