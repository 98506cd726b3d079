package esign

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
)

func TestContract_SendsAndTellsHowFarItIs(t *testing.T) {
	t.Parallel()
	eachPlant(t, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		c := newContract(p.store, p.drafts, p.orders)
		file, err := p.files.Put(ctx, attachmentsapi.NewFile{FileName: "a.pdf"}, strings.NewReader(somePDF))
		require.NoError(t, err)
		wanted := esignapi.Envelope{
			Attachments: []string{file.UUID}, Account: p.account.ID.String(), Subject: "Sign", ItemType: attachmentsapi.Item, ItemUUID: file.UUID,
			Source: "rule 7", Recipients: []esignapi.Recipient{{Name: "Ann", Email: "ann@example.org"}},
		}
		id, err := c.Send(ctx, wanted)
		require.NoError(t, err)
		p.work(ctx, t, uuid.MustParse(id))
		mine, err := c.OfItem(ctx, attachmentsapi.Item, file.UUID)
		require.NoError(t, err)
		require.Len(t, mine, 1)
		require.Equal(t, []string{id, "sent"}, []string{mine[0].UUID, mine[0].State})
		require.NoError(t, c.Void(ctx, id, "not needed"))
		p.act(ctx, t, uuid.MustParse(id))
		all, err := c.Status(ctx, id, uuid.NewString(), "no id")
		require.NoError(t, err)
		require.Len(t, all, 1)
		require.Equal(t, []string{"voided", "not needed"}, []string{all[id].State, all[id].Reason})
		require.False(t, all[id].EndedAt.IsZero())

		_, err = c.Send(ctx, esignapi.Envelope{Mapping: "x"})
		require.ErrorIs(t, err, store.ErrInvalid)
		require.ErrorIs(t, c.Void(ctx, "x", "y"), store.ErrEnvelope)
		require.ErrorIs(t, c.Void(ctx, id, "y"), store.ErrEnded)
		titles, err := p.items.Titles(ctx, []item.Ref{{Type: store.EnvelopeItem, UUID: uuid.MustParse(id)}})
		require.NoError(t, err)
		require.Equal(t, "Sign", titles[0].Title)
		values, err := p.items.Values(ctx, []item.Ref{{Type: store.EnvelopeItem, UUID: uuid.MustParse(id)}}, "state", "subject")
		require.NoError(t, err)
		require.JSONEq(t, `"voided"`, string(values[0]["state"]))

		all, err = c.Status(principal.AsCompany(ctx, p.company()), id)
		require.NoError(t, err)
		require.Empty(t, all, "another company's")
	})
}
