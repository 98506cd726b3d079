package onboarding

import (
	"context"
	"strings"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Courier creates the links of packets and sends them.
type Courier struct {
	links    *link.Service
	channels *notify.Service
	brands   companiesapi.Brands
	baseURL  string
}

// NewCourier returns a Courier.
func NewCourier(links *link.Service, channels *notify.Service, brands companiesapi.Brands, w web.Settings) *Courier {
	return &Courier{links, channels, brands, strings.TrimSuffix(w.BaseURL, "/")}
}

// byHand is the channel of a link that the user passes on.
const byHand = "link"

// Recipient validates the address that a link is sent to, and returns its stored form. Errors: packet.ErrInvalid, packet.ErrNoAddress.
func (c *Courier) Recipient(channel, to string) (string, error) {
	return recipient(channel, to, c.baseURL != "")
}

// recipient is Recipient; public says that links have a whole address.
func recipient(channel, to string, public bool) (string, error) {
	wrong := packet.ErrInvalid.WithField("to", "`to` must be a phone number for sms, and an e-mail address for email.")
	phone, isPhone := packet.ParsePhone(to)
	email, isEmail := packet.ParseEmail(to)
	switch channel {
	case notify.SMS:
		if !isPhone || phone == "" {
			return "", wrong
		}
	case notify.Email:
		if !isEmail || email == "" {
			return "", wrong
		}
	}
	if channel != byHand && !public {
		return "", packet.ErrNoAddress
	}
	switch {
	case isPhone && phone != "":
		return string(phone), nil
	case isEmail && email != "":
		return string(email), nil
	case strings.TrimSpace(to) == "" && channel == byHand:
		return "", nil
	default:
		return "", packet.ErrInvalid.WithField("to", "`to` must be a phone number or an e-mail address.")
	}
}

// Channels returns the channels that can send a link: none where it has no whole address.
func (c *Courier) Channels(ctx context.Context) ([]string, error) {
	if c.baseURL == "" {
		return []string{}, nil
	}

	return c.channels.Channels(ctx)
}

// Send sends a message about a packet.
func (c *Courier) Send(ctx context.Context, m notify.Message) error { return c.channels.Send(ctx, m) }

// address is the address of a packet's page, without a host where web.base_url is not set.
func (c *Courier) address(text string) string { return c.baseURL + packet.Base + "/packet/" + text }

// deliver creates the link of a packet and sends it. For the channel link it returns the link's text instead.
func (c *Courier) deliver(ctx context.Context, row packet.Packet, known packet.Known) (string, error) {
	_, text, err := c.links.Create(ctx, link.NewLink{
		Purpose: packet.Purpose, Subject: packet.Subject(row.ID), Holder: link.HolderOf(carriersapi.Item, row.Carrier), ExpiresAt: row.LinkExpires,
	})
	if err != nil {
		return "", err
	}
	if row.Channel == byHand {
		return text, nil
	}
	brand, err := c.brands.Brand(ctx)
	if err != nil {
		return "", err
	}
	message := brand.Name + " asks " + known.LegalName + " to fill in its carrier packet: " + c.address(text)

	return "", c.channels.Send(ctx, notify.Message{
		Channel: row.Channel, To: row.To, Subject: "Carrier packet for " + brand.Name, Text: secret.Hide(message),
		Secrets: []secret.Text{secret.Hide(text)}, About: item.Ref{Type: packet.Item, UUID: row.ID},
	})
}

// redeliver revokes the links of a packet, and delivers a new one.
func (c *Courier) redeliver(ctx context.Context, row packet.Packet, known packet.Known) (string, error) {
	if _, err := c.links.RevokeAll(ctx, packet.Purpose, packet.Subject(row.ID)); err != nil {
		return "", err
	}

	return c.deliver(ctx, row, known)
}
