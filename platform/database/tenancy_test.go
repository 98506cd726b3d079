package database_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// refusedError are statements of which each fails before it reaches the database.
type refusedError map[string]func(f fixture, tx *gorm.DB, own thing) *gorm.DB

func (r refusedError) run(t *testing.T) {
	t.Helper()
	each(t, func(t *testing.T, f fixture) {
		t.Helper()
		own, foreign := f.add(t, f.ctx, "own"), f.add(t, f.other, "foreign")
		for name, statement := range r {
			requireRefused(t, f.write(f.ctx, func(tx *gorm.DB) *gorm.DB { return statement(f, tx, own) }), name)
		}
		requireUnchanged(t, f, own, foreign)
	})
}

func TestTenancy_RefusesReads(t *testing.T) {
	t.Parallel()
	refusedError{
		"a model that embeds one of nobody knows whom": func(_ fixture, tx *gorm.DB, _ thing) *gorm.DB {
			return tx.Find(&[]nested{})
		},
		"a model that is neither Tenant nor Global": func(_ fixture, tx *gorm.DB, _ thing) *gorm.DB {
			return tx.Find(&[]withoutTenant{})
		},
		"Joins": func(_ fixture, tx *gorm.DB, _ thing) *gorm.DB {
			return tx.Joins("JOIN parts ON parts.thing_id = things.id").Find(&[]thing{})
		},
		"a join as a clause": func(_ fixture, tx *gorm.DB, _ thing) *gorm.DB {
			return tx.Clauses(clause.From{Joins: []clause.Join{{Table: clause.Table{Name: "parts"}, ON: clause.Where{
				Exprs: []clause.Expression{clause.Expr{SQL: "1 = 1"}},
			}}}}).Find(&[]thing{})
		},
		"Table with another struct": func(_ fixture, tx *gorm.DB, _ thing) *gorm.DB {
			return tx.Table("things").Find(&[]setting{})
		},
		"Table without a struct": func(_ fixture, tx *gorm.DB, _ thing) *gorm.DB {
			return tx.Table("things").Find(&[]map[string]any{})
		},
		"Table with another name": func(_ fixture, tx *gorm.DB, _ thing) *gorm.DB {
			return tx.Table("things AS t").Find(&[]thing{})
		},
		"a subquery on a model that is neither": func(f fixture, tx *gorm.DB, _ thing) *gorm.DB {
			return tx.Where("id NOT IN (?)", f.Conn(f.ctx).Model(&withoutTenant{}).Select("id")).Find(&[]thing{})
		},
	}.run(t)
}

func TestTenancy_RefusesSQLByHand(t *testing.T) {
	t.Parallel()
	refusedError{
		"Raw": func(_ fixture, tx *gorm.DB, _ thing) *gorm.DB {
			return tx.Raw("SELECT * FROM things").Scan(&[]thing{})
		},
		"Exec": func(_ fixture, tx *gorm.DB, _ thing) *gorm.DB { return tx.Exec("DELETE FROM things") },
		"Raw as a subquery": func(f fixture, tx *gorm.DB, _ thing) *gorm.DB {
			return tx.Where("id IN (?)", f.Conn(f.ctx).Raw("SELECT id FROM things")).Find(&[]thing{})
		},
		"Raw as a subquery of an update": func(f fixture, tx *gorm.DB, _ thing) *gorm.DB {
			return tx.Model(&thing{}).Where("id IN (?)", f.Conn(f.ctx).Raw("SELECT id FROM things")).Update("name", "x")
		},
		"Raw as a value": func(f fixture, tx *gorm.DB, own thing) *gorm.DB {
			return tx.Model(&own).Update("name", f.Conn(f.ctx).Raw("SELECT name FROM things WHERE name = 'foreign'"))
		},
		"Raw as a value of an expression": func(f fixture, tx *gorm.DB, own thing) *gorm.DB {
			return tx.Model(&own).Update("name", gorm.Expr("(?)", f.Conn(f.ctx).Raw("SELECT name FROM things")))
		},
		"Raw as a named value": func(f fixture, tx *gorm.DB, _ thing) *gorm.DB {
			return tx.Where("id IN (@ids)", map[string]any{"ids": f.Conn(f.ctx).Raw("SELECT id FROM things")}).Find(&[]thing{})
		},
		"Raw as a value named by a struct": func(f fixture, tx *gorm.DB, _ thing) *gorm.DB {
			ids := struct{ IDs *gorm.DB }{f.Conn(f.ctx).Raw("SELECT id FROM things")}

			return tx.Where("id IN (@IDs)", ids).Find(&[]thing{})
		},
		"Raw in a condition of conditions": func(f fixture, tx *gorm.DB, _ thing) *gorm.DB {
			return tx.Where(tx.Session(&gorm.Session{NewDB: true}).Where("1 = 0").Or("id IN (?)", f.Conn(f.ctx).Raw("SELECT id FROM things"))).
				Find(&[]thing{})
		},
		"Raw as a column": func(f fixture, tx *gorm.DB, _ thing) *gorm.DB {
			return tx.Select("(?) AS name", f.Conn(f.ctx).Raw("SELECT max(name) FROM things")).Find(&[]thing{})
		},
		"Raw in the order": func(f fixture, tx *gorm.DB, _ thing) *gorm.DB {
			return tx.Clauses(clause.OrderBy{
				Expression: clause.Expr{SQL: "(?)", Vars: []any{f.Conn(f.ctx).Raw("SELECT 1 FROM things")}},
			}).Find(&[]thing{})
		},
		"Scan without Raw": func(_ fixture, tx *gorm.DB, _ thing) *gorm.DB { return tx.Model(&thing{}).Scan(&[]thing{}) },
	}.run(t)
}

