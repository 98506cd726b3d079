package list_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
)

// grouped returns the groups of the things as JSON, each a line.
func grouped(t *testing.T, db *gorm.DB, query string) (string, error) {
	t.Helper()
	in := groupInput(t, query)
	g, err := in.Parse(asking(), schema(db))
	if err != nil {
		return "", err
	}
	groups, err := list.FindGroups(db.Where("owner = ?", 1), &row{}, g)
	if err != nil {
		return "", err
	}
	var lines strings.Builder
	for _, group := range groups.Data {
		line, err := json.Marshal(group)
		require.NoError(t, err)
		lines.Write(append(line, '\n'))
	}

	return lines.String() + fmt.Sprintf("%d of %d", groups.Meta.Groups, groups.Meta.Total), nil
}

func groupInput(t *testing.T, query string) list.GroupInput {
	t.Helper()

	return list.GroupsFromQuery("/things/groups", values(t, query))
}

func TestFindGroups_CountsAndSumsExactly(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *gorm.DB) {
		t.Helper()
		const large = "2147483647"
		for i, one := range []thing{
			{"name": new("red"), "qty": new(large), "price": new("0.1"), "operable": new("true"), "day": new("2026-08-31"), "pickup": new("2026-09-01 00:00:00"), "seen": new("2026-09-01T04:59:59Z")},
			{"name": new("red"), "qty": new(large), "price": new("-0.2"), "operable": new("false"), "day": new("2026-09-07"), "pickup": new("2026-08-31 23:59:59"), "seen": new("2026-09-01T05:00:00Z")},
			{"name": new("Blue"), "qty": new("-3"), "price": new("99999.9999"), "day": new("2026-12-31"), "seen": new("2026-11-01T05:00:00Z")},
			{"qty": new("10"), "operable": new("true"), "seen": new("2026-11-02T05:59:59Z")},
			{"name": new("red"), "qty": new("9"), "seen": new("2027-01-01T00:00:00.000001Z")},
		} {
			one["id"], one["code"] = new(uuidOf(i)), new("c")
			insert(t, db, one)
		}
		require.NoError(t, db.Exec("INSERT INTO things (id, owner, code, qty, seen) SELECT ?, 2, 'c', 1, seen FROM things WHERE id = ?", uuidOf(9), uuidOf(0)).Error)
		for query, want := range map[string]string{
			"group_by=name&sum=qty,price": `{"keys":{"name":"Blue"},"count":1,"sums":{"price":"99999.9999","qty":"-3"}}
{"keys":{"name":"red"},"count":3,"sums":{"price":"-0.1","qty":"4294967303"}}
{"keys":{"name":null},"count":1,"sums":{"price":null,"qty":"10"}}
3 of 5`,
			"group_by=qty&filter[name]=red": `{"keys":{"qty":9},"count":1}
{"keys":{"qty":2147483647},"count":2}
2 of 3`,
			"group_by=operable,name&filter[operable][null]=false": `{"keys":{"name":"red","operable":false},"count":1}
{"keys":{"name":"red","operable":true},"count":1}
{"keys":{"name":null,"operable":true},"count":1}
3 of 3`,
			"group_by=price": `{"keys":{"price":"-0.2"},"count":1}
{"keys":{"price":"0.1"},"count":1}
{"keys":{"price":"99999.9999"},"count":1}
{"keys":{"price":null},"count":2}
4 of 5`,
			"group_by=day:week": `{"keys":{"day:week":"2026-08-31"},"count":1}
{"keys":{"day:week":"2026-09-07"},"count":1}
{"keys":{"day:week":"2026-12-28"},"count":1}
{"keys":{"day:week":null},"count":2}
4 of 5`,
			"group_by=day:quarter&filter[day][lt]=2026-12-31": `{"keys":{"day:quarter":"2026-07-01"},"count":2}
1 of 2`,
			"group_by=day&filter[day][gte]=today": `{"keys":{"day":"2026-12-31"},"count":1}
1 of 1`,
			"group_by=seen:month": `{"keys":{"seen:month":"2026-08-01"},"count":1}
{"keys":{"seen:month":"2026-09-01"},"count":1}
{"keys":{"seen:month":"2026-11-01"},"count":2}
{"keys":{"seen:month":"2026-12-01"},"count":1}
4 of 5`,
			"group_by=seen:day&filter[seen][gte]=2026-10-01T00:00:00Z&filter[seen][lt]=2026-12-01T00:00:00Z": `{"keys":{"seen:day":"2026-11-01"},"count":2}
1 of 2`,
			"group_by=pickup:month,seen:year&sum=qty": `{"keys":{"pickup:month":"2026-08-01","seen:year":"2026-01-01"},"count":1,"sums":{"qty":"2147483647"}}
{"keys":{"pickup:month":"2026-09-01","seen:year":"2026-01-01"},"count":1,"sums":{"qty":"2147483647"}}
{"keys":{"pickup:month":null,"seen:year":"2026-01-01"},"count":3,"sums":{"qty":"16"}}
3 of 5`,
			"group_by=name&q=red":             "{\"keys\":{\"name\":\"red\"},\"count\":3}\n1 of 3",
			"group_by=name&filter[name]=x":    "0 of 0",
			"group_by=day:day&filter[name]=x": "0 of 0",
		} {
			found, err := grouped(t, db, query)
			require.NoError(t, err, query)
			require.Equal(t, want, found, query)
		}
	})
}

