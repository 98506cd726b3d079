package esign

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// fetchTabs keeps the values that were signed: recipients change what was filled in. The signed documents do not wait for a
// provider that refuses to tell: then the problem says why.
func (s *archive) fetchTabs(ctx context.Context, open provider.Account, row envelope) (problem string, err error) {
	calling, cancel := context.WithTimeout(ctx, s.settings.CallTimeout)
	defer cancel()
	tabs, err := open.SignedTabs(calling, *row.ExternalID)
	if err == nil {
		return "", s.keepTabs(ctx, row, tabs)
	}
	refusal, answered := errors.AsType[*provider.Error](err)
	attempt, inJob := jobs.Current(ctx)
	if answered && !refusal.Retryable || inJob && attempt.Last {
		return "The documents are stored, but the values that were signed could not be read. " + problemOf(err), nil
	}

	return "", err
}

func (s *archive) keepTabs(ctx context.Context, row envelope, tabs map[string][]provider.SignedTab) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		held, err := s.heldEnvelope(ctx, row.ID)
		if err != nil {
			return err
		}
		people, err := s.recipients(ctx, row.ID)
		if err != nil {
			return err
		}
		for _, r := range people {
			r.SignedTabs, r.UpdatedAt = []signedTab{}, s.clock.Now()
			for _, tab := range tabs[r.ExternalID] {
				r.SignedTabs = append(r.SignedTabs, signedTab{
					SignedTab: tab, Sensitive: slices.Contains(held.Content.Sensitive[r.ExternalID], tab.Label),
				})
			}
			if err := s.saveSignedTabs(ctx, &r); err != nil {
				return err
			}
		}

		return nil
	})
}

// seesSensitive reports whether the caller sees sensitive values of the item that an envelope is about.
func seesSensitive(ctx context.Context, row envelope) bool {
	who, _ := principal.From(ctx)
	area, _, _ := strings.Cut(row.ItemType, ".")

	return who.Allows(area + ":sensitive")
}

// contractTabs are signed values as other areas see them.
func contractTabs(people []recipient, sensitive bool) []esignapi.SignedTab {
	tabs := []esignapi.SignedTab{}
	for _, r := range people {
		for _, tab := range r.SignedTabs {
			if sensitive || !tab.Sensitive {
				tabs = append(tabs, esignapi.SignedTab{
					Recipient: r.ID.String(), Role: r.Role, Label: tab.Label, Value: tab.Value, Prefilled: tab.Prefilled,
				})
			}
		}
	}

	return tabs
}

// signedTabBody is a signed value as the API shows it.
type signedTabBody struct {
	Label     string  `json:"label"`
	Value     *string `json:"value" doc:"As it was signed, as the provider writes it; DocuSign writes a checked box as X. Null where it is withheld."`
	Prefilled *string `json:"prefilled" doc:"What the tab was sent with. Null where it is withheld."`
	Withheld  bool    `json:"withheld" doc:"Whether it was filled in from a sensitive field whose values the caller may not see."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (signedTabBody) SchemaName() string { return "EsignSignedTab" }

// showSigned shows signed values; nil while they are not known.
func showSigned(tabs []signedTab, sensitive bool) []signedTabBody {
	if tabs == nil {
		return nil
	}
	shown := make([]signedTabBody, 0, len(tabs))
	for _, tab := range tabs {
		b := signedTabBody{Label: tab.Label, Withheld: tab.Sensitive && !sensitive}
		if !b.Withheld {
			b.Value, b.Prefilled = &tab.Value, &tab.Prefilled
		}
		shown = append(shown, b)
	}

	return shown
}