func TestTenancy_RefusesInserts(t *testing.T) {
	t.Parallel()
	upsert := clause.OnConflict{
		Columns:   []clause.Column{{Name: "company_id"}, {Name: "id"}},
		DoUpdates: clause.AssignmentColumns([]string{"name"}),
	}
	refusedError{
		"writing such a model": func(_ fixture, tx *gorm.DB, _ thing) *gorm.DB {
			return tx.Create(&withoutTenant{ID: uuid.New(), Name: "x"})
		},
		"an upsert without the company": func(_ fixture, tx *gorm.DB, own thing) *gorm.DB {
			return tx.Clauses(upsert).Create(&own)
		},
		"an upsert with the company as an alternative": func(_ fixture, tx *gorm.DB, own thing) *gorm.DB {
			either := upsert
			either.Where = clause.Where{Exprs: []clause.Expression{
				clause.Expr{SQL: "things.company_id = excluded.company_id"}, clause.Or(clause.Expr{SQL: "1 = 1"}),
			}}

			return tx.Clauses(either).Create(&own)
		},
		"an upsert of everything": func(_ fixture, tx *gorm.DB, own thing) *gorm.DB {
			return tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(&own)
		},
		"an upsert that writes the company": func(_ fixture, tx *gorm.DB, own thing) *gorm.DB {
			writes := upsert
			writes.DoUpdates = clause.AssignmentColumns([]string{"company_id"})
			writes.Where = database.SameCompany("things")

			return tx.Clauses(writes).Create(&own)
		},
		"an insert for another company": func(_ fixture, tx *gorm.DB, _ thing) *gorm.DB {
			return tx.Create(&thing{Tenant: database.Tenant{CompanyID: uuid.New()}, ID: uuid.New(), Name: "x"})
		},
		"an insert from a map": func(_ fixture, tx *gorm.DB, _ thing) *gorm.DB {
			return tx.Model(&thing{}).Create(map[string]any{"id": uuid.New(), "company_id": uuid.New(), "name": "x"})
		},
		"an insert with an association": func(_ fixture, tx *gorm.DB, _ thing) *gorm.DB {
			return tx.Create(&assembly{ID: uuid.New(), Name: "x", Parts: []part{{ID: uuid.New(), Name: "y"}}})
		},
		"an insert with an association through the row": func(f fixture, tx *gorm.DB, own thing) *gorm.DB {
			err := tx.Model(&assembly{ID: own.ID}).Association("Parts").Append(&part{ID: uuid.New(), Name: "y"})

			return &gorm.DB{Error: err}
		},
	}.run(t)
}

