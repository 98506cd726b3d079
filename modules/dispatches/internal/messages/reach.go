package messages

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/share"
)

// Reached says by which channels a carrier can be written to.
type Reached struct {
	Recipients []share.Recipient
	// Unreached are the reasons why the other channels do not reach it, by channel.
	Unreached map[string]string
}

// Why says why no channel reaches the carrier.
func (r Reached) Why() string {
	var texts []string
	for _, channel := range slices.Sorted(maps.Keys(r.Unreached)) {
		texts = append(texts, channel+": "+r.Unreached[channel])
	}

	return strings.Join(texts, " ")
}

// Reach returns the addresses of a carrier by some channels, and why the others do not reach it.
func (w *Writer) Reach(ctx context.Context, id uuid.UUID, channels []string, purpose notify.Purpose) (to Reached, err error) {
	to.Unreached = map[string]string{}
	if len(channels) == 0 {
		return to, nil
	}
	known, err := w.carriers.Reach(ctx, id.String(), carriersapi.Dispatch)
	if err != nil {
		return to, err
	}
	for _, channel := range channels {
		one := share.Recipient{Channel: channel, Address: map[string]string{notify.Email: known.Email, notify.SMS: known.SMS}[channel]}
		if one.Address == "" {
			to.Unreached[channel] = "The carrier has no address for this channel, or does not want to be written to by it."

			continue
		}
		reasons, err := w.links.Refusals(ctx, one, purpose)
		if err != nil {
			return to, err
		}
		if len(reasons) > 0 {
			to.Unreached[channel] = strings.Join(reasons, " ")
		} else {
			to.Recipients = append(to.Recipients, one)
		}
	}

	return to, nil
}

// CheckSent refuses an offer that was to be sent by channels, and that none of them has taken.
func (w *Writer) CheckSent(ctx context.Context, o store.Offer, made share.Share) error {
	if len(o.Channels.V) == 0 || slices.ContainsFunc(made.Deliveries, func(d share.Delivery) bool { return d.Result == share.Sent }) {
		return nil
	}
	to, err := w.Reach(ctx, o.Carrier, o.Channels.V, notify.Sales)
	if err != nil {
		return err
	}
	for _, one := range made.Deliveries {
		to.Unreached[one.Channel] = one.Reason
	}

	return unreached(to)
}

// unreached is the failure of a carrier that no channel reaches.
func unreached(to Reached) error {
	return notify.ErrNoChannel.WithMessage("No channel reaches the carrier: %s To pass on the link yourself, send no channels.", to.Why()).
		WithDetail("unreached", to.Unreached)
}

// Missed returns those of some channels that have not taken a message to a carrier, and why, by channel.
func (w *Writer) Missed(
	ctx context.Context, carrier uuid.UUID, channels []string, made []share.Delivery, purpose notify.Purpose,
) (names []string, why map[string]string, err error) {
	names, why = []string{}, map[string]string{}
	took := func(channel string) bool {
		return slices.ContainsFunc(made, func(d share.Delivery) bool { return d.Channel == channel && d.Result == share.Sent })
	}
	for _, channel := range channels {
		if !took(channel) {
			names = append(names, channel)
		}
	}
	if len(names) == 0 {
		return names, why, nil
	}
	to, err := w.Reach(ctx, carrier, names, purpose)
	for _, channel := range names {
		why[channel] = to.Unreached[channel]
		if i := slices.IndexFunc(made, func(d share.Delivery) bool { return d.Channel == channel }); i >= 0 {
			why[channel] = made[i].Reason
		}
	}

	return names, why, err
}