func TestFindGroups_RefusesMoreGroupsThanAnAnswerHas(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *gorm.DB) {
		t.Helper()
		start := time.Date(2020, 1, 1, 12, 0, 0, 0, time.UTC)
		for i := range list.MaxGroups + 1 {
			insert(t, db, thing{
				"id": new(uuidOf(i)), "code": new("c"), "qty": new(strconv.Itoa(i)), "seen": new(start.AddDate(0, 0, i).Format(time.RFC3339)),
			})
		}
		_, err := grouped(t, db, "group_by=qty")
		require.ErrorIs(t, err, list.ErrTooManyGroups)
		_, err = grouped(t, db, "group_by=seen:day")
		require.ErrorIs(t, err, list.ErrTooManyGroups)
		refused, _ := errors.AsType[*errs.Error](err)
		require.Equal(t, "From 2020-01-01 on, there are more than 1000 units of a day in seen. Group by a longer one, or filter by seen.", refused.Fields["group_by"][0])
		found, err := grouped(t, db, "group_by=qty&filter[qty][ne]=7&filter[qty][lt]=1000")
		require.NoError(t, err)
		require.Contains(t, found, "999 of 999")
		_, err = grouped(t, db, "group_by=seen:week")
		require.NoError(t, err)
	})
}

func TestGroups_RefuseWhatCannotBeGroupedOrAddedUp(t *testing.T) {
	t.Parallel()
	in := list.GroupsFromQuery("/loads/groups", nil)
	for query, want := range map[string]map[string]string{
		"":                                    {"group_by": "group_by needs a key: number, price, open, customer, miles, day, at, local, or."},
		"group_by=hidden":                     {"group_by": `group_by does not know "hidden"; allowed are`},
		"group_by=number,open,day":            {"group_by": "group_by takes at most 2 keys."},
		"group_by=number,number":              {"group_by": `group_by names "number" twice.`},
		"group_by=at":                         {"group_by": "group_by: at is a time; it is grouped by at:day, or another of day, week, month, quarter, year."},
		"group_by=at:hour":                    {"group_by": `group_by=at does not know "hour"; allowed are day, week, month, quarter, year.`},
		"group_by=number:day":                 {"group_by": "group_by: number is not a date or time; leave out the unit."},
		"group_by=open&sum=number":            {"sum": `sum does not know "number"; allowed are price, miles.`},
		"group_by=open&sum=price,miles,price": {"sum": `sum names "price" twice.`},
		"group_by=open&sum=a,b,c,d,e":         {"sum": "sum takes at most 4 keys."},
		"group_by=open&filter[price]=x":       {"filter[price]": `"x" is not a decimal number`},
		"group_by=nothing&sum=nothing":        {"group_by": `"nothing"`, "sum": `"nothing"`},
		"group_by=open&group_by=day":          {"group_by": "given 2 times"},
	} {
		query, err := url.ParseQuery(query)
		require.NoError(t, err)
		in = list.GroupsFromQuery("/loads/groups", query)
		s := loads()
		for i := range s.Fields {
			s.Fields[i].Sortable = s.Fields[i].Filterable
		}
		_, err = in.Parse(asking(), s)
		refused, ok := errors.AsType[*errs.Error](err)
		require.True(t, ok, query)
		require.Len(t, refused.Fields, len(want), "%v: %v", query, refused.Fields)
		for key, part := range want {
			require.Contains(t, refused.Fields[key][0], part, query)
		}
	}
}
