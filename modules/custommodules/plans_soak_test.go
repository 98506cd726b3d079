//go:build soak

package custommodules

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// sent is a statement that was sent to the database.
type sent struct {
	sql  string
	vars []any
}

// listener keeps the statements that read.
type listener struct {
	mu   sync.Mutex
	sent []sent
}

// listen begins to listen to what reads in the name of the company in ctx.
func listen(ctx context.Context, a *moduletest.App) *listener {
	l := &listener{}
	a.OnStatement(func(of context.Context, s database.Statement) {
		if principal.CompanyOf(of) != principal.CompanyOf(ctx) || !strings.HasPrefix(s.SQL, "SELECT") {
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.sent = append(l.sent, sent{s.SQL, slices.Clone(s.Values)})
	})

	return l
}

// during returns what is sent while fn runs.
func (l *listener) during(fn func()) []sent {
	l.mu.Lock()
	l.sent = nil
	l.mu.Unlock()
	fn()
	l.mu.Lock()
	defer l.mu.Unlock()

	return l.sent
}

// plan returns how the database goes about a statement.
func plan(ctx context.Context, t *testing.T, db *database.DB, s sent) string {
	t.Helper()
	explain := "EXPLAIN "
	if db.Dialect() == database.SQLite {
		explain = "EXPLAIN QUERY PLAN "
	}
	rows, err := db.SQL().QueryContext(ctx, explain+s.sql, s.vars...)
	require.NoError(t, err, s.sql)
	defer func() { require.NoError(t, rows.Close()) }()
	names, err := rows.Columns()
	require.NoError(t, err)
	var text strings.Builder
	for rows.Next() {
		var line string
		cells := make([]any, len(names))
		for i := range cells {
			cells[i] = new(any)
		}
		cells[len(cells)-1] = &line
		require.NoError(t, rows.Scan(cells...))
		text.WriteString(line + "\n")
	}
	require.NoError(t, rows.Err())

	return text.String()
}

// planned is what plans are tried on: a module with many records beside another company's and another
// module's.
type planned struct {
	*service

	module, target uuid.UUID
	customers      []uuid.UUID
	customer       uuid.UUID
}

const plannedRecords = 12_000

func newPlanned(ctx context.Context, t *testing.T, s *service) planned {
	t.Helper()
	p := planned{service: s}
	target, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Customers", Fields: []definition.NewField{{Key: "name", Type: "text"}}})
	require.NoError(t, err)
	p.target = target.ID
	fields := []definition.NewField{
		{Key: "name", Type: "text", Indexed: true, Searchable: true},
		{Key: "price", Type: "decimal", Indexed: true},
		{Key: "customer", Type: "reference", Options: rawjson.Object(`{"module_uuid":"` + target.ID.String() + `"}`)},
		{Key: "code", Type: "text", Unique: true},
	}
	fields = append(append(fields, fillers()...),
		definition.NewField{Key: "more", Type: "text", Indexed: true}, definition.NewField{Key: "cost", Type: "decimal", Indexed: true},
		definition.NewField{Key: "payer", Type: "reference", Options: fields[2].Options})
	made, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Loads", Fields: fields})
	require.NoError(t, err)
	p.module = made.ID
	other, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Others", Fields: fields})
	require.NoError(t, err)
	for range 60 {
		record, err := s.records.CreateRecord(ctx, database.NewID(), target.ID, []byte(`{"name":"Blue"}`))
		require.NoError(t, err)
		p.customer, p.customers = record.ID, append(p.customers, record.ID)
	}
	p.fill(t, ctx, other.ID, plannedRecords/4)
	p.fill(t, ctx, made.ID, plannedRecords)
	p.fillBeside(t, ctx, other.ID)
	p.fillBeside(t, ctx, made.ID)
	analyse(ctx, t, s.db)

	return p
}

// analyse does what the databases do in time by themselves: PostgreSQL's autovacuum, and the database package
// on SQLite.
func analyse(ctx context.Context, t *testing.T, db *database.DB) {
	t.Helper()
	statements := []string{"VACUUM ANALYZE"}
	if db.Dialect() == database.SQLite {
		statements = []string{
			"ANALYZE", "UPDATE sqlite_stat1 SET stat = stat || ' noskipscan' WHERE idx IS NOT NULL", "ANALYZE sqlite_schema",
		}
	}
	for _, statement := range statements {
		_, err := db.SQL().ExecContext(ctx, statement)
		require.NoError(t, err)
	}
}

// fill stores records in bulk: one in ten has no name, one in two hundred the word rare.
func (p planned) fill(t *testing.T, ctx context.Context, module uuid.UUID, n int) {
	t.Helper()
	def, _, err := p.definitions.Get(ctx, module)
	require.NoError(t, err)
	for from := 0; from < n; from += 200 {
		require.NoError(t, p.db.InTx(ctx, func(ctx context.Context) error {
			for i := from; i < from+200; i++ {
				name := fmt.Sprintf(`"name":"common n%d",`, i%7)
				switch {
				case i%10 == 0:
					name = ""
				case i%200 == 1:
					name = fmt.Sprintf(`"name":"rare n%d",`, i%7)
				}
				customer := p.customers[i%len(p.customers)]
				made, found := def.Decode(fmt.Appendf(nil, `{%s%s"price":"%d.50","cost":"%d.50","code":"%s-%d",
					"customer":{"record_uuid":%q},"payer":{"record_uuid":%q}}`,
					name, strings.Replace(name, "name", "more", 1), i, i, module, i, customer, customer), definition.Presets{})
				require.True(t, found.None(), found)
				row := p.records.NewRow(ctx, def, database.NewID())
				row.Data, row.SchemaRevision = made.Document, def.Revision
				if err := p.repo.Insert(ctx, row, made.Keys, made.Links); err != nil {
					return err
				}
				if _, err := p.repo.ClaimUnique(ctx, row, made.Uniques); err != nil {
					return err
				}
				if err := p.repo.SetWords(ctx, row, def.Words(row.Data)); err != nil {
					return err
				}
			}

			return nil
		}))
	}
}

// fillBeside indexes the fields beside the records, which have the same values as those in them.
func (p planned) fillBeside(t *testing.T, ctx context.Context, module uuid.UUID) {
	t.Helper()
	def, _, err := p.definitions.Get(ctx, module)
	require.NoError(t, err)
	require.NoError(t, p.db.InTx(ctx, func(ctx context.Context) error {
		for from, to := range map[string]string{"name": "more", "price": "cost", "customer": "payer"} {
			in, beside := def.Field(from), def.Field(to)
			require.True(t, beside.Overflow && beside.Indexed, to)
			sql := fmt.Sprintf(`INSERT INTO custom_modules_index (company_id, record_id, field_id, %s) SELECT company_id, id, ?, %s
				FROM custom_modules_records WHERE company_id = ? AND module_id = ? AND %s IS NOT NULL`, definition.KindColumn(in.Slot.Kind()), in.Slot, in.Slot)
			if err := p.db.Raw(ctx, "a copy").Exec(sql, beside.ID, principal.CompanyOf(ctx), module).Error; err != nil {
				return err
			}
		}

		return nil
	}))
}

func (p planned) list(t *testing.T, ctx context.Context, query string) records.Page {
	t.Helper()
	values, err := url.ParseQuery(query)
	require.NoError(t, err)
	in := list.FromQuery("/records", values)
	in.Expand = values.Get("expand")
	found, err := p.records.FindRecords(ctx, p.module, uuid.Nil, &in)
	require.NoError(t, err, query)

	return found
}

// shape is a kind of query. Sorts says that its rows need not come in the order of an index.
type shape struct {
	name  string
	sorts bool
	run   func()
}

func TestPlans_ReadNoTableFromEndToEnd(t *testing.T) {
	t.Parallel()
	eachApp(t, func(t *testing.T, a *moduletest.App, s *service, ctx context.Context) {
		t.Helper()
		p := newPlanned(ctx, t, s)
		listening := listen(ctx, a)
		for _, shape := range append(p.lists(t, ctx), p.others(t, ctx)...) {
			listening.requirePlans(ctx, t, p, shape)
		}
		for _, shape := range p.tails(t, ctx) {
			listening.requirePlans(ctx, t, p, shape)
		}
		listening.requireOnePlans(ctx, t, p)
	}, moduletest.Set("modules.custom_modules.max_scan=0"))
}

func (l *listener) requirePlans(ctx context.Context, t *testing.T, p planned, of shape) {
	t.Helper()
	all := l.during(of.run)
	require.NotEmpty(t, all, of.name)
	for _, s := range all {
		requirePlan(ctx, t, p.db, of, s)
	}
}

func (p planned) lists(t *testing.T, ctx context.Context) []shape {
	t.Helper()
	var shapes []shape
	for query, sorts := range map[string]bool{
		"": false, "sort=-uuid": false, "filter[name]=common n3": false, "filter[name]=common n3&sort=-uuid": false,
		"filter[price][gte]=100&sort=price": false, "filter[price][gte]=100&filter[price][lt]=9000&sort=-price": false,
		"sort=-price": false, "sort=name": false, "filter[name][starts]=common n&sort=name": false,
		"filter[name][starts]=rare": true, "filter[name][in]=common n1,common n2": true, "filter[price][in]=1.50,2.50": true,
		"filter[name][null]=true": true, "filter[name][null]=false": false, "sort=name&filter[name][null]=true": true,
		"filter[uuid]=" + p.customer.String(): true, "filter[customer]=" + p.customer.String(): false,
		"filter[name]=common n3&filter[price][gt]=100&sort=price": true, // either index serves it
		"q=rare": true, "q=rare&sort=-price": true, "q=common": false, "q=common&sort=-price": false, "q=com n3&sort=-uuid": false,
		"expand=customer": false,

		"filter[more]=common n3": false, "filter[more]=common n3&sort=-uuid": false,
		"filter[cost][gte]=100&sort=cost": false, "filter[cost][gte]=100&filter[cost][lt]=9000&sort=-cost": false,
		"sort=-cost": false, "sort=more": false, "filter[more][starts]=common n&sort=more": false,
		"filter[more][starts]=rare": true, "filter[more][in]=common n1,common n2": true, "filter[cost][in]=1.50,2.50": true,
		"filter[more][null]=false": true, "filter[payer]=" + p.customer.String(): false,
		"filter[more]=common n3&filter[cost][gt]=100&sort=cost": true, "filter[name]=common n3&sort=cost": true, "filter[more]=common n3&sort=price": true,
		"filter[name]=common n3&filter[more]=common n3": true,
		"q=rare&sort=-cost":                             true, "q=common&sort=-cost": false, "expand=payer&sort=cost": false,
	} {
		shapes = append(shapes, shape{query, sorts, func() { p.list(t, ctx, "per_page=20&"+query) }})
		first := p.list(t, ctx, "per_page=20&"+query)
		if first.Meta.NextCursor == nil {
			continue
		}
		next := "per_page=20&" + query + "&cursor=" + *first.Meta.NextCursor
		second := p.list(t, ctx, next)
		shapes = append(shapes, shape{query + ", the next page", sorts, func() { p.list(t, ctx, next) }})
		before := "per_page=20&" + query + "&cursor=" + *second.Meta.PrevCursor
		shapes = append(shapes, shape{query + ", and back", sorts, func() { p.list(t, ctx, before) }})
	}

	return shapes
}

func (p planned) others(t *testing.T, ctx context.Context) []shape {
	t.Helper()
	links := func(module uuid.UUID, key, cursor string) list.Page[records.RecordLink] {
		in := list.FromQuery("/links", url.Values{"cursor": {cursor}, "per_page": {"20"}})
		q, err := in.Parse(ctx, linkList())
		require.NoError(t, err)
		page, err := p.records.Links(ctx, p.customer, module, key, q)
		require.NoError(t, err)
		require.Len(t, page.Data, 20)

		return page
	}
	next := *links(uuid.Nil, "", "").Meta.NextCursor
	def, _, err := p.definitions.Get(ctx, p.module)
	require.NoError(t, err)

	return []shape{
		{"back-links", true, func() { links(uuid.Nil, "", "") }},
		{"back-links, the next page", true, func() { links(uuid.Nil, "", next) }},
		{"back-links of a field", false, func() { links(p.module, "customer", "") }},
		{"counts of back-links", true, func() {
			_, err := p.records.LinkCounts(ctx, p.customer)
			require.NoError(t, err)
		}},
		{"unique value", true, func() {
			id, err := p.repo.UniqueHolder(ctx, p.module, def.Field("code").ID, p.module.String()+"-7")
			require.NoError(t, err)
			require.NotEqual(t, uuid.Nil, id)
		}},
		{"record", true, func() {
			_, err := p.records.ReadRecord(ctx, p.customer)
			require.NoError(t, err)
		}},
	}
}

// requireOnePlans wants a plan that is made once, for any value, to read what the best plan for a value reads, wherever
// one is kept.
func (l *listener) requireOnePlans(ctx context.Context, t *testing.T, p planned) {
	t.Helper()
	def, _, err := p.definitions.Get(ctx, p.module)
	require.NoError(t, err)
	for query, index := range map[string]string{
		"": "_list", "sort=-uuid": "_list", "filter[name]=common n3": "_text_", "filter[name]=rare n1&sort=-uuid": "_text_",
		"filter[price]=7.50": "_numeric_", "filter[customer]=" + p.customer.String(): "_uuid_",
		"filter[name]=common n3&filter[price]=7.50": "", "filter[price][gt]=7.50": "", "sort=price": "", "filter[more]=common n3": "",
		"filter[name][in]=common n3,rare n1": "", "filter[name][null]=false": "",
	} {
		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		in := list.FromQuery("/records", values)
		q, err := in.Parse(ctx, def.Schema)
		require.NoError(t, err, query)
		require.Equal(t, index != "", def.Steady(q), query)
		if index == "" || p.db.Dialect() != database.Postgres {
			continue
		}
		cursors := []string{""}
		if next := p.list(t, ctx, "per_page=5&"+query).Meta.NextCursor; next != nil {
			cursors = append(cursors, *next)
		}
		for _, cursor := range cursors {
			of := shape{name: query, run: func() { p.list(t, ctx, "per_page=5&"+query+"&cursor="+cursor) }}
			requireOnePlan(ctx, t, p, of, l.during(of.run)[0], index)
		}
	}
}

// requireOnePlan wants the rows of a statement in the order of an index by the plan that PostgreSQL makes without values.
func requireOnePlan(ctx context.Context, t *testing.T, p planned, of shape, s sent, index string) {
	t.Helper()
	conn, err := p.db.SQL().Conn(ctx)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	values := make([]string, len(s.vars))
	for i, value := range s.vars {
		values[i] = fmt.Sprintf("'%v'", value)
	}
	for _, statement := range []string{"SET plan_cache_mode = force_generic_plan", "PREPARE once AS " + s.sql} {
		_, err := conn.ExecContext(ctx, statement)
		require.NoError(t, err, statement)
	}
	rows, err := conn.QueryContext(ctx, "EXPLAIN EXECUTE once("+strings.Join(values, ", ")+")", pgx.QueryExecModeSimpleProtocol)
	require.NoError(t, err, of.name)
	var lines []string
	for rows.Next() {
		var line string
		require.NoError(t, rows.Scan(&line))
		lines = append(lines, line)
	}
	require.NoError(t, rows.Err())
	require.NoError(t, rows.Close())
	for _, statement := range []string{"DEALLOCATE once", "RESET plan_cache_mode"} {
		_, err := conn.ExecContext(ctx, statement)
		require.NoError(t, err, statement)
	}
	text := strings.Join(lines, "\n")
	require.Contains(t, text, "custom_modules_records"+index, of.name+"\n"+text)
	require.NotContains(t, text, "Sort", of.name+"\n"+text)
}

// A sort comes to the records that have no value by a walk through the module, a stretch a page: no page reads more
// than that, and none of them is missing.
func TestPlans_WalkToTheRecordsWithoutAValueAStretchAPage(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Loads", Fields: append(fillers(), definition.NewField{Key: "more", Type: "text", Indexed: true})})
		require.NoError(t, err)
		for i := range 24 {
			payload := `{}`
			if i%8 > 0 {
				payload = fmt.Sprintf(`{"filler_text_1":"v%02d","more":"v%02d"}`, i, i)
			}
			_, err := s.records.CreateRecord(ctx, database.NewID(), module.ID, []byte(payload))
			require.NoError(t, err)
		}
		p := planned{service: s, module: module.ID}
		for _, key := range []string{"filler_text_1", "more"} {
			found, pages := p.all(t, ctx, "per_page=9&sort=-"+key)
			require.Len(t, found, 24)
			var sizes []int
			for _, one := range pages {
				sizes = append(sizes, len(one.Data))
			}
			require.Equal(t, []int{9, 9, 3 + 0, 1, 0, 1, 1}, sizes, "21 with a value, and then those of 5 records at a time")
			last := p.list(t, ctx, "per_page=30&sort=-"+key+"&filter["+key+"][null]=false")
			require.Len(t, last.Data, 21)
			require.Nil(t, last.Meta.NextCursor)
			last = p.list(t, ctx, "per_page=20&sort=-"+key+"&filter[uuid]="+last.Data[0].ID.String())
			require.Len(t, last.Data, 1, "another index finds the few that there are")
		}
	}, moduletest.Set("modules.custom_modules.max_scan=5"))
}

