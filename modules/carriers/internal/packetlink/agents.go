package packetlink

import (
	"context"
	"errors"
	"strings"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/onboarding"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/share"
)

// Agents ask insurance agents for certificates.
type Agents struct {
	saver    *Saver
	inviter  *Inviter
	courier  *onboarding.Courier
	limits   *share.Service
	carriers *onboarding.Carriers
}

// NewAgents returns an Agents.
func NewAgents(s *Saver, i *Inviter, c *onboarding.Courier, limits *share.Service, carriers *onboarding.Carriers) *Agents {
	return &Agents{s, i, c, limits, carriers}
}

// A carrier asks few agents for its certificate.
const agentsPerHour, agentsPerDay = 3, 6

// ofAgent names the field of the agent's address.
func ofAgent(err error) error {
	wrong, ok := errors.AsType[*errs.Error](err)
	if !ok || len(wrong.Fields) == 0 {
		return err
	}
	for _, texts := range wrong.Fields {
		return share.ErrRecipient.WithField("to", strings.Replace(texts[0], "`address` must be the number of a contact of the stop, or an ordinary", "`to` must be an ordinary", 1))
	}

	return err
}

// ask sends the insurance agent an upload link of its own: the carrier cannot have altered a certificate that the agent uploads.
func (s *Agents) ask(ctx context.Context, text, channel, to string) (View, error) {
	return s.saver.save(ctx, text, func(ctx context.Context, p *packet.Packet) error {
		if !p.Asks(packet.StepInsurance) {
			return packet.ErrNotAsked
		}
		to, err := s.courier.Recipient(channel, to)
		if err != nil {
			return err
		}
		if err := s.limits.AllowOutsider(ctx, share.Outsider{Thing: packet.Item + " " + p.ID.String(), PerHour: agentsPerHour, PerDay: agentsPerDay},
			[]share.Recipient{{Channel: channel, Address: to}}); err != nil {
			return ofAgent(err)
		}
		known, err := s.carriers.Known(ctx, p.Carrier)
		if err != nil {
			return err
		}
		made, err := s.inviter.invite(ctx, p, packet.AgentCertificate, "Certificate of insurance of "+known.LegalName,
			"Please send the certificate of insurance of "+known.LegalName+", with cargo and auto liability.")
		if err != nil {
			return err
		}
		_, secretText, _ := strings.Cut(made.URL, "/uploads/")

		return s.courier.Send(ctx, notify.Message{
			Channel: channel, To: to, Subject: "Certificate of insurance of " + known.LegalName,
			Text:    secret.Hide(known.LegalName + " asks you to send its certificate of insurance: " + made.URL),
			Secrets: []secret.Text{secret.Hide(secretText)}, About: item.Ref{Type: packet.Item, UUID: p.ID},
		})
	})
}
