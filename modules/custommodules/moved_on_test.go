package custommodules_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/contacts"
	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const collectionsPath = "/collections/api/v1/collections"

// meddler changes the definition of a module whenever a record of it is about to be saved.
type meddler struct{ db *database.DB }

func (m *meddler) onSaving(ctx context.Context, s *custommodulesapi.RecordSaving) error {
	return m.db.Raw(ctx, "a test").Exec("UPDATE custom_modules_modules SET revision = revision + 1 WHERE id = ?", uuid.MustParse(s.Module)).Error
}

func TestCreateRecord_IsRefusedWhileItsModuleChangesAgainAndAgain(t *testing.T) {
	t.Parallel()
	meddles := module.New("meddler", "Changes modules", fx.Provide(func(db *database.DB) *meddler { return &meddler{db} }, fx.Private),
		hook.On((*meddler).onSaving)).Listens(custommodulesapi.Area)
	moduletest.BootEach(t, append(modules(), meddles), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		y := yard{App: a}
		parts := y.module(t, "Parts", object{"key": "size", "type": "text"})
		y.create(t, parts, object{"size": "7"}).Refused(t, http.StatusConflict, "custom_modules.moved_on")
		require.Zero(t, y.records(t, parts))
	})
}

func TestOwnFields_ReferToNoRecordThatIsDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, append(modules(), collections.Module, companies.Module, contacts.Module), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		y := yard{App: a}
		parts := y.module(t, "Parts", object{"key": "size", "type": "text"})
		y.post(t, collectionsPath+"/"+parts+"/fields", object{"key": "more", "type": "text"}).
			Refused(t, http.StatusConflict, "custom_modules.collection_not_extended")
		y.post(t, collectionsPath+"/contacts.contact/fields", object{"key": "part", "type": "reference", "options": object{"module_uuid": parts}}).OK(t)
		if y.DB.Dialect() == database.SQLite {
			return // one transaction writes at a time
		}
		part := y.create(t, parts, object{"size": "7"}).OK(t).Get("uuid").String()
		answers := make(chan moduletest.Response, 1)
		ctx := principal.With(t.Context(), principal.ForCompany(y.Owner.ID))
		require.NoError(t, y.DB.InTx(ctx, func(ctx context.Context) error {
			err := y.DB.Raw(ctx, "a test").Exec(`WITH held AS (SELECT id FROM custom_modules_records WHERE id = ? FOR UPDATE)
				UPDATE custom_modules_records SET deleted_at = now() WHERE id IN (SELECT id FROM held)`, part).Error
			go func() {
				answers <- y.post(t, "/contacts/api/v1/contacts", object{"name": "Ann", "custom": object{"part": object{"record_uuid": part}}})
			}()
			y.AwaitLock(t)

			return err
		}))
		answer := <-answers
		answer.Refused(t, http.StatusUnprocessableEntity, "custom_modules.reference_missing")
		require.Zero(t, y.get(t, "/contacts/api/v1/contacts").OK(t).Get("data.#").Int())
	})
}
