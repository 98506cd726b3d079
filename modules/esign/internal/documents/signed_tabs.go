package documents

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// fetchTabs keeps the values that were signed: recipients change what was filled in. The signed documents do not wait for a
// provider that refuses to tell: then the problem says why.
func (s *Archive) fetchTabs(ctx context.Context, open provider.Account, row store.Envelope) (problem string, err error) {
	calling, cancel := s.vendors.CallContext(ctx)
	defer cancel()
	tabs, err := open.SignedTabs(calling, *row.ExternalID)
	if err == nil {
		return "", s.requests.saveTabs(ctx, row, tabs)
	}
	refusal, answered := errors.AsType[*provider.Error](err)
	attempt, inJob := jobs.Current(ctx)
	if answered && !refusal.Retryable || inJob && attempt.Last {
		return "The documents are stored, but the values that were signed could not be read. " + explainFailure(err), nil
	}

	return "", err
}

func (s *Requests) saveTabs(ctx context.Context, row store.Envelope, tabs map[string][]provider.SignedTab) error {
	return s.store.DB.InTx(ctx, func(ctx context.Context) error {
		held, err := s.store.HeldEnvelope(ctx, row.ID)
		if err != nil {
			return err
		}
		people, err := s.store.Recipients(ctx, row.ID)
		if err != nil {
			return err
		}
		for _, r := range people {
			r.SignedTabs, r.UpdatedAt = []store.SignedTab{}, s.clock.Now()
			for _, tab := range tabs[r.ExternalID] {
				r.SignedTabs = append(r.SignedTabs, store.SignedTab{
					SignedTab: tab, Sensitive: slices.Contains(held.Content.Sensitive[r.ExternalID], tab.Label),
				})
			}
			if err := s.store.SaveSignedTabs(ctx, &r); err != nil {
				return err
			}
		}

		return nil
	})
}

// SeesSensitive reports whether the caller sees sensitive values of the item that an envelope is about.
func SeesSensitive(ctx context.Context, row store.Envelope) bool {
	who, _ := principal.From(ctx)
	area, _, _ := strings.Cut(row.ItemType, ".")

	return who.Allows(area + ":sensitive")
}

// VisibleTabs are signed values as other areas see them.
func VisibleTabs(people []store.Recipient, sensitive bool) []esignapi.SignedTab {
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
