package custommodules

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/verify"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// proven is what of the service is verified: a module with a field of each kind of slot, and another that
// its records point at.
type proven struct {
	s        *service
	ctx      context.Context
	module   definition.ModuleRow
	target   definition.ModuleRow
	record   records.Stored
	pointed  records.Stored
	deleted  records.Stored
	fieldIDs map[string]uuid.UUID
}

func newProven(ctx context.Context, t *testing.T, s *service) proven {
	t.Helper()
	p := proven{s: s, ctx: ctx, fieldIDs: map[string]uuid.UUID{}}
	var err error
	p.target, _, err = s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Targets", Fields: []definition.NewField{{Key: "name", Type: "text"}}})
	require.NoError(t, err)
	var fields []definition.FieldRow
	p.module, fields, err = s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Proven", Fields: []definition.NewField{
		{Key: "code", Type: "text", Unique: true, Indexed: true},
		{Key: "price", Type: "decimal", Indexed: true},
		{Key: "size", Type: "integer", Indexed: true, Unique: true},
		{Key: "day", Type: "date", Indexed: true},
		{Key: "at", Type: "datetime", Indexed: true},
		{Key: "on", Type: "boolean", Indexed: true},
		{Key: "hour", Type: "time", Indexed: true},
		{Key: "long", Type: "weight", Indexed: true},
		{Key: "target", Type: "reference", Options: []byte(`{"module_uuid":"` + p.target.ID.String() + `"}`)},
		{Key: "day_2", Type: "date", Indexed: true},
		{Key: "day_3", Type: "date", Indexed: true},
		{Key: "more", Type: "date", Indexed: true},
		{Key: "none", Type: "date", Indexed: true}, // beyond the slots
	}})
	require.NoError(t, err)
	for _, f := range fields {
		p.fieldIDs[f.Key] = f.ID
	}
	p.pointed = p.create(t, p.target.ID, `{"name":"a"}`)
	payload := `{"code":"%s","price":"-12.50","size":%d,"day":"2026-12-01","at":"2026-12-01T09:30:00.120Z","on":%t,"hour":"09:30:00",` +
		`"long":{"value":"3","unit":"oz"},"target":{"record_uuid":"` + p.pointed.ID.String() + `"},"more":"2026-12-03"}`
	p.record = p.create(t, p.module.ID, fmt.Sprintf(payload, "a", 1, true))
	p.create(t, p.module.ID, fmt.Sprintf(payload, "b", 2, false))
	p.create(t, p.module.ID, `{}`)
	p.deleted = p.create(t, p.module.ID, fmt.Sprintf(payload, "c", 3, true))
	require.NoError(t, s.records.DeleteRecord(ctx, p.deleted.ID, records.Always{}))
	_, err = s.records.UpdateRecord(ctx, p.record.ID, []byte(`{"code":"d"}`), records.Always{})
	require.NoError(t, err)

	return p
}

func (p proven) create(t *testing.T, module uuid.UUID, payload string) records.Stored {
	t.Helper()
	made, err := p.s.records.CreateRecord(p.ctx, database.NewID(), module, []byte(payload))
	require.NoError(t, err)

	return made
}

// errUndone ends the transaction of a trial.
var errUndone = errors.New("undone")

// trial requires what verify finds after some damage, which is undone.
func (p proven) trial(t *testing.T, damage string, want ...string) {
	t.Helper()
	ids := strings.NewReplacer("$RECORD", "'"+p.record.ID.String()+"'", "$DELETED", "'"+p.deleted.ID.String()+"'",
		"$POINTED", "'"+p.pointed.ID.String()+"'", "$COMPANY", "'"+p.record.CompanyID.String()+"'", "$NEW", "'"+uuid.NewString()+"'",
		"$MODULE", "'"+p.module.ID.String()+"'", "$CODE", "'"+p.fieldIDs["code"].String()+"'", "$TARGET", "'"+p.fieldIDs["target"].String()+"'",
		"$MORE", "'"+p.fieldIDs["more"].String()+"'", "$NONE", "'"+p.fieldIDs["none"].String()+"'")
	err := p.s.db.InTx(p.ctx, func(ctx context.Context) error {
		result := p.s.db.Raw(ctx, "damage").Exec(ids.Replace(damage))
		require.NoErrorf(t, result.Error, "%s", damage)
		require.NotZerof(t, result.RowsAffected, "%s", damage)
		require.ElementsMatchf(t, want, p.in(ctx).verify(t), "%s", damage)

		return errUndone
	})
	require.ErrorIs(t, err, errUndone)
}

func (p proven) in(ctx context.Context) proven {
	p.ctx = ctx

	return p
}

func (p proven) verify(t require.TestingT) []string {
	var found []string
	_, err := p.s.verifier.Verify(p.ctx, principal.CompanyOf(p.ctx), func(f verify.Finding) { found = append(found, string(f.Kind)+" "+f.Field) })
	require.NoError(t, err)

	return found
}

