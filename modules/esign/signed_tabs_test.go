package esign

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/esign/internal/documents"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/web"
)

func TestDocuments_DoNotWaitForValuesThatTheProviderRefusesToTell(t *testing.T) {
	t.Parallel()
	eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		row := p.completed(ctx, t)
		job := documents.FetchDocuments{Company: row.CompanyID, Envelope: row.ID}
		refuses := &provider.Error{Reason: provider.RateLimited, Taken: provider.No, Retryable: true}
		p.vendor.fails = func(call string) error {
			if call == "tabs" {
				return refuses
			}

			return nil
		}
		require.Error(t, p.archive.Fetch(ctx, job), "it is tried again")
		require.Equal(t, documents.DocumentsWanted, p.now(ctx, t, row.ID).Documents)
		refuses = &provider.Error{Reason: provider.Forbidden, Taken: provider.No}
		require.NoError(t, p.archive.Fetch(ctx, job))
		row = p.now(ctx, t, row.ID)
		require.Equal(t, documents.DocumentsStored, row.Documents)
		require.Contains(t, row.DocumentsProblem, "could not be read")
		people, err := p.store.Recipients(ctx, row.ID)
		require.NoError(t, err)
		require.Nil(t, people[0].SignedTabs)

		p.vendor.fails = nil
		p.vendor.signed = map[string][]provider.SignedTab{"1": {{Label: "subject", Value: "A truck", Prefilled: "A car"}}}
		_, err = p.requests.Retry(ctx, row.ID, web.IfMatch{}.Check)
		require.NoError(t, err)
		require.NoError(t, p.archive.Fetch(ctx, job))
		row = p.now(ctx, t, row.ID)
		require.Equal(t, []string{documents.DocumentsStored, ""}, []string{row.Documents, row.DocumentsProblem})
		people, err = p.store.Recipients(ctx, row.ID)
		require.NoError(t, err)
		require.Equal(t, []store.SignedTab{{SignedTab: p.vendor.signed["1"][0]}}, people[0].SignedTabs)
		require.Equal(t, []store.SignedTab{}, people[1].SignedTabs, "there was nothing to fill in")
		status, err := newContract(p.store, p.drafts, p.orders).Status(ctx, row.ID.String())
		require.NoError(t, err)
		require.Equal(t, "A truck", status[row.ID.String()].Tabs[0].Value)
		_, err = p.requests.Retry(ctx, row.ID, web.IfMatch{}.Check)
		require.ErrorIs(t, err, store.ErrNoDocument, "there is nothing more to fetch")
	})
}