func TestTenancy_RefusesUpdates(t *testing.T) {
	t.Parallel()
	refusedError{
		"Save of a row": func(_ fixture, tx *gorm.DB, own thing) *gorm.DB { return tx.Save(&own) },
		"Save of rows":  func(_ fixture, tx *gorm.DB, own thing) *gorm.DB { return tx.Save(&[]thing{own}) },
		"Update of the company": func(_ fixture, tx *gorm.DB, own thing) *gorm.DB {
			return tx.Model(&own).Update("company_id", uuid.New())
		},
		"Update of the company by another spelling": func(_ fixture, tx *gorm.DB, own thing) *gorm.DB {
			return tx.Model(&own).Updates(map[string]any{"COMPANY_ID": uuid.New()})
		},
		"UpdateColumn of the company": func(_ fixture, tx *gorm.DB, own thing) *gorm.DB {
			return tx.Model(&own).UpdateColumn("CompanyID", uuid.New())
		},
		"Updates with another company": func(_ fixture, tx *gorm.DB, own thing) *gorm.DB {
			return tx.Model(&thing{}).Where("id = ?", own.ID).
				Updates(thing{Tenant: database.Tenant{CompanyID: uuid.New()}, Name: "x"})
		},
		"an update with an association": func(_ fixture, tx *gorm.DB, own thing) *gorm.DB {
			return tx.Model(&assembly{ID: own.ID}).Updates(&assembly{Name: "x", Parts: []part{{ID: uuid.New(), Name: "y"}}})
		},
		"an update in another table": func(_ fixture, tx *gorm.DB, own thing) *gorm.DB {
			return tx.Clauses(clause.Update{Table: clause.Table{Name: "settings"}}).Model(&own).Update("name", "x")
		},
		"an update whose only id is one to write": func(_ fixture, tx *gorm.DB, own thing) *gorm.DB {
			return tx.Model(&thing{}).Updates(&thing{ID: own.ID, Name: "x"})
		},
		"an update with what is left of a read": func(_ fixture, tx *gorm.DB, _ thing) *gorm.DB {
			tx = tx.Model(&thing{})
			if err := tx.Find(&[]thing{}).Error; err != nil {
				return &gorm.DB{}
			}

			return tx.Update("name", "x")
		},
		"an update by a company": func(_ fixture, tx *gorm.DB, own thing) *gorm.DB {
			return tx.Model(&thing{Tenant: own.Tenant}).Update("name", "x")
		},
		"an update of rows of which one has no id": func(_ fixture, tx *gorm.DB, own thing) *gorm.DB {
			return tx.Model(&[]thing{own, {}}).Update("name", "x")
		},
		"an update without a condition": func(_ fixture, tx *gorm.DB, _ thing) *gorm.DB {
			return tx.Model(&thing{}).Update("name", "x")
		},
		"an update with an empty condition": func(_ fixture, tx *gorm.DB, _ thing) *gorm.DB {
			return tx.Model(&thing{}).Where(&thing{}).Update("name", "x")
		},
	}.run(t)
}

func TestTenancy_RefusesDeletes(t *testing.T) {
	t.Parallel()
	refusedError{
		"a delete of associations": func(_ fixture, tx *gorm.DB, own thing) *gorm.DB {
			return tx.Select(clause.Associations).Delete(&assembly{ID: own.ID})
		},
		"a delete without a condition":  func(_ fixture, tx *gorm.DB, _ thing) *gorm.DB { return tx.Delete(&thing{}) },
		"a delete for good without one": func(_ fixture, tx *gorm.DB, _ thing) *gorm.DB { return tx.Unscoped().Delete(&thing{}) },
		"a delete without one though it is allowed": func(_ fixture, tx *gorm.DB, _ thing) *gorm.DB {
			return tx.Session(&gorm.Session{AllowGlobalUpdate: true}).Unscoped().Delete(&thing{})
		},
	}.run(t)
}

func requireRefused(t *testing.T, err error, name string) {
	t.Helper()
	require.ErrorIs(t, err, database.ErrRefused, name)
}

func requireUnchanged(t *testing.T, f fixture, own, foreign thing) {
	t.Helper()
	var all []thing
	require.NoError(t, f.Conn(database.AcrossCompanies(f.ctx, "test")).Order("name").Find(&all).Error)
	require.Len(t, all, 2)
	require.Equal(t, []uuid.UUID{foreign.ID, own.ID}, []uuid.UUID{all[0].ID, all[1].ID})
	require.Equal(t, []string{"foreign", "own"}, []string{all[0].Name, all[1].Name})
	require.Equal(t, []uuid.UUID{foreign.CompanyID, own.CompanyID}, []uuid.UUID{all[0].CompanyID, all[1].CompanyID})
}

