// Package notify sends messages to people who have no account: a carrier's link, an identity code.
//
// An area provides a channel in its manifest, as a method that runs as the caller and joins the caller's transaction:
//
//	notify.Channel("sms", (contract).notify)
//
//	func (c contract) notify(ctx context.Context, m notify.Message) error { … }
//
// Senders take *notify.Service and name the channel; a channel that no enabled area provides is ErrNoChannel. Before a message goes to a channel, every
// screen (Screen) may refuse its recipient, such as for an opt-out or the status of a contact: ErrRefused. See docs/notify.md.
package notify

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// The channels that areas agree on.
const (
	SMS   = "sms"
	Email = "email"
)

// ErrNoChannel is for a channel that no area provides to the company, and for recipients that no channel reaches.
var ErrNoChannel = errs.New(errs.Conflict, "notify.no_channel", "There is no such channel here. Choose another one.")

// ErrRefused is for a recipient that must not be written to. Its detail reasons says why.
var ErrRefused = errs.New(errs.Conflict, "notify.recipient_refused", "The recipient must not be written to by this channel. See details.reasons.")

// Purpose is what a message is for: recipients who refuse messages of one purpose may still get others.
type Purpose string

// The purposes. Current business is the default. Sales are offers and quotes. Requested is what the recipient has asked for at this moment, such as a
// code to log in with: no area but that of the channel should refuse it.
const (
	Business  Purpose = "business"
	Sales     Purpose = "sales"
	Requested Purpose = "requested"
)

// Address is a recipient, as screens see it.
type Address struct {
	// Channel is SMS, Email or that of an area; To is an address of it.
	Channel, To string
	Purpose     Purpose
}

// Message is what a recipient is sent.
type Message struct {
	// Channel is SMS, Email or that of an area.
	Channel string
	// To is an address of the channel: a phone number, an e-mail address.
	To string
	// Subject is for channels that have one.
	Subject string
	Text    secret.Text
	// Secrets are the parts of Text that nobody may read afterwards, such as a code or the text of a link. The channel keeps the
	// message without them.
	Secrets []secret.Text
	// About is the item that the message is about.
	About item.Ref
	// Urgent is for what cannot wait for a better hour.
	Urgent bool
	// Purpose is Business if it is not given.
	Purpose Purpose
}

// Gate says whether a company uses an area.
type Gate interface {
	Allows(ctx context.Context, company uuid.UUID, area string) (bool, error)
}

// Service knows the channels and screens of the enabled areas. It may be used from several goroutines once it is filled.
type Service struct {
	gate     Gate
	channels map[string]channel
	screens  []screen
}

// screen is a screen of an area.
type screen struct {
	area, name string
	refuses    func(context.Context, Address) (string, error)
}

type channel struct {
	area string
	send func(context.Context, Message) error
}

// New returns a service without channels. Without a gate, every company uses every area.
func New(gate Gate) *Service { return &Service{gate: gate, channels: map[string]channel{}} }

var nameRule = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// Channel is the manifest line of a channel, which no other area provides. The method stores the message in the caller's
// transaction and sends it afterwards; its errors are errs. T is a type of the area.
func Channel[T any](name string, send func(T, context.Context, Message) error) fx.Option {
	return module.Contribute("channel", name, nil, func(at module.At) fx.Option {
		return module.Register(at, func(s *Service, t T) error {
			return s.add(name, channel{area: at.Area, send: func(ctx context.Context, m Message) error { return send(t, ctx, m) }})
		})
	})
}

// Screen is the manifest line of an area that knows who must not be written to. The method returns why an address must not be written to for a purpose, as a
// sentence for the sender, or "". It runs as the sender's company, which uses the area. T is a type of the area.
func Screen[T any](refuses func(T, context.Context, Address) (string, error)) fx.Option {
	name := module.FuncName(refuses)

	return module.Contribute("screen", name, nil, func(at module.At) fx.Option {
		return module.Register(at, func(s *Service, t T) error {
			s.screens = append(s.screens, screen{at.Area, name, func(ctx context.Context, a Address) (string, error) { return refuses(t, ctx, a) }})
			slices.SortFunc(s.screens, func(a, b screen) int { return strings.Compare(a.area+a.name, b.area+b.name) })

			return nil
		})
	})
}

func (s *Service) add(name string, c channel) error {
	if !nameRule.MatchString(name) {
		return fmt.Errorf("channel %q of messages: want a name of lower case letters, digits and underscores", name)
	}
	if other, taken := s.channels[name]; taken {
		return fmt.Errorf("channel %q of messages is provided by the areas %q and %q", name, other.area, c.area)
	}
	s.channels[name] = c

	return nil
}

// Channels returns the channels that the caller's company has, in their order.
func (s *Service) Channels(ctx context.Context) ([]string, error) {
	names := []string{}
	for _, name := range slices.Sorted(maps.Keys(s.channels)) {
		used, err := s.uses(ctx, s.channels[name].area)
		if err != nil {
			return nil, err
		}
		if used {
			names = append(names, name)
		}
	}

	return names, nil
}

func (s *Service) uses(ctx context.Context, area string) (bool, error) {
	if s.gate == nil {
		return true, nil
	}
	caller, _ := principal.From(ctx)

	return s.gate.Allows(ctx, caller.Company, area)
}

// Refusals returns why an address must not, or cannot, be written to: all reasons, as sentences, none if it can.
func (s *Service) Refusals(ctx context.Context, a Address) ([]string, error) {
	all, err := s.screened(ctx, a, "")
	if err != nil {
		return nil, err
	}
	if _, there, err := s.channel(ctx, a.Channel); err != nil || !there {
		return append([]string{"The company has no area that sends by this channel."}, all...), err
	}

	return all, nil
}

// Screened returns what the screens of other areas than that of the channel say of an address, for messages that the area sends on its own.
func (s *Service) Screened(ctx context.Context, a Address) ([]string, error) {
	return s.screened(ctx, a, s.channels[a.Channel].area)
}

// screened returns what the screens say of an address, but those of one area.
func (s *Service) screened(ctx context.Context, a Address, but string) (all []string, err error) {
	a.Purpose = cmp.Or(a.Purpose, Business)
	for _, one := range s.screens {
		if one.area == but {
			continue
		}
		used, err := s.uses(ctx, one.area)
		if err != nil {
			return nil, err
		}
		if !used {
			continue
		}
		why, err := one.refuses(ctx, a)
		if err != nil {
			return nil, fmt.Errorf("screen of messages %s: %w", one.area, err)
		}
		if why != "" && !slices.Contains(all, why) {
			all = append(all, why)
		}
	}

	return all, nil
}

// channel returns a channel, and whether the caller's company has it.
func (s *Service) channel(ctx context.Context, name string) (channel, bool, error) {
	c, there := s.channels[name]
	if !there {
		return c, false, nil
	}
	used, err := s.uses(ctx, c.area)

	return c, used, err
}

// Send sends a message of the caller's company. Errors: ErrNoChannel, which lists the channels that there are, ErrRefused, and those of the
// channel.
func (s *Service) Send(ctx context.Context, m Message) error {
	c, there, err := s.channel(ctx, m.Channel)
	if err != nil {
		return err
	}
	if !there {
		names, err := s.Channels(ctx)
		if err != nil {
			return err
		}

		return ErrNoChannel.WithDetail("channels", names)
	}
	refused, err := s.screened(ctx, Address{m.Channel, m.To, m.Purpose}, "")
	if err != nil {
		return err
	}
	if len(refused) > 0 {
		return ErrRefused.WithDetail("reasons", refused)
	}

	return c.send(ctx, m)
}
