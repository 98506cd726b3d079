package envelopes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/notify"
)

// Gate refuses recipients to whom providers must not write.
type Gate struct{ screens *notify.Service }

// NewGate returns a Gate.
func NewGate(screens *notify.Service) Gate { return Gate{screens} }

// done are the states of recipients to whom the provider does not write again.
var done = []store.RecipientStatus{store.RecipientSigned, store.RecipientCompleted, store.RecipientDeclined}

// check refuses recipients whom no area lets be written to. Embedded signers are not written to: they sign where they are. Error: notify.ErrRefused.
func (g Gate) check(ctx context.Context, all []store.Recipient) error {
	wrong, reasons := notify.ErrRefused, []string{}
	for i, r := range all {
		if r.Embedded || slices.Contains(done, r.State) {
			continue
		}
		refused, err := g.screens.Screened(ctx, notify.Address{Channel: notify.Email, To: r.Email})
		if err != nil {
			return err
		}
		if len(refused) > 0 {
			wrong = wrong.WithField(fmt.Sprintf("recipients.%d.email", i), strings.Join(refused, " "))
			reasons = append(reasons, refused...)
		}
	}
	if len(reasons) == 0 {
		return nil
	}

	return wrong.WithDetail("reasons", slices.Compact(reasons))
}