func TestVerify_NamesEveryKindOfDamage(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		p := newProven(ctx, t, s)
		require.Empty(t, p.verify(t))
		const records, where = "UPDATE custom_modules_records SET ", " WHERE id = $RECORD"
		document := func(was, is string) string {
			data := "replace(data, '" + was + "', '" + is + "')"
			if s.db.Dialect() == database.Postgres {
				data = "replace(data::text, '" + was + "', '" + is + "')::jsonb"
			}

			return records + "data = " + data + where
		}
		quoted := func(text string) string { return `"` + text + `"` }
		for _, tc := range [][]string{
			{records + "text_1 = 'x'" + where, "slot code"},
			{records + "text_1 = NULL" + where, "slot code"},
			{records + "numeric_1 = NULL" + where, "slot price"},
			{records + "time_1 = '2026-12-02 00:00:00'" + where, "slot day"},
			{records + "time_2 = '2026-12-01 09:30:00.13'" + where, "slot at"},
			{records + "bool_1 = NOT bool_1" + where, "slot on"},
			{records + "uuid_1 = $NEW" + where, "slot target"},
			{document(quoted("d"), quoted("e")), "slot code", "unique code", "unique code"},
			{document(quoted("-12.50"), quoted("a lot")), "document price", "slot price"},
			{records + "data = '[]'" + where, "document "},
			{records + "schema_revision = 99" + where, "revision "},
			{records + "deleted_at = updated_at" + where, "history ", "unique code", "unique size", "index more", "usage "},
			{records + "version = 3" + where, "history "},
			{"UPDATE custom_modules_history SET version = 3 WHERE record_id = $RECORD", "history "},
			{"DELETE FROM custom_modules_history WHERE record_id = $RECORD", "history "},
			{"DELETE FROM custom_modules_unique WHERE record_id = $RECORD AND field_id = $CODE", "unique code"},
			{"UPDATE custom_modules_unique SET value = 'z' WHERE record_id = $RECORD AND field_id = $CODE", "unique code", "unique code"},
			{"INSERT INTO custom_modules_unique VALUES ($COMPANY, $MODULE, $CODE, 'c', $DELETED)", "unique code"},
			{"DELETE FROM custom_modules_index WHERE record_id = $RECORD", "index more"},
			{"UPDATE custom_modules_index SET time_value = '2026-12-04 00:00:00' WHERE record_id = $RECORD", "index more"},
			{"UPDATE custom_modules_index SET text_value = 'x' WHERE record_id = $RECORD", "index more"},
			{
				"INSERT INTO custom_modules_index (company_id, record_id, field_id, time_value) VALUES ($COMPANY, $RECORD, $NONE, '2026-12-04 00:00:00')",
				"index none",
			},
			{
				"INSERT INTO custom_modules_index (company_id, record_id, field_id, time_value) VALUES ($COMPANY, $DELETED, $MORE, '2026-12-03 00:00:00')",
				"index more",
			},
			{"INSERT INTO custom_modules_index (company_id, record_id, field_id) VALUES ($COMPANY, $NEW, $MORE)", "orphan "},
			{"DELETE FROM custom_modules_links WHERE record_id = $RECORD", "link target"},
			{"DELETE FROM custom_modules_links WHERE record_id = $DELETED", "link target"},
			{"UPDATE custom_modules_links SET target_id = $NEW WHERE record_id = $RECORD", "link target", "link target"},
			{"INSERT INTO custom_modules_links VALUES ($COMPANY, $NEW, $TARGET, $POINTED)", "orphan "},
			{"INSERT INTO custom_modules_unique VALUES ($COMPANY, $MODULE, $CODE, 'q', $NEW)", "orphan "},
			{"UPDATE custom_modules_records SET deleted_at = updated_at WHERE id = $POINTED", "history ", "reference target", "reference target", "usage "},
		} {
			p.trial(t, tc[0], tc[1:]...)
		}
	})
}

func TestVerifyCommand_SaysWhatItFindsAndFails(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		p := newProven(ctx, t, s)
		var out bytes.Buffer
		require.NoError(t, s.verifier.VerifyCommand(ctx, &out, nil))
		require.Equal(t, "5 records, 0 findings\n", out.String())
		err := s.db.InTx(ctx, func(ctx context.Context) error {
			result := s.db.Raw(ctx, "damage").Exec("UPDATE custom_modules_records SET text_1 = 'x' WHERE id = ?", p.record.ID)
			require.NoError(t, result.Error)
			for _, args := range [][]string{nil, {"--company=" + principal.CompanyOf(ctx).String()}} {
				out.Reset()
				require.ErrorIs(t, s.verifier.VerifyCommand(ctx, &out, args), verify.ErrRecordsWrong)
				require.Equal(t, fmt.Sprintf("slot: company %s module %s record %s field code: The column text_1 has not the value of the document.\n"+
					"5 records, 1 findings\n", principal.CompanyOf(ctx), p.module.ID, p.record.ID), out.String())
			}
			out.Reset()
			require.NoError(t, s.verifier.VerifyCommand(ctx, &out, []string{"--company=" + uuid.NewString()}))

			return errUndone
		})
		require.ErrorIs(t, err, errUndone)
		require.Error(t, s.verifier.VerifyCommand(ctx, &out, []string{"--company=nobody"}))
	})
}
