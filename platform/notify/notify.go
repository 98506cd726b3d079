// Package notify sends messages to people who have no account: a carrier's link, an identity code.
//
// An area provides a channel in its manifest, as a method that runs as the caller and joins the caller's transaction:
//
//	notify.Channel("sms", (contract).notify)
//
//	func (c contract) notify(ctx context.Context, m notify.Message) error { … }
//
// Whoever sends takes *notify.Service and names the channel; a channel that no enabled area provides is ErrNoChannel. See
// docs/notify.md.
package notify

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"

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

// ErrNoChannel is for a channel that no area provides to the company.
var ErrNoChannel = errs.New(errs.Conflict, "notify.no_channel", "There is no such channel here. Choose another one.")

// Message is what somebody is sent.
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
}

// Gate says whether a company uses an area.
type Gate interface {
	Allows(ctx context.Context, company uuid.UUID, area string) (bool, error)
}

// Service knows the channels of the enabled areas. It may be used from several goroutines once it is filled.
type Service struct {
	gate     Gate
	channels map[string]channel
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

// Send sends a message of the caller's company. Errors: ErrNoChannel, which lists the channels that there are, and those of the
// channel.
func (s *Service) Send(ctx context.Context, m Message) error {
	c, ok := s.channels[m.Channel]
	if ok {
		used, err := s.uses(ctx, c.area)
		if err != nil {
			return err
		}
		ok = used
	}
	if !ok {
		there, err := s.Channels(ctx)
		if err != nil {
			return err
		}

		return ErrNoChannel.WithDetail("channels", there)
	}

	return c.send(ctx, m)
}