// all follows a list to its end.
func (p planned) all(t *testing.T, ctx context.Context, query string) (found map[uuid.UUID]bool, pages []records.Page) {
	t.Helper()
	found = map[uuid.UUID]bool{}
	for at := query; ; {
		one := p.list(t, ctx, at)
		pages = append(pages, one)
		for _, row := range one.Data {
			require.False(t, found[row.ID])
			found[row.ID] = true
		}
		if one.Meta.NextCursor == nil {
			return found, pages
		}
		at = query + "&cursor=" + *one.Meta.NextCursor
	}
}

// tails are the pages with records without a value, as a large module has them. Beside the records, the plan depends on
// how many values all modules have there.
func (p planned) tails(t *testing.T, ctx context.Context) []shape {
	t.Helper()
	p.settings.MaxScan = plannedRecords / 40
	query := "per_page=200&sort=-name"
	found, pages := p.all(t, ctx, query)
	require.Len(t, found, plannedRecords)
	var shapes []shape
	for _, before := range pages[len(pages)-5 : len(pages)-1] {
		at := query + "&cursor=" + *before.Meta.NextCursor
		shapes = append(shapes, shape{at, true, func() { p.list(t, ctx, at) }}) // few are sorted quickly
	}

	return shapes
}

// requirePlan wants no large table read from end to end, and no sorting where an index has the order.
func requirePlan(ctx context.Context, t *testing.T, db *database.DB, of shape, s sent) {
	t.Helper()
	text := plan(ctx, t, db, s)
	explained := fmt.Sprintf("%s\n%s\n%s", of.name, s.sql, text)
	for line := range strings.Lines(text) {
		for _, large := range []string{"records", "links", "unique", "search", "history", "index"} {
			require.NotContains(t, line, "Seq Scan on custom_modules_"+large, explained)
		}
		if db.Dialect() == database.SQLite && !strings.Contains(line, "VIRTUAL TABLE") {
			require.NotRegexp(t, `^SCAN x\d`, line, explained)
			for _, scanned := range []string{"SCAN custom_modules_records", "SCAN l", "SCAN r", "SCAN s", "SCAN custom_modules_search", "SCAN custom_modules_unique"} {
				require.NotEqual(t, scanned, strings.TrimSpace(line), explained)
			}
		}
		if !of.sorts {
			require.NotContains(t, line, "Sort", explained)
			require.NotContains(t, line, "USE TEMP B-TREE FOR ORDER BY", explained)
		}
	}
}
