// Package papers has the papers of carriers: certificates of insurance, and agreements that are signed in envelopes.
package papers

import (
	"context"
	"slices"
	"strconv"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Certificates checks what of certificates cannot be seen of the carrier alone.
type Certificates struct {
	carriers *resource.Resource[store.Carrier]
	items    *item.Registry
}

// NewCertificates returns a Certificates.
func NewCertificates(carriers *resource.Resource[store.Carrier], items *item.Registry) *Certificates {
	return &Certificates{carriers, items}
}

// fresh is a certificate that a carrier did not have before, and where it is.
type fresh struct {
	store.Policy

	at string
}

// Decide refuses new certificates that were verified in the future, or whose files do not exist, of all carriers at once.
func (s *Certificates) Decide(ctx context.Context, all []*resource.Change[store.Carrier]) error {
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
		wrong := store.ErrCarrier
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

func freshOf(c *resource.Change[store.Carrier]) (made []fresh) {
	var before []store.Policy
	if c.Before != nil {
		before = c.Before.Insurance.V
	}
	for i, p := range c.After.Insurance.V {
		if !slices.ContainsFunc(before, func(b store.Policy) bool { return store.EntryKey(&b) == store.EntryKey(&p) }) {
			made = append(made, fresh{p, "insurance." + strconv.Itoa(i)})
		}
	}

	return made
}
