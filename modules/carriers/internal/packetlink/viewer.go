package packetlink

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/onboarding"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/proof"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/platform/page"
)

// Viewer shows packets to the holders of their links.
type Viewer struct {
	carriers *onboarding.Carriers
	progress *onboarding.Progress
	courier  *onboarding.Courier
	brands   companiesapi.Brands
	requests *Requests
}

// NewViewer returns a Viewer.
func NewViewer(
	carriers *onboarding.Carriers, p *onboarding.Progress, c *onboarding.Courier, brands companiesapi.Brands, r *Requests,
) *Viewer {
	return &Viewer{carriers, p, c, brands, r}
}

// view returns a packet as the link holder sees it.
func (s *Viewer) view(ctx context.Context, row packet.Packet) (v View, err error) {
	known, err := s.carriers.Known(ctx, row.Carrier)
	if err != nil {
		return v, err
	}
	steps, files, err := s.progress.Of(ctx, row)
	if err != nil {
		return v, err
	}
	v = viewOf(row, known)
	v.Steps, v.Complete, v.Files = steps, packet.Complete(steps), files.Views()
	brand, err := s.brands.Brand(ctx)
	if err != nil {
		return v, err
	}
	company, err := s.brands.Identity(ctx)
	if err != nil {
		return v, err
	}
	v.Brand, v.Zone = page.Brand(brand), company.TimeZone
	if v.Channels, err = s.courier.Channels(ctx); err != nil {
		return v, err
	}

	return v, s.requests.add(ctx, row, &v)
}

// Requests read what packets ask of carriers besides their entries: to accept the agreement, and to prove their identity.
type Requests struct {
	settings   *packet.CompanySettings
	identities *proof.Identities
}

// NewRequests returns a Requests.
func NewRequests(s *packet.CompanySettings, i *proof.Identities) *Requests { return &Requests{s, i} }

// add adds the agreement and the identity if the packet requests them.
func (s *Requests) add(ctx context.Context, row packet.Packet, v *View) error {
	if row.Asks(packet.StepAgreement) {
		shown, err := s.agreementOf(ctx, row)
		if err != nil {
			return err
		}
		v.Agreement = shown
	}
	if !row.Asks(packet.StepIdentity) || v.Identity.VerifiedAt != nil {
		return nil
	}
	all, err := s.identities.Channels(ctx, row.Carrier)
	if err != nil {
		return err
	}
	for _, one := range all {
		v.Identity.Channels = append(v.Identity.Channels, channel(one))
	}
	pending, err := s.identities.Pending(ctx, row.Carrier)
	v.Identity.Pending = (*channel)(pending)

	return err
}

// agreementOf returns the accepted agreement of a packet, or the company's.
func (s *Requests) agreementOf(ctx context.Context, row packet.Packet) (*agreement, error) {
	if a := row.Proposal.V.Agreement; a != nil {
		return &agreement{Text: a.Text, Version: a.Version, AcceptedBy: a.Name, AcceptedAt: &a.At}, nil
	}
	settings, err := s.settings.Read(ctx)

	return &agreement{Text: settings.Agreement, Version: versionOf(settings.Agreement)}, err
}