func TestTenancy_RefusesRowsOutsideRaw(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		rows, err := f.Conn(f.ctx).Model(&thing{}).Rows()
		requireRefused(t, err, "Rows")
		require.Nil(t, rows)

		f.add(t, f.ctx, "a")
		var n int
		require.NoError(t, f.Raw(f.ctx, "test").Raw("SELECT count(*) FROM things").Row().Scan(&n))
		require.Equal(t, 1, n)
	})
}

func TestTenancy_RefusesAStatementWithoutAPrincipal(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		f.add(t, f.ctx, "a")
		nobody := t.Context()
		operator := principal.With(nobody, principal.Principal{Kind: principal.Operator})
		for _, ctx := range []context.Context{nobody, operator} {
			requireRefused(t, f.Conn(ctx).Find(&[]thing{}).Error, "read")
			requireRefused(t, f.write(ctx, func(tx *gorm.DB) *gorm.DB { return tx.Create(&thing{ID: uuid.New()}) }), "create")
			requireRefused(t, f.write(ctx, func(tx *gorm.DB) *gorm.DB {
				return tx.Model(&thing{}).Where("name = ?", "a").Update("amount", 1)
			}), "update")
			requireRefused(t, f.write(ctx, func(tx *gorm.DB) *gorm.DB { return tx.Where("name = ?", "a").Delete(&thing{}) }), "delete")
		}
		require.NoError(t, f.write(nobody, func(tx *gorm.DB) *gorm.DB { return tx.Create(&setting{ID: uuid.New(), Name: "x"}) }))
		require.NoError(t, f.Conn(nobody).First(&setting{}).Error)
	})
}

func TestTenancy_RefusesAWriteOutsideInTx(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		own := f.add(t, f.ctx, "a")
		for name, tx := range map[string]*gorm.DB{
			"create":       f.Conn(f.ctx).Create(&thing{ID: uuid.New(), Name: "b"}),
			"update":       f.Conn(f.ctx).Model(&own).Update("name", "b"),
			"delete":       f.Conn(f.ctx).Delete(&own),
			"exec":         f.Raw(f.ctx, "test").Exec("DELETE FROM things"),
			"raw returns":  f.Raw(f.ctx, "test").Raw("DELETE FROM things RETURNING id").Scan(&[]uuid.UUID{}),
			"raw insert":   f.Raw(f.ctx, "test").Create(&thing{ID: uuid.New(), Name: "b"}),
			"of nobody":    f.Conn(f.ctx).Create(&setting{ID: uuid.New(), Name: "b"}),
			"gorm's begin": f.Conn(f.ctx).Begin(),
		} {
			require.Error(t, tx.Error, name)
		}
		require.Equal(t, []string{"a"}, f.names(t))
	})
}

func TestTenancy_EveryReadKeepsToTheCompany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		own, foreign := f.add(t, f.ctx, "a"), f.add(t, f.other, "b")
		for ctx, owner := range map[context.Context]thing{f.ctx: own, f.other: foreign} {
			require.NoError(t, f.write(ctx, func(tx *gorm.DB) *gorm.DB {
				return tx.Create(&part{ID: uuid.New(), ThingID: owner.ID, Name: "part of " + owner.Name})
			}))
		}
		conn := func() *gorm.DB { return f.Conn(f.ctx) }
		var rows []thing
		for name, read := range map[string]func() *gorm.DB{
			"Find":            func() *gorm.DB { return conn().Find(&rows) },
			"an OR":           func() *gorm.DB { return conn().Where("name = ?", "x").Or("1 = 1").Find(&rows) },
			"an OR in a line": func() *gorm.DB { return conn().Where("name = 'x'\nOR 1 = 1").Find(&rows) },
			"an OR clause":    func() *gorm.DB { return conn().Clauses(clause.Or(clause.Expr{SQL: "1 = 1"})).Find(&rows) },
			"Unscoped":        func() *gorm.DB { return conn().Unscoped().Find(&rows) },
			"Dynamic":         func() *gorm.DB { return f.Dynamic(f.ctx).Where("1 = 1").Find(&rows) },
			"subquery": func() *gorm.DB {
				return conn().Where("id IN (?)", conn().Model(&part{}).Select("thing_id")).Find(&rows)
			},
		} {
			rows = nil
			require.NoError(t, read().Error, name)
			require.Len(t, rows, 1, name)
			require.Equal(t, own.ID, rows[0].ID, name)
		}
		var n int64
		require.NoError(t, conn().Model(&thing{}).Count(&n).Error)
		require.EqualValues(t, 1, n)
		var names []string
		require.NoError(t, conn().Model(&thing{}).Pluck("name", &names).Error)
		require.Equal(t, []string{"a"}, names)
		for _, tx := range []*gorm.DB{
			conn().First(&thing{}, "id = ?", foreign.ID), conn().Take(&thing{}, "id = ?", foreign.ID),
			conn().Last(&thing{}, "name = ?", "b"),
		} {
			require.ErrorIs(t, database.Translate(tx.Error), database.ErrNotFound)
		}
		var batches []string
		require.NoError(t, conn().FindInBatches(&rows, 1, func(*gorm.DB, int) error {
			batches = append(batches, rows[0].Name)

			return nil
		}).Error)
		require.Equal(t, []string{"a"}, batches)
		var with []assembly
		require.NoError(t, conn().Preload("Parts").Find(&with).Error)
		require.Len(t, with, 1)
		require.Len(t, with[0].Parts, 1)
		require.Equal(t, "part of a", with[0].Parts[0].Name)
	})
}

