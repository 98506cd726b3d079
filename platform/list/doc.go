// Package list makes the lists of the API: pages by keyset cursors, with filters, sorts, search and
// totals, the same for every area and on both databases.
//
// An area says once what a list may be asked for, and the rest is a call in the repository and one
// in the routes:
//
//	func loadSchema() list.Schema {
//		return list.Schema{
//			Fields: []list.Field{
//				{Name: "number", Expr: "number", Kind: kind.Text, Sortable: true, Filterable: true},
//				{Name: "price", Expr: "price", Kind: kind.Decimal, Nullable: true, Sortable: true, Filterable: true},
//			},
//			ID:   list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID},
//			Keys: list.KeysOf[loadBody](),
//		}
//	}
//
//	type listInput struct{ list.Input }
//
//	func (r *routes) list(ctx context.Context, in *listInput) (*list.Output[loadBody], error) {
//		q, err := in.Parse(ctx, loadSchema())
//		if err != nil {
//			return nil, err
//		}
//		page, err := r.repository.list(ctx, q)
//		if err != nil {
//			return nil, err
//		}
//
//		return list.Answer(q, list.Convert(page, newBody)), nil
//	}
//
//	func (r *repository) list(ctx context.Context, q list.Query) (list.Page[load], error) {
//		page, err := list.Find(r.db.Dynamic(ctx), q, load.key)
//
//		return page, database.Translate(err)
//	}
//
// The operation declares Errors() and may put Schema.Describe into its description.
//
// # Filters
//
// filter[price][gte]=100 compares, filter[price]=100 is filter[price][eq]=100. All filters of a
// request hold. Of the groups filter[or][0][…], filter[or][1][…] one is enough; the conditions of
// one group hold together; the number is 0 to 999. A key that is given twice is two conditions.
//
//	eq ne            all kinds
//	lt lte gt gte    all but booleans and UUIDs
//	in nin           all but booleans; values are separated by commas, \, is a comma, \\ a backslash
//	like             texts: contains, the letters A to Z in either case; % and _ mean themselves
//	starts           texts: begins with, case-sensitive, served by an index
//	null             fields that may lack a value: true or false
//
// What lacks a value is distinct from every value: ne and nin match it, and no other operator but
// null=true does. Texts compare byte by byte, which in UTF-8 is by code point.
//
// A date, a time or a local date-time may be counted from the present, in the time zone of the company (see package calendar):
// today-7d, now-2h, start_of_month+1mo. Saved queries mean these words anew each time. The pages of one walk do not: its
// cursors carry the present of the first page, so that no page shifts because midnight has passed. A whole day is no value of a
// field with a time of the day, so eq, ne, in and nin refuse it there and say what to ask instead.
//
// Where a field names users (Field.NamesUser), me is the one who is calling. A cursor made with it is of no use to another.
//
// # Order and cursors
//
// sort=-price,number. What lacks a value comes last, whichever the direction. The id ends every
// order, in the direction of the last key. So an index on (…, key, id), which may be WHERE key IS
// NOT NULL, serves a sort by one key in both directions, and the rows without a value are read from
// one on (…, id); Query.Parts tells the two apart. Sorts by several keys are served by their index
// if they go in one direction and none may lack a value; of others only the first key is.
//
// A cursor is a place in the order, not a number of rows: rows that come and go elsewhere change
// nothing about a page. next_cursor is null if, when the page was read, nothing followed, and
// prev_cursor if nothing came before. If the rows that a cursor led to are gone, the page is empty,
// and its one cursor leads back.
//
// A cursor holds the sort values of a row, readable by who decodes it. So a field that a caller may
// not see is not in the schema that the caller's request is parsed with.
//
// # Groups
//
// An operation that counts and sums the items of a list by group takes one line beside the list:
//
//	web.Register(r, web.Operation{…, Path: "/loads/groups", Errors: list.GroupErrors()}, list.ServeGroups(loadSchema(), s.groups))
//
//	func (r *repository) groups(ctx context.Context, g list.Grouping) (list.Groups, error) {
//		groups, err := list.FindGroups(r.db.Dynamic(ctx), &load{}, g)
//
//		return groups, database.Translate(err)
//	}
//
// group_by= takes fields that are filtered by their values; times by a part of the calendar, created_at:month. sum= takes numbers. A
// Decimal that SQLite keeps as text says how it is added up (Field.SumParts).
//
// # Limits
//
// The limits of a request are the constants below; what is over one is refused, naming it. An empty
// per_page, cursor, sort, fields, expand, q or count is as none.
package list
