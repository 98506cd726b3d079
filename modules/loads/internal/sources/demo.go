package sources

import (
	"context"

	"github.com/dispatchd/dispatchd/platform/intake"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Samples are requests of the demo company.
type Samples struct {
	sources *resource.Resource[Source]
	desk    *Desk
}

// NewSamples returns samples.
func NewSamples(sources *resource.Resource[Source], d *Desk) *Samples { return &Samples{sources, d} }

// Seed gives the demo company a source with requests: one that is understood, and two that wait for review.
func Seed(ctx context.Context, s *Samples) error {
	made, err := s.sources.Create(ctx, Source{Name: "Website form", Kind: "webform", Active: true, Threshold: 80, Transport: "open"}) //nolint:mnd // the default
	if err != nil {
		return err
	}
	for _, text := range []string{
		"Name: Lara Quinn\nPhone: 214 555 0160\nPickup: Denver, CO\nDelivery: Phoenix, AZ\nVehicle: 2016 Subaru Forester\nMove date: 2027-03-01",
		"Name: Max Stone\nPhone: 214 555 0161\nPickup: Boston, MA\nVehicle: 2014 Ford Fusion\nComments: I do not know the new address yet.",
		"Hi, can you ship my old truck from Ohio to my son in June? Thanks, Nora",
	} {
		if _, err := s.desk.take(ctx, made.ID, intake.Text, text); err != nil {
			return err
		}
	}

	return nil
}