func TestTenancy_APreloadFindsNoPartsOfAnotherCompany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		// Two companies have a thing with the same id, which fixed ids of demo data make likely.
		id := uuid.New()
		for _, ctx := range []context.Context{f.ctx, f.other} {
			require.NoError(t, f.write(ctx, func(tx *gorm.DB) *gorm.DB { return tx.Create(&thing{ID: id, Name: "same"}) }))
			require.NoError(t, f.write(ctx, func(tx *gorm.DB) *gorm.DB { return tx.Create(&part{ID: uuid.New(), ThingID: id}) }))
		}
		var with assembly
		require.NoError(t, f.Conn(f.ctx).Preload("Parts").First(&with, "id = ?", id).Error)
		require.Len(t, with.Parts, 1)
	})
}

func TestTenancy_WritesReachNoOtherCompany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		own, foreign := f.add(t, f.ctx, "own"), f.add(t, f.other, "foreign")
		for name, statement := range map[string]func(tx *gorm.DB) *gorm.DB{
			"update":          func(tx *gorm.DB) *gorm.DB { return tx.Model(&thing{}).Where("id = ?", foreign.ID).Update("name", "x") },
			"update of a row": func(tx *gorm.DB) *gorm.DB { return tx.Model(&thing{ID: foreign.ID}).Update("name", "x") },
			"update with an OR": func(tx *gorm.DB) *gorm.DB {
				return tx.Model(&thing{}).Where("name = ?", "none").Or("name = ?", "foreign").Update("name", "x")
			},
			"soft delete":   func(tx *gorm.DB) *gorm.DB { return tx.Delete(&thing{ID: foreign.ID}) },
			"delete":        func(tx *gorm.DB) *gorm.DB { return tx.Unscoped().Where("id = ?", foreign.ID).Delete(&thing{}) },
			"delete an OR":  func(tx *gorm.DB) *gorm.DB { return tx.Unscoped().Where("1 = 0\nOR name = 'foreign'").Delete(&thing{}) },
			"update in set": func(tx *gorm.DB) *gorm.DB { return tx.Model(&[]thing{{ID: foreign.ID}}).Update("name", "x") },
		} {
			require.NoError(t, f.InTx(f.ctx, func(ctx context.Context) error {
				tx := statement(f.Conn(ctx))
				require.Zero(t, tx.RowsAffected, name)

				return tx.Error
			}), name)
		}
		requireUnchanged(t, f, own, foreign)
	})
}

