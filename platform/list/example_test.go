package list_test

import (
	"context"
	"fmt"
	"net/url"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
)

// truck is a row of an area's table.
type truck struct {
	ID    int64
	Name  string
	Miles *int64
}

// key returns the values that a list of trucks is sorted by.
func (t truck) key(field string) any {
	switch field {
	case "name":
		return t.Name
	case "miles":
		return t.Miles
	default:
		return t.ID
	}
}

func truckSchema() list.Schema {
	return list.Schema{
		Fields: []list.Field{
			{Name: "name", Expr: "name", Kind: kind.Text, Sortable: true, Filterable: true},
			{Name: "miles", Expr: "miles", Kind: kind.Integer, Nullable: true, Sortable: true, Filterable: true},
		},
		ID: list.Field{Name: "id", Expr: "id", Kind: kind.Integer},
	}
}

// A list of trucks, those driven most first, two a page. Huma would fill in the input.
func Example() {
	db, err := database.OpenPlain("sqlite::memory:")
	if err != nil {
		panic(err)
	}
	if err := db.Exec("CREATE TABLE trucks (id integer PRIMARY KEY, name text, miles integer)").Error; err != nil {
		panic(err)
	}
	miles := []int64{10, 20, 30}
	db.Create([]truck{{1, "Ann", &miles[1]}, {2, "Bo", nil}, {3, "Cy", &miles[0]}, {4, "Abe", &miles[2]}, {5, "Di", nil}})

	query := url.Values{"sort": {"-miles"}, "filter[name][ne]": {"Di"}, "per_page": {"2"}, "count": {"exact"}}
	for {
		in := list.FromQuery("/fleet/api/v1/trucks", query)
		q, err := in.Parse(context.Background(), truckSchema())
		if err != nil {
			panic(err)
		}
		page, err := list.Find(db, q, truck.key)
		if err != nil {
			panic(err)
		}
		answer := list.Answer(q, list.Convert(page, func(t truck) string { return t.Name }))
		fmt.Println(answer.Body.Data, "of", *answer.Body.Meta.Total)
		if answer.Body.Meta.NextCursor == nil {
			break
		}
		query.Set("cursor", *answer.Body.Meta.NextCursor)
	}

	query.Set("sort", "-mileage")
	in := list.FromQuery("/fleet/api/v1/trucks", query)
	_, err = in.Parse(context.Background(), truckSchema())
	fmt.Println(err)

	// Output:
	// [Abe Ann] of 4
	// [Cy Bo] of 4
	// list.invalid_query: The query is not valid for this list.
}