func TestTenancy_AllowsWhatIsSafe(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		own, _ := f.add(t, f.ctx, "own"), f.add(t, f.other, "foreign")
		require.NotEqual(t, uuid.Nil, own.CompanyID)
		upsert := clause.OnConflict{
			Columns:   []clause.Column{{Name: "company_id"}, {Name: "name"}},
			DoUpdates: clause.AssignmentColumns([]string{"amount"}),
			Where:     database.SameCompany("things"),
		}
		ignore := clause.OnConflict{Columns: []clause.Column{{Name: "company_id"}, {Name: "name"}}, DoNothing: true}
		for name, statement := range map[string]func(tx *gorm.DB) *gorm.DB{
			"upsert": func(tx *gorm.DB) *gorm.DB {
				return tx.Clauses(upsert).Create(&thing{ID: uuid.New(), Name: "own", Amount: 5})
			},
			"or nothing": func(tx *gorm.DB) *gorm.DB { return tx.Clauses(ignore).Create(&thing{ID: uuid.New(), Name: "own"}) },
			"some columns": func(tx *gorm.DB) *gorm.DB {
				return tx.Select("ID", "Name", "Amount").Create(&thing{ID: uuid.New(), Name: "some"})
			},
			"rows": func(tx *gorm.DB) *gorm.DB {
				return tx.Create(&[]thing{{ID: uuid.New(), Name: "b"}, {ID: uuid.New(), Name: "c"}})
			},
			"a read row": func(tx *gorm.DB) *gorm.DB {
				return tx.Model(&own).Select("Amount").Updates(thing{Tenant: own.Tenant, Amount: 7})
			},
			"a row by its id": func(tx *gorm.DB) *gorm.DB { return tx.Model(&thing{ID: own.ID}).Update("amount", 6) },
			"columns of a row by its id": func(tx *gorm.DB) *gorm.DB {
				return tx.Model(&own).Updates(map[string]any{"amount": 6})
			},
			"a row of changes by the id of the model": func(tx *gorm.DB) *gorm.DB { return tx.Model(&own).Updates(&thing{Amount: 6}) },
			"a row of changes with its id":            func(tx *gorm.DB) *gorm.DB { return tx.Updates(&thing{ID: own.ID, Amount: 6}) },
			"rows by their ids":                       func(tx *gorm.DB) *gorm.DB { return tx.Model(&[]thing{own}).Update("amount", 6) },
			"a subquery": func(tx *gorm.DB) *gorm.DB {
				parts := tx.Session(&gorm.Session{NewDB: true}).Model(&part{}).Select("thing_id")

				return tx.Model(&thing{}).Where("id NOT IN (?)", parts).Update("amount", 6)
			},
			"a condition": func(tx *gorm.DB) *gorm.DB { return tx.Model(&thing{}).Where("1 = 1").Update("amount", 8) },
		} {
			require.NoError(t, f.write(f.ctx, statement), name)
		}
		require.Equal(t, []string{"b", "c", "foreign", "own", "some"}, f.names(t))
	})
}

func TestTenancy_SoftDeletedRowsAreGone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		own := f.add(t, f.ctx, "a")
		require.NoError(t, f.write(f.ctx, func(tx *gorm.DB) *gorm.DB { return tx.Delete(&own) }))
		require.Zero(t, f.count(t, f.ctx))
		var row thing
		require.NoError(t, f.Conn(f.ctx).Unscoped().First(&row, "id = ?", own.ID).Error)
		require.True(t, row.DeletedAt.Valid)
		require.NoError(t, f.write(f.ctx, func(tx *gorm.DB) *gorm.DB {
			return tx.Unscoped().Model(&row).Update("deleted_at", nil)
		}))
		require.Equal(t, 1, f.count(t, f.ctx))
	})
}

func TestAcrossCompanies_ReachesAllAndNamesTheCompanyOfNewRows(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		own, foreign := f.add(t, f.ctx, "a"), f.add(t, f.other, "b")
		all := database.AcrossCompanies(t.Context(), "test")
		var rows []thing
		require.NoError(t, f.Conn(all).Find(&rows).Error)
		require.Len(t, rows, 2)
		require.NoError(t, f.write(all, func(tx *gorm.DB) *gorm.DB {
			return tx.Model(&thing{}).Where("id IN ?", []uuid.UUID{own.ID, foreign.ID}).Update("amount", 3)
		}))
		requireRefused(t, f.write(all, func(tx *gorm.DB) *gorm.DB { return tx.Create(&thing{ID: uuid.New(), Name: "c"}) }), "no company")
		requireRefused(t, f.write(all, func(tx *gorm.DB) *gorm.DB { return tx.Unscoped().Delete(&thing{}) }), "everything")
		require.NoError(t, f.write(all, func(tx *gorm.DB) *gorm.DB {
			return tx.Create(&thing{Tenant: own.Tenant, ID: uuid.New(), Name: "c"})
		}))
		require.Equal(t, 2, f.count(t, f.ctx))
	})
}
